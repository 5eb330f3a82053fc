"""Programs that go with Worktrial, each met in an environment of its own (`make test-interop`).

Some read what we export: their script in `tests/interop/readers` knows nothing of us. The others meet us, in tests
that run in their environment beside a wheel of this checkout, or in ours with theirs at hand. Requirements are
locked in `requirements/interop/NAME.txt`; environments are made in `.interop/NAME` by the Python that `$PYTHON312`
names (`python3.12`), which some of the programs need. What came of it is a row of `docs/reference/neighbours.md`.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

from scripts.environments import ROOT, environment
from tests.support.made_runs import make_run
from tests.support.odd_work import odd_run

PAGE = ROOT / "docs" / "reference" / "neighbours.md"
THEIRS = "WORKTRIAL_INTEROP_PYTHON"
"""Environment variable that names the Python of a neighbour's environment, for tests that run in ours."""


@dataclass(frozen=True)
class Reader:
    """A program that reads exports."""

    form: str
    """Format of the export."""
    script: str
    words: tuple[str, ...] = ()
    """Further words of `worktrial export`."""
    runs: tuple[str, ...] = ("hostile", "odd", "starter")
    """Runs that have such a form."""


@dataclass(frozen=True)
class Meeting:
    """Tests of a program and us together."""

    about: str
    tests: str
    """Files of the tests."""
    inside: bool = True
    """Whether they run in the program's environment, beside a wheel of ours; else in ours, which starts theirs."""


@dataclass(frozen=True)
class Neighbour:
    package: str
    reader: Reader | None = None
    meeting: Meeting | None = None


_OVER_MCP = Meeting(
    "its MCP client does our work and hands it in", "tests/interop/test_frameworks.py", inside=False
)

NEIGHBOURS = {
    "atif": Neighbour("atif", Reader("atif", "atif.py")),
    "inspect": Neighbour(
        "inspect-ai",
        Reader("inspect", "inspect_log.py"),
        Meeting("its loop and ours come to the same verdicts", "tests/interop/test_inspect_tasks.py"),
    ),
    "eee": Neighbour("every-eval-ever", Reader("eee", "eee.py", ("--model-id", "org/model"))),
    "harbor": Neighbour("harbor", Reader("harbor", "harbor.py", runs=("starter",))),
    "openenv": Neighbour(
        "openenv",
        meeting=Meeting("its client resets, steps and is told our reward", "tests/interop/test_openenv.py"),
    ),
    "verifiers": Neighbour(
        "verifiers",
        meeting=Meeting("its runner takes our taskset and reports our reward", "tests/interop/test_verifiers.py"),
    ),
    "ray": Neighbour(
        "ray",
        meeting=Meeting(
            "its workers do a run in shards, and one is killed",
            "tests/interop/test_ray.py tests/scale/test_ways.py",
        ),
    ),
    "openai-agents": Neighbour("openai-agents", meeting=_OVER_MCP),
    "langgraph": Neighbour("langgraph", meeting=_OVER_MCP),
}


@dataclass(frozen=True)
class Met:
    name: str
    version: str
    megabytes: int
    packages: int
    said: str


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"programs: {', '.join(NEIGHBOURS)}; all by default"
    )
    names = parser.parse_args().names or [*NEIGHBOURS]
    if unknown := [name for name in names if name not in NEIGHBOURS]:
        parser.error(f"no program {unknown[0]}; there is {', '.join(NEIGHBOURS)}")
    rows = rows_of(PAGE.read_text("utf-8")) if PAGE.exists() else {}
    with tempfile.TemporaryDirectory() as place:
        for name in names:
            met = rows[name] = _meet(name, Path(place))
            print(f"{name}: {met.said} ({NEIGHBOURS[name].package} {met.version})", flush=True)
    PAGE.write_text(page([rows[name] for name in NEIGHBOURS if name in rows]), "utf-8")
    print(f"-> {PAGE.relative_to(ROOT)}")
    return 0


def _meet(name: str, place: Path) -> Met:
    neighbour = NEIGHBOURS[name]
    python = _environment(name)
    version = _version(python, neighbour.package)
    said = []
    if neighbour.reader is not None:
        said.append(_read(name, neighbour.reader, python, place))
    if neighbour.meeting is not None:
        said.append(_tested(name, neighbour.meeting, python, place))
    return Met(name, version, *_size(python), "; ".join(said))


def _read(name: str, reader: Reader, python: Path, place: Path) -> str:
    runs = place / "runs"
    if not runs.exists():
        _make_runs(runs)
    out = place / name
    for run in reader.runs:
        _worktrial("export", str(runs / run), "--format", reader.form, *reader.words, "-o", str(out / run))
    script = ROOT / "tests" / "interop" / "readers" / reader.script
    ran = subprocess.run([python, "-I", script, out], check=False, capture_output=True, text=True, env=_quiet())
    if ran.returncode:
        sys.exit(f"{name}: what was exported is refused\n{ran.stdout}{ran.stderr}")
    return ran.stdout.strip().splitlines()[-1]


def _make_runs(folder: Path) -> None:
    """Make runs of every kind: real ones under faults, one with every oddity, one of hostile text."""
    odd_run(folder / "odd")
    make_run(folder / "hostile", tasks=8, hostile=True, seed=2, conditions=("E0", "E2"), invalid=0.3, repeats=2)
    _worktrial("run", "starter", "--agent", "plan", "--faults", "all", "-o", str(folder / "starter"))


def _worktrial(*words: str) -> None:
    ran = subprocess.run([sys.executable, "-m", "worktrial", *words], check=False, capture_output=True, text=True)
    if ran.returncode:
        sys.exit(f"worktrial {' '.join(words)}\n{ran.stderr}")


def _tested(name: str, meeting: Meeting, python: Path, place: Path) -> str:
    """Run the tests of a meeting. A test that is skipped has met nobody, and is a failure here."""
    environment = _quiet() | {THEIRS: str(python)}
    if meeting.inside:
        environment["PYTHONPATH"] = str(_unpacked(place))
    # Warnings of others' libraries are theirs.
    config = ("addopts=", "filterwarnings=default")
    words = [
        "-m",
        "pytest",
        *meeting.tests.split(),
        "--noconftest",
        "--import-mode=importlib",
        "-rs",
        "-pno:cacheprovider",
    ]
    ran = subprocess.run(
        [python if meeting.inside else sys.executable, *words, *(f"--override-ini={one}" for one in config)],
        check=False,
        capture_output=True,
        text=True,
        env=environment,
        cwd=ROOT,
    )
    passed = re.search(r"\b(\d+) passed", ran.stdout)
    if ran.returncode or passed is None or "skipped" in ran.stdout:
        sys.exit(f"{name}: {meeting.tests}\n{ran.stdout}{ran.stderr}")
    return f"{meeting.about} ({passed[1]} tests)"


def _unpacked(place: Path) -> Path:
    """This checkout as a wheel that lies open, so that it can be met without being installed."""
    # Inspect takes for installed only what lies in a folder of that name.
    folder = place / "site-packages"
    if not folder.exists():
        words = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(place / "wheel")]
        subprocess.run(words, check=True, capture_output=True, cwd=ROOT)
        [wheel] = (place / "wheel").iterdir()
        with zipfile.ZipFile(wheel) as packed:
            packed.extractall(folder)
    return folder


def _quiet() -> dict[str, str]:
    """Environment of a program: nothing of ours, and nothing that phones home."""
    kept = ("PATH", "HOME", "LANG", "TMPDIR", "UV_DEFAULT_INDEX", "SSL_CERT_FILE")
    return {
        **{name: os.environ[name] for name in kept if name in os.environ},
        "HF_HUB_OFFLINE": "1",
        "NO_COLOR": "1",
        "COLUMNS": "200",
    }


def _environment(name: str) -> Path:
    wanted = ROOT / "requirements" / "interop" / f"{name}.txt"
    return environment(name, wanted, os.environ.get("PYTHON312", "python3.12"))


def _version(python: Path, package: str) -> str:
    code = f"from importlib.metadata import version; print(version({package!r}))"
    return subprocess.run([python, "-I", "-c", code], check=True, capture_output=True, text=True).stdout.strip()


def _size(python: Path) -> tuple[int, int]:
    """Megabytes of all packages, and their number."""
    [site] = (python.parents[1] / "lib").glob("python*/site-packages")
    files = (path for path in site.rglob("*") if path.suffix != ".pyc" and not path.is_symlink() and path.is_file())
    return round(sum(path.stat().st_size for path in files) / 1e6), len([*site.glob("*.dist-info")])


def rows_of(text: str) -> dict[str, Met]:
    """Rows of the page by name."""
    rows = {}
    for line in text.splitlines():
        if line.startswith("| `"):
            name, program, size, packages, _, said = (cell.strip(" `") for cell in line.strip("|").split(" | "))
            rows[name] = Met(name, program.split()[-1], int(size), int(packages), said)
    return rows


def page(met: list[Met]) -> str:
    """The page of the documentation."""
    rows = "\n".join(
        f"| `{m.name}` | {NEIGHBOURS[m.name].package} {m.version} | {m.megabytes} | {m.packages} "
        f"| {'yes' if needs_ours(NEIGHBOURS[m.name]) else 'no'} | {m.said} |"
        for m in met
    )
    return f"""# Programs beside Worktrial

Made by `make test-interop`, which meets each of these programs in an environment of its own.

| name | program | MB | packages | ours within | what |
|---|---|---:|---:|---|---|
{rows}

Locked requirements of each are in `requirements/interop/`; those of Worktrial and of its tests are among them where
the column says so. Readers of exports are given a run of the starter suite under all faults, one with every oddity
that work can have and one full of hostile text, in [their formats](../how-to/exchange.md); `harbor` reads tasks, of
which only the first has some. Worktrial needs none of them to write its exports; results for the hub are read by
`huggingface_hub` in our own tests.

The programs do not go together in one environment: they want other versions of the same libraries, and installers
then take old versions of them without a word. So every extra that brings one has a floor, and these are not to be
installed together:

- `openenv` and `serve`: OpenEnv wants an MCP SDK before 2.
- `verifiers` and `serve`, or `inspect`: verifiers wants MCP SDK 2.0.0 and an OpenAI SDK before 3. Beside Inspect,
  installers take an earlier verifiers in its place (`uv` 0.3.1).
"""


def needs_ours(neighbour: Neighbour) -> bool:
    """Whether Worktrial runs in the program's environment, with its requirements among those that are locked."""
    return neighbour.meeting is not None and neighbour.meeting.inside


if __name__ == "__main__":
    sys.exit(main())
