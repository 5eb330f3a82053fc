"""Exports checked by the programs they are for, each in an environment of its own (`make test-interop`).

Every reader has locked requirements in `requirements/interop/NAME.txt` and a script in `tests/interop/readers` that
knows nothing of us. Environments are made in `.interop/NAME` by the Python that `$PYTHON312` names (`python3.12`),
which some of the readers need. Without names all are run, and `docs/reference/readers.md` is written anew.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from tests.support.made_runs import make_run
from tests.support.odd_work import odd_run

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "reference" / "readers.md"
UV = Path(sys.executable).with_name("uv")


@dataclass(frozen=True)
class Reader:
    form: str
    """Format of the export."""
    package: str
    """Package that reads it."""
    script: str
    words: tuple[str, ...] = ()
    """Further words of `worktrial export`."""


READERS = {
    "atif": Reader("atif", "atif", "atif.py"),
    "inspect": Reader("inspect", "inspect-ai", "inspect_log.py"),
    "eee": Reader("eee", "every-eval-ever", "eee.py", ("--model-id", "org/model")),
}


@dataclass(frozen=True)
class Read:
    name: str
    version: str
    packages: int
    megabytes: int
    said: str


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"readers: {', '.join(READERS)}")
    names = parser.parse_args().names
    if unknown := [name for name in names if name not in READERS]:
        parser.error(f"no reader {unknown[0]}; there is {', '.join(READERS)}")
    with tempfile.TemporaryDirectory() as place:
        runs = _runs(Path(place) / "runs")
        done = [_check(name, runs, Path(place) / name) for name in names or READERS]
    for one in done:
        print(f"{one.name}: {one.said} ({READERS[one.name].package} {one.version})")
    if not names:
        PAGE.write_text(page(done), "utf-8")
        print(f"-> {PAGE.relative_to(ROOT)}")
    return 0


def _runs(folder: Path) -> Path:
    """Runs of every kind: real ones under faults, one with every oddity, one of hostile text."""
    odd_run(folder / "odd")
    make_run(folder / "hostile", tasks=8, hostile=True, seed=2, conditions=("E0", "E2"), invalid=0.3, repeats=2)
    _worktrial("run", "starter", "--agent", "plan", "--faults", "all", "-o", str(folder / "starter"))
    return folder


def _worktrial(*words: str) -> None:
    ran = subprocess.run([sys.executable, "-m", "worktrial", *words], check=False, capture_output=True, text=True)
    if ran.returncode:
        sys.exit(f"worktrial {' '.join(words)}\n{ran.stderr}")


def _check(name: str, runs: Path, out: Path) -> Read:
    reader = READERS[name]
    python = _environment(name)
    for run in sorted(runs.iterdir()):
        _worktrial("export", str(run), "--format", reader.form, *reader.words, "-o", str(out / run.name))
    script = ROOT / "tests" / "interop" / "readers" / reader.script
    ran = subprocess.run([python, "-I", script, out], check=False, capture_output=True, text=True, env=_quiet())
    if ran.returncode:
        sys.exit(f"{name}: {reader.package} refuses what was exported\n{ran.stdout}{ran.stderr}")
    packages, megabytes = _size(python)
    return Read(name, _version(python, reader.package), packages, megabytes, ran.stdout.strip().splitlines()[-1])


def _quiet() -> dict[str, str]:
    """Environment of a reader: nothing of ours, and nothing that phones home."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "TMPDIR") if name in os.environ}
    return {**kept, "HF_HUB_OFFLINE": "1", "NO_COLOR": "1"}


def _environment(name: str) -> Path:
    """Python of the reader's environment, made where it is not there or its requirements have changed."""
    folder = ROOT / ".interop" / name
    wanted = ROOT / "requirements" / "interop" / f"{name}.txt"
    stamp = folder / ".requirements"
    python = folder / "bin" / "python"
    if not stamp.exists() or stamp.read_bytes() != wanted.read_bytes():
        shutil.rmtree(folder, ignore_errors=True)
        base = os.environ.get("PYTHON312", "python3.12")
        subprocess.run([UV, "venv", "--quiet", "--python", base, folder], check=True)
        subprocess.run([UV, "pip", "sync", "--quiet", "--python", python, "--require-hashes", wanted], check=True)
        shutil.copyfile(wanted, stamp)
    return python


def _version(python: Path, package: str) -> str:
    code = f"from importlib.metadata import version; print(version({package!r}))"
    return subprocess.run([python, "-I", "-c", code], check=True, capture_output=True, text=True).stdout.strip()


def _size(python: Path) -> tuple[int, int]:
    """Number of packages, and megabytes of all."""
    [site] = (python.parents[1] / "lib").glob("python*/site-packages")
    held = sum(path.stat().st_size for path in site.rglob("*") if path.is_file() and not path.is_symlink())
    return len([*site.glob("*.dist-info")]), round(held / 1e6)


def page(done: list[Read]) -> str:
    """The page of the documentation."""
    rows = "\n".join(
        f"| `{n.name}` | {READERS[n.name].package} {n.version} | {n.megabytes} | {n.packages} | {n.said} |"
        for n in done
    )
    return f"""# Readers of exports

Made by `make test-interop`: a run of the starter suite under all faults, one with every oddity that work can have
and one full of hostile text are [exported](../how-to/exchange.md), and read by the program that each format is for,
in an environment of its own with nothing of Worktrial in it.

| format | read by | MB | packages | what |
|---|---|---:|---:|---|
{rows}

Locked requirements of each are in `requirements/interop/`. The readers do not go together in one environment: they
want other versions of the same libraries, and installers then take old versions of them without a word. Worktrial
needs none of them to write its exports. Results for the hub are read by `huggingface_hub` in our own tests.
"""


if __name__ == "__main__":
    sys.exit(main())
