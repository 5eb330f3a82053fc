"""Rankings of a report: which runs stand in one, and what to call them."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from worktrial.engine.stored import StoredRun
from worktrial.reports.report import Report, ReportRun
from worktrial.results.boards import groups
from worktrial.results.conclusion import Named, TrialConclusion, conclude_on
from worktrial.results.conditions import by_condition, headline
from worktrial.suite import Suite, suite_of

# What makes it another trial, where two groups are of one suite.
_TOLD = (
    "setup",
    "scorer",
    "tolerance",
    "mode",
    "gold",
    "cards",
    "with_plan",
    "memory",
    "simulator_prompt",
    "simulator_version",
    "votes",
)


@dataclass(frozen=True)
class Board:
    """Runs that may be ranked with each other."""

    title: str
    runs: Sequence[ReportRun]
    condition: str
    """Condition that the ranking is about: E0 where it was tried. Conditions are never mixed."""

    def of(self, run: StoredRun) -> ReportRun:
        """The report's name for a run of this board."""
        return next(mine for mine in self.runs if mine.run is run)

    @cached_property
    def answer(self) -> TrialConclusion:
        """The conclusion about its runs; reckoned once."""
        return conclude_on([Named(run.name, run.run) for run in self.runs])

    @property
    def stored(self) -> list[StoredRun]:
        """The runs as they were read."""
        return [mine.run for mine in self.runs]


def distinct(report: Report) -> list[ReportRun]:
    """The report's runs under names that are theirs alone, so that charts do not mix them up."""
    counts = Counter(run.name for run in report.runs)
    return [run if counts[run.name] == 1 else replace(run, name=f"{run.name} [{run.slug}]") for run in report.runs]


def suites_of(report: Report) -> list[Suite]:
    """Installed suites of the runs in `report`, by name."""
    by_name = {run.run.manifest.suite: run.run.manifest for run in report.runs}
    found = [suite_of(manifest) for _, manifest in sorted(by_name.items())]
    return [suite for suite in found if suite is not None]


def boards(report: Report) -> list[Board]:
    """The rankings of a report, in the order of its runs."""
    named = {id(mine.run): mine for mine in distinct(report)}
    found = groups([mine.run for mine in named.values()])
    firsts = [group[0] for group in found]
    return [
        Board(
            _title(n, firsts),
            [named[id(run)] for run in group],
            headline(list(by_condition(record for run in group for record in run.records))),
        )
        for n, group in enumerate(found)
    ]


def _title(n: int, firsts: Sequence[StoredRun]) -> str:
    """The suite; with a number, and what makes it another trial, where there are several groups of it."""
    suite = firsts[n].manifest.title
    places = [place for place, run in enumerate(firsts) if run.manifest.title == suite]
    if len(places) == 1:
        return suite
    settings = firsts[n].manifest.settings
    others = [firsts[place].manifest.settings for place in places]
    told = [
        f"{name.replace('_', ' ')} {settings[name]}"
        for name in _TOLD
        if settings.get(name) is not None and any(other.get(name) != settings[name] for other in others)
    ]
    return " · ".join([f"{suite} ({places.index(n) + 1})", *told])
