"""One report with runs of every suite in it, made through the command line: made up, hostile, and really run."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.support.cli import worktrial
from tests.support.made_runs import make_run

ALL = ("E0", "E1", "E2", "E3")

_REALLY_RUN = {
    "gold": ("orchestration", "--agent", "gold"),
    "reference": ("documents", "--agent", "reference"),
    "plan": ("starter", "--agent", "plan", "--faults", "E0,E2", "--tasks", "1-8"),
}


@dataclass(frozen=True, slots=True)
class MadeSite:
    """A report on disk, and what it is about."""

    folder: Path
    runs: dict[str, Path]
    """Slug in the report to the run's folder."""


def made_site(into: Path) -> None:
    """Make runs of all kinds, and their report; see `found_site`.

    `brook` and `heron` worked on the same 40 tasks under all conditions, `wren` on the same without faults and
    three times, at another effort; `hostile` attacks wherever a model or data set could; `gold`, `reference` and
    `plan` are real runs of the other suites.
    """
    at = into / "runs"
    runs = {
        "brook": make_run(
            at / "brook", agent="brook", tasks=40, conditions=ALL, skill=0.9, cost=0.05, invalid=0.05
        ),
        "heron": make_run(at / "heron", agent="heron", tasks=40, conditions=ALL, skill=0.4, effort="low"),
        "wren": make_run(at / "wren", agent="heron", tasks=40, repeats=3, skill=0.4, cost=None, effort="high"),
        "hostile": make_run(at / "hostile", agent="mal", tasks=24, conditions=ALL, hostile=True, seed=3),
    }
    for name, words in _REALLY_RUN.items():
        ran = worktrial("run", *words, "-o", at / name)
        assert ran.code == 0, ran.err
        runs[name] = at / name
    report(into / "site", list(runs.values()))


def found_site(at: Path) -> MadeSite:
    """What `made_site` has made."""
    return MadeSite(at / "site", {run.name: run for run in (at / "runs").iterdir()})


def report(into: Path, runs: Sequence[Path], *words: str) -> Path:
    """`worktrial report` of the runs."""
    ran = worktrial("report", *runs, "-o", into, *words)
    assert ran.code == 0, ran.err
    assert "index.html" in ran.out
    return into
