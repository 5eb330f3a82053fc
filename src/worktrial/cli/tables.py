"""Tables of a stored run for the terminal."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table
from rich.text import Text

from worktrial.cli.fault_tables import conditions_table, funnel_table, robustness_line
from worktrial.cli.next_steps import next_line
from worktrial.cli.rate_cells import rate_cells, repeats_line
from worktrial.cli.untrusted import printable
from worktrial.engine.record import CLEAN, RoleUsage
from worktrial.engine.stored import StoredRun
from worktrial.results.summary import Group, Summary, summarise
from worktrial.statistics import Agreement


@dataclass(frozen=True, slots=True)
class Beside:
    """What a run is shown beside; only some suites have it."""

    published: bool = False
    """Figures that others published."""
    turns: StoredRun | None = None
    """A turn-by-turn run of the same team, beside a free-running one."""
    stages: tuple[StoredRun, ...] = ()
    """Runs of the same agent under other set-ups (documents)."""
    split: tuple[StoredRun, ...] = ()
    """Two runs that tell easy questions from hard ones (documents)."""
    closed: StoredRun | None = None
    """A closed-book run (documents)."""


def print_summary(run: StoredRun, console: Console | None = None, beside: Beside | None = None) -> None:
    """One screen: who, how well, where, at what cost, what went wrong.

    On a narrow terminal figures are folded, never cut: half a number is a wrong number.
    """
    console = console or Console(highlight=False, soft_wrap=False)
    summary = summarise(run)
    console.print(_title(run), soft_wrap=True)
    console.print(_rates(summary))
    if summary.repeats is not None:
        console.print(repeats_line(summary.repeats), soft_wrap=True)
    for part in _of_the_suite(run, beside or Beside()):
        console.print(part, soft_wrap=isinstance(part, str))
    if len(summary.conditions) > 1:
        console.print(conditions_table(summary.conditions))
    for setting, robustness in summary.robustness.items():
        console.print(robustness_line(setting, robustness), soft_wrap=True)
    funnels = funnel_table(summary.conditions)
    if funnels is not None:
        console.print(funnels)
    for tag, groups in summary.groups.items():
        if len(groups) > 1:
            console.print(_groups(tag, groups))
    if summary.usage:
        console.print(_usage(summary.usage))
    for line in _notes(summary):
        console.print(line, soft_wrap=True)
    console.print(next_line(run, summary), soft_wrap=True)


def _of_the_suite(run: StoredRun, beside: Beside) -> Iterable[Table | str]:
    """What only this suite's runs have to show."""
    if run.manifest.suite == "orchestration":
        # Imported here because other suites need none of it.
        from worktrial.suites.orchestration.terminal import figure_tables

        return figure_tables(run, compare_published=beside.published, turns=beside.turns)
    if run.manifest.suite == "documents":
        from worktrial.suites.documents.tables import document_tables

        return document_tables(run, stage_runs=beside.stages, split=beside.split, closed=beside.closed)
    return ()


def _title(run: StoredRun) -> Text:
    # A regraded run keeps the roles of its source apart from those that worked on it.
    roles = {**run.manifest.settings.get("carried_roles", {}), **run.manifest.settings.get("roles", {})}
    who = [f"agent {run.manifest.settings.get('agent', '?')}"]
    who += [f"{role} {s['model']}" for role, s in roles.items() if role != "agent"]
    if (run.manifest.settings.get("faults") or {}).get("prompted"):
        # Only asked for: whether they happened, nobody knows.
        who.append("prompted faults")
    rest = printable(f" · {' · '.join(who)} · {run.folder}")
    title = run.manifest.data.get("title")
    suite = run.manifest.suite if title is None else f"{title} ({run.manifest.suite})"
    return Text.assemble((printable(suite), "bold"), rest)


def _rates(summary: Summary) -> Table:
    rate = summary.overall
    title = f"{rate.passed} passed · {rate.failed} failed · {rate.invalid} invalid"
    if summary.headline != CLEAN or len(summary.conditions) > 1:
        title = f"{printable(summary.headline)}: {title}"
    table = Table(title=Text(title), title_justify="left")
    for column in ("completion rate", "", "95 % interval"):
        table.add_column(column, overflow="fold")
    table.add_row("of all samples", *rate_cells(rate.of_all))
    table.add_row("of valid samples", *rate_cells(rate.of_valid))
    return table


def _groups(tag: str, groups: list[Group]) -> Table:
    table = Table()
    table.add_column(tag, overflow="fold")
    for column in ("passed", "invalid", "rate"):
        table.add_column(column, justify="right", overflow="fold")
    table.add_column("95 % interval", overflow="fold")
    for group in groups:
        done = group.rate
        table.add_row(
            Text(printable(group.name)),
            f"{done.passed}/{done.of_all.n}",
            str(done.invalid),
            *rate_cells(done.of_all),
        )
    return table


def _usage(usage: Mapping[str, RoleUsage]) -> Table:
    table = Table()
    table.add_column("role")
    for column in ("requests", "tokens in", "of them cached", "tokens out", "cost"):
        table.add_column(column, justify="right", overflow="fold")
    for role, u in usage.items():
        counts = (u.requests, u.input_tokens, u.cached_tokens, u.output_tokens)
        table.add_row(role, *(f"{n:,}" for n in counts), _dollars(u.cost))
    return table


def _notes(summary: Summary) -> list[str]:
    notes = [f"per sample: {summary.calls:.1f} tool calls, {summary.seconds:.1f} s"]
    if summary.cost is not None:
        notes.append(f"total cost: {_dollars(summary.cost)}")
    if summary.stop_reasons:
        notes.append("work ended by: " + _listed(summary.stop_reasons))
    if summary.agreement is not None and summary.agreement.pairwise is not None:
        notes.append(_agreement(summary.agreement))
    if summary.invalid_reasons:
        notes.append("[yellow]invalid:[/yellow] " + _listed(summary.invalid_reasons))
    if summary.missing:
        notes.append(f"[yellow]unfinished:[/yellow] {summary.missing} samples are still to come")
    return notes


def _agreement(votes: Agreement) -> str:
    kappa = "has no value (every vote is the same)" if votes.kappa is None else f"{votes.kappa:.2f}"
    return f"the judge's votes agree in {votes.pairwise:.1%} of pairs; Fleiss' kappa {kappa}"


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {n}" for name, n in counts.items())


def _dollars(cost: float | None) -> str:
    return "unknown" if cost is None else f"${cost:.4f}"
