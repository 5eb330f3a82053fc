"""Figures of a stored run of shifts: score, grades, timeliness, harm, and where points were lost."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from rich.table import Table

from worktrial.engine.record import SampleRecord
from worktrial.engine.stored import StoredRun
from worktrial.grading import Outcome
from worktrial.results.completion import share
from worktrial.results.conditions import by_condition, headline
from worktrial.results.figure import score_figure
from worktrial.statistics import Estimate, Figure
from worktrial.suites.shifts.cases import GRAVE, SCORE
from worktrial.suites.shifts.desk import LENGTHS
from worktrial.terminal import share_cell, table_of


@dataclass(frozen=True, slots=True)
class ShiftFigures:
    """Figures of some shifts under one condition."""

    shifts: int
    score: Figure
    """Points less harm as a share of those that could be had, -1 to 1."""
    floor: float | None
    """Mean score that the desks state for clerks that do no work; None where one states none."""
    on_time: Estimate | None
    """Share of the points for timeliness; None where no case had any."""
    harmed: Estimate
    """Share of shifts with a grave harm."""
    clean: Estimate
    """Share of shifts of the best grade."""
    calls: float
    """Tool calls of a shift, on average."""


def judged(run: StoredRun) -> list[SampleRecord]:
    """Samples with points, under the condition that the run's summary is about."""
    conditions = by_condition(run.records)
    return _with_points(conditions.get(headline(list(conditions)), []))


def _with_points(records: Sequence[SampleRecord]) -> list[SampleRecord]:
    return [record for record in records if record.outcome is not Outcome.INVALID and "cases" in record.measures]


def figures_of(records: Sequence[SampleRecord]) -> ShiftFigures | None:
    """Figures of `records`; None where there is none."""
    score = score_figure(records, SCORE)
    harmed = share(records, lambda record: any(harm["price"] >= GRAVE for harm in record.measures["harms"]))
    clean = share(records, lambda record: record.measures["grade"] == "clean")
    if harmed is None or clean is None:
        return None
    timely = [record for record in records if record.measures["on_time"] is not None]
    on_time = share(timely, lambda record: float(record.measures["on_time"]))
    floors = [record.measures["spam"] for record in records]
    floor = None if None in floors else fmean(floors)
    calls = fmean(record.calls for record in records)
    return ShiftFigures(len(records), score, floor, on_time, harmed, clean, calls)


def groups(records: Sequence[SampleRecord]) -> Iterator[tuple[str, str, list[SampleRecord]]]:
    """Tag, value and samples of each length and each desk, where there are several."""
    for tag, order in (("difficulty", LENGTHS), ("desk", ())):
        there = {str(record.tag(tag)) for record in records}
        names = [name for name in order if name in there] + sorted(there - {*order})
        if len(names) > 1:
            for name in names:
                yield tag, name, [record for record in records if record.tag(tag) == name]


def lost_points(records: Sequence[SampleRecord]) -> Counter[str]:
    """Points that were lost, by reason."""
    lost: Counter[str] = Counter()
    for record in records:
        for case in record.measures["cases"]:
            for part in case["parts"]:
                if part["lost"] is not None:
                    lost[part["lost"]] += part["points"] - part["earned"]
    return lost


def harms(records: Sequence[SampleRecord]) -> Counter[str]:
    """Harms by kind."""
    return Counter(harm["kind"] for record in records for harm in record.measures["harms"])


def run_figures(run: StoredRun) -> list[Figure]:
    """Timeliness, grades and grave harm of a run under each condition, of each desk and length the score, too."""
    rows: list[Figure] = []
    for condition, records in by_condition(run.records).items():
        own = _with_points(records)
        parts = [("", own), *((f"{tag}={name}", of) for tag, name, of in groups(own))]
        for group, figures in ((group, figures_of(of)) for group, of in parts):
            if figures is None:
                continue
            on_time = Figure.of("on_time", figures.on_time)
            graded = [Figure.of("clean", figures.clean), Figure.of("grave_harm", figures.harmed)]
            rows += [
                replace(figure, condition=condition, group=group)
                for figure in (figures.score, on_time, *graded)
                if figure.value is not None and (group or figure is not figures.score)
            ]
    return rows


def run_tables(run: StoredRun) -> Iterator[Table | str]:
    """Tables of a run for the terminal."""
    records = judged(run)
    whole = figures_of(records)
    if whole is None:
        return
    heads = ["score", "clean", "without work", "on time", "with grave harm", "calls a shift", "shifts"]
    table = table_of(["shifts of"], heads)
    for name, own in [("all", records), *((name, own) for _, name, own in groups(records))]:
        figures = figures_of(own)
        if figures is not None:
            on_time = "-" if figures.on_time is None else share_cell(figures.on_time)
            floor = "-" if figures.floor is None else f"{figures.floor:.1%}"
            cells = (
                share_cell(figures.score),
                share_cell(figures.clean),
                floor,
                on_time,
                share_cell(figures.harmed),
            )
            table.add_row(name, *cells, f"{figures.calls:.0f}", str(figures.shifts))
    yield table
    lost, done = lost_points(records), harms(records)
    if lost:
        total = lost.total()
        shares = ", ".join(f"{words(why)} {100 * points / total:.0f} %" for why, points in lost.most_common())
        yield f"lost points: {shares}"
    if done:
        yield "harms: " + ", ".join(f"{count} {words(kind)}" for kind, count in done.most_common())


def words(name: str) -> str:
    """Name of a reason or a harm as a reader writes it."""
    return name.replace("_", " ")
