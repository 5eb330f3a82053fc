"""Programs that go with Worktrial, each met in an environment of its own (`make test-interop`).

Some read what we export: their script in `tests/interop/readers` knows nothing of us. The others meet us, in tests
that run in their environment beside a wheel of this checkout, or in ours with theirs at hand. Requirements are
locked in `requirements/interop/NAME.txt`; environments are made in `.interop/NAME` by Python 3.12 or later, which
some of the programs need: the one that `$PYTHON312` names, or the first that works. Agents that are programs come
from npm, in the versions of `requirements/interop/programs.json`. What came of it is a row of
`docs/reference/neighbours.md`; a program that cannot be had here is passed over, and keeps its row.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType

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
    preset: str | None = None
    """Name after `cli:` of an agent that is a program."""


class NotHere(Exception):
    """A program cannot be had on this machine."""


class NotMet(Exception):
    """A program was there, and the meeting went wrong."""


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
    "phoenix": Neighbour(
        "arize-phoenix",
        meeting=Meeting(
            "is sent a run's spans, and gives them back with their kinds",
            "tests/interop/test_phoenix.py",
            inside=False,
        ),
    ),
    "claude": Neighbour("@anthropic-ai/claude-code", preset="claude"),
    "codex": Neighbour("@openai/codex", preset="codex"),
    "gemini": Neighbour("@google/gemini-cli", preset="gemini"),
    "opencode": Neighbour("opencode-ai", preset="opencode"),
    "qwen": Neighbour("@qwen-code/qwen-code", preset="qwen"),
}
PROGRAMS = ROOT / "requirements" / "interop" / "programs.json"
"""Versions of agents that are programs, in the form of npm's package.json."""
_DOES = (
    "solves, under E2 too, and fails tasks as in process, side by side; overload, cut stream, time limit, no key, "
    "resume"
)


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
    came: dict[str, tuple[str, str]] = {}
    with tempfile.TemporaryDirectory() as place:
        for name in names:
            try:
                met = rows[name] = _meet(name, Path(place))
                came[name] = "met", f"{NEIGHBOURS[name].package} {met.version}: {met.said}"
            except NotHere as e:
                came[name] = "passed over", str(e)
            except (NotMet, subprocess.CalledProcessError) as e:
                print(e, flush=True)
                came[name] = "FAILED", str(e).splitlines()[0]
            print(f"{name}: {came[name][0]}", flush=True)
            # Row by row: a long run that is broken off keeps what it has found.
            PAGE.write_text(page([rows[name] for name in NEIGHBOURS if name in rows]), "utf-8")
    print(f"-> {PAGE.relative_to(ROOT)}")
    wide = max(map(len, came))
    for name, (what, said) in came.items():
        print(f"{name:{wide}}  {what:11}  {said}")
    return int(any(what == "FAILED" for what, _ in came.values()))


def _meet(name: str, place: Path) -> Met:
    neighbour = NEIGHBOURS[name]
    if neighbour.preset is not None:
        return _meet_program(name, neighbour, place)
    python = _environment(name)
    version = _version(python, neighbour.package)
    said = []
    if neighbour.reader is not None:
        said.append(_read(name, neighbour.reader, python, place))
    if neighbour.meeting is not None:
        said.append(_tested(name, neighbour.meeting, python, place))
    return Met(name, version, *_size(python), "; ".join(said))


def _meet_program(name: str, neighbour: Neighbour, place: Path) -> Met:
    """Install an agent that is a program, and have it work against a scripted model."""
    if shutil.which("npm") is None:
        raise NotHere("needs Node and npm, which are not here")
    version = json.loads(PROGRAMS.read_text("utf-8"))["dependencies"][neighbour.package]
    folder = ROOT / ".interop" / name
    modules = folder / "node_modules"
    theirs = modules / neighbour.package / "package.json"
    if not theirs.exists() or json.loads(theirs.read_text("utf-8"))["version"] != version:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        wanted = {"private": True, "dependencies": {neighbour.package: version}}
        (folder / "package.json").write_text(json.dumps(wanted))
        quiet = ("--no-audit", "--no-fund", "--no-package-lock", "--loglevel", "error")
        # Its own script alone is run, which puts the program that came along in its place.
        for words in (("install", "--ignore-scripts"), ("rebuild", neighbour.package)):
            ran = subprocess.run(["npm", *words, *quiet], check=False, capture_output=True, text=True, cwd=folder)
            if ran.returncode:
                raise NotHere(f"npm {words[0]} {neighbour.package}@{version}: {ran.stderr.strip()[-300:]}")
    path = f"{modules / '.bin'}{os.pathsep}{os.environ['PATH']}"
    given = {"WORKTRIAL_INTEROP_PROGRAM": str(neighbour.preset), "PATH": path}
    meeting = Meeting(_DOES, "tests/interop/programs/test_real_programs.py", inside=False)
    said = _tested(name, meeting, Path(sys.executable), place, given)
    files = [one for one in modules.rglob("*") if one.is_file() and not one.is_symlink()]
    packages = [one for one in modules.rglob("package.json") if one.parent.parent.name == "node_modules"]
    scoped = [one for one in modules.rglob("package.json") if one.parent.parent.parent.name == "node_modules"]
    scoped = [one for one in scoped if one.parent.parent.name.startswith("@")]
    return Met(
        name,
        version,
        round(sum(one.stat().st_size for one in files) / 1e6),
        len(packages) + len(scoped),
        said,
    )


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
        raise NotMet(f"{name}: what was exported is refused\n{ran.stdout}{ran.stderr}")
    return ran.stdout.strip().splitlines()[-1]


def _make_runs(folder: Path) -> None:
    """Make runs of every kind: real ones under faults, one with every oddity, one of hostile text."""
    odd_run(folder / "odd")
    make_run(folder / "hostile", tasks=8, hostile=True, seed=2, conditions=("E0", "E2"), invalid=0.3, repeats=2)
    _worktrial("run", "starter", "--agent", "plan", "--faults", "all", "-o", str(folder / "starter"))


def _worktrial(*words: str) -> None:
    ran = subprocess.run([sys.executable, "-m", "worktrial", *words], check=False, capture_output=True, text=True)
    if ran.returncode:
        raise NotMet(f"worktrial {' '.join(words)}\n{ran.stderr}")


def _tested(
    name: str, meeting: Meeting, python: Path, place: Path, given: Mapping[str, str] = MappingProxyType({})
) -> str:
    """Run the tests of a meeting. A test that is skipped has met nobody, and is a failure here."""
    environment = _quiet() | {THEIRS: str(python), **given}
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
        raise NotMet(f"{name}: {meeting.tests}\n{ran.stdout}{ran.stderr}")
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
    return environment(name, wanted, _python312())


@cache
def _python312() -> str:
    """A Python from 3.12 on that works: a shim of pyenv's may be there, and start nothing."""
    asked = os.environ.get("PYTHON312")
    names = [asked] if asked else ["python3.12", "python3.13", "python3.14", sys.executable]
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    found = [] if asked else sorted(map(str, pyenv.glob("3.1[2-9].*/bin/python")))
    code = "import sys; print(sys.version_info >= (3, 12))"
    for one in (*names, *found):
        try:
            ran = subprocess.run([one, "-I", "-c", code], check=False, capture_output=True, text=True)
        except OSError:
            continue
        if ran.returncode == 0 and ran.stdout.strip() == "True":
            return one
    raise NotHere(f"no Python from 3.12 on that works ({', '.join(names)}); name one: PYTHON312=…")


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

The last five are agents that people hire, started as they are installed, by `--agent cli:NAME`
([how-to](../how-to/programs.md)), against a scripted model on their own wires; their versions are in
`requirements/interop/programs.json`. Locked requirements of all others are in `requirements/interop/`; those of
Worktrial and of its tests are among them where the column says so. Readers of exports are given a run of the
starter suite under all faults, one with every oddity that work can have and one full of hostile text, in
[their formats](../how-to/exchange.md); `harbor` reads tasks, of which only the first has some. Worktrial needs none
of them to write its exports.

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
