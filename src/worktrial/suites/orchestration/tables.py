"""Tables of an orchestration run for the terminal."""

from collections.abc import Iterator, Mapping, Sequence

from rich.markup import escape
from rich.table import Table
from rich.text import Text

from worktrial.engine.stored import StoredRun
from worktrial.language.untrusted import printable
from worktrial.suites.orchestration.figures import (
    FAILURES,
    FREE_METRICS,
    METRICS,
    CascadeGap,
    Estimate,
    FreeFigures,
    JudgeAgreement,
    LanguageFigures,
    cascade_gaps,
    differences,
    free_figures,
    judge_agreement,
    language_figures,
)
from worktrial.suites.orchestration.figures.stored import StoredFigures
from worktrial.suites.orchestration.published_figures import published_orchestration
from worktrial.terminal import share_cell

TITLES = {
    "average": "Average",
    "plan": "Plan",
    "call_refuse": "Call/refuse",
    "function_call": "Function call",
}


_FREE_TITLES = {
    "completed": "Scenarios completed",
    "goals": "Goals reached",
    "calls": "Recorded calls made",
    "plan": "Plan",
}


def figure_tables(
    run: StoredRun, *, compare_published: bool = False, turns: StoredRun | None = None
) -> Iterator[Table | str]:
    """The figures of every language in both scoring modes; of a free-running run, what it reached.

    Args:
        run: The run.
        compare_published: Whether the published figures are shown beside it.
        turns: A turn-by-turn run of the same team, for the cascade gap of a free-running one.
    """
    for figures in language_figures(run.records):
        yield _figure_table(figures, compare_published=compare_published and figures.mode == "published")
        yield from _remarks(figures)

    free = free_figures(run.records)
    if free:
        yield _free_table(free)
        yield from (_failures(figures) for figures in free)
    models = run.manifest.settings.get("roles", {})
    yield from (_agreement(judges, models) for judges in judge_agreement(run.records))
    if turns is not None:
        yield _gap_table(cascade_gaps(run, turns), turns)
        if other := differences(run, turns):
            said = escape(printable(", ".join(other)))
            yield f"[yellow]the two runs differ in more than the mode[/yellow]: {said}"


def _free_table(found: Sequence[FreeFigures]) -> Table:
    table = Table(title="free running", title_justify="left")
    table.add_column("", overflow="fold")
    for metric in FREE_METRICS:
        table.add_column(_FREE_TITLES[metric], justify="right", overflow="fold")
    for figures in found:
        name = f"{figures.language} · {figures.condition} · {counted(figures.scenarios)}"
        table.add_row(Text(printable(name)), *(share_cell(figures.figures[m]) for m in FREE_METRICS))
    return table


def _failures(figures: FreeFigures) -> str:
    kinds = ", ".join(f"{kind} {figures.first_failures[kind]}" for kind in FAILURES)
    stuck = f"; {figures.stuck} workflows could never start" if figures.stuck else ""
    condition = escape(printable(figures.condition))
    return f"{figures.language} · {condition}: first point of failure: {kinds}{stuck}"


def _gap_table(gaps: Sequence[CascadeGap], turns: StoredRun) -> Table:
    table = Table(title=Text(printable(f"cascade gap: {turns.folder} minus this run")), title_justify="left")
    table.add_column("", overflow="fold")
    for metric in FREE_METRICS:
        table.add_column(_FREE_TITLES[metric], justify="right", overflow="fold")
    for gap in gaps:
        name = f"{gap.language} · {counted(gap.scenarios)}"
        table.add_row(name, *(share_cell(gap.gap[metric]) for metric in FREE_METRICS))
    return table


def _figure_table(figures: LanguageFigures, *, compare_published: bool) -> Table:
    repeats = f" × {figures.repeats} repeats (means)" if figures.repeats > 1 else ""
    title = f"{figures.language} · {figures.mode} scoring · {counted(figures.scenarios)}{repeats}"
    table = Table(title=Text(title), title_justify="left")
    table.add_column("", overflow="fold")
    for metric in METRICS:
        table.add_column(TITLES[metric], justify="right", overflow="fold")
    table.add_row("this run", *_cells(figures.figures), style="bold")
    if figures.macro is not None:
        table.add_row("… every scenario alike", *_cells(figures.macro))
    table.add_section()
    for floor in figures.floors:
        table.add_row(f"floor: {floor.name.replace('_', ' ')}", *_cells(floor.figures), style="dim")
    if compare_published:
        table.add_section()
        for row in published_orchestration(figures.language).rows:
            cells = [f"{row.figures[metric]:.1%}" for metric in METRICS]
            table.add_row(Text(f"published: {printable(row.model)}"), *cells, style="italic")
    return table


def counted(count: int) -> str:
    """`1 scenario`, `2 scenarios`."""
    return f"{count} scenario" if count == 1 else f"{count} scenarios"


def _remarks(figures: LanguageFigures) -> Iterator[str]:
    if figures.troubled:
        yield (
            f"[yellow]{figures.troubled} of {figures.requests} requests have no answer[/yellow]; they weigh one "
            "with score 0, so the figures are lower bounds. The same command runs them again."
        )


def _agreement(found: JudgeAgreement, models: Mapping[str, Mapping[str, str]]) -> str:
    """Who judged how many values, and how far they agree."""
    names = {seat: f"{seat} ({models[seat]['model']})" if seat in models else seat for seat in found.judges}
    count = f"{found.values} value{'s' if found.values > 1 else ''}"
    said = f"{found.language}: {count} judged by {', '.join(names.values())}: the same in {found.same:.1%}"
    if found.without_vote:
        said += f"; {found.without_vote} votes missing"
    if found.fleiss.pairwise is not None:
        said += f"; two votes agree in {found.fleiss.pairwise:.1%}; Fleiss' kappa {_kappa(found.fleiss.kappa)}"
        said += f"; Cohen's kappa {_kappa(found.cohen.mean)}"
        if len(found.pairs) > 1:
            said += f" (mean of {', '.join(f'{a}/{b} {_kappa(k)}' for a, b, k in found.pairs)})"
    return escape(printable(said))


def _kappa(kappa: float | None) -> str:
    return "without value (every vote is the same)" if kappa is None else f"{kappa:.2f}"


def _cells(figures: Mapping[str, Estimate]) -> list[str]:
    return [share_cell(figures[metric]) for metric in METRICS]


def stored_table(figures: StoredFigures, *, title: str) -> Table:
    """The figures of a stored run of the published program, in both modes."""
    table = Table(title=Text(title), title_justify="left")
    table.add_column("scoring", overflow="fold")
    for metric in METRICS:
        table.add_column(TITLES[metric], justify="right", overflow="fold")
    for mode, estimates in figures.figures.items():
        table.add_row(mode.value, *_cells(estimates))
    return table
