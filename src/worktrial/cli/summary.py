"""A stored run in one screen of the terminal."""

import shlex
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from worktrial.cli.fault_tables import conditions_table, funnel_table, robustness_line
from worktrial.engine.record import CLEAN, Key, RoleUsage
from worktrial.engine.stored import StoredRun
from worktrial.language.untrusted import printable
from worktrial.options import Options
from worktrial.places import shown_place
from worktrial.results.duties import DutyCounts
from worktrial.results.figure import GROUPED_BY, RunFigures
from worktrial.results.spending import unseen
from worktrial.results.summary import RunTally, Summary
from worktrial.statistics import Agreement, Figure
from worktrial.suite import suite_of
from worktrial.terminal import SafeConsole, rate_cells, shows_line, table_of
from worktrial.workplaces import ContextUse
from worktrial.workplaces.watch import SimulatorHealth


def print_summary(tally: RunTally, console: SafeConsole | None = None, *, beside: Options | None = None) -> None:
    """Print one screen: who, how well, where, at what cost, what went wrong.

    On a narrow terminal figures are folded, never cut: half a number is a wrong number.
    """
    console = console or SafeConsole()
    run, summary = tally.run, tally.summary()
    console.print(_title(run), soft_wrap=True)
    console.print(_rates(summary.figures))
    if repeats := _repeats_line(summary.figures):
        console.print(repeats, soft_wrap=True)
    for part in _of_the_suite(run, beside):
        console.print(part, soft_wrap=isinstance(part, str | Text))
    figures = summary.figures
    if len(figures.conditions) > 1:
        console.print(conditions_table(figures))
    for found in figures.named("robustness"):
        console.print(robustness_line(found), soft_wrap=True)
    funnels = funnel_table(summary.faults)
    if funnels is not None:
        console.print(funnels)
    for tag in GROUPED_BY:
        if len(groups := figures.groups(tag)) > 1:
            console.print(_groups(tag, groups, figures))
    if summary.usage:
        console.print(_usage(summary.usage))
    for line in _notes(tally, summary):
        console.print(line, soft_wrap=True)
    console.print(next_line(run.folder, tally.example), soft_wrap=True)


def _of_the_suite(run: StoredRun, beside: Options | None) -> Iterable[RenderableType]:
    """Render tables that only this suite's runs have; none where the suite is not installed."""
    suite = suite_of(run.manifest)
    if suite is None:
        return [f"The suite {printable(run.manifest.suite)} is not installed here, so its own figures are missing."]
    return suite.tables(run, suite.beside() if beside is None else beside)


def _title(run: StoredRun) -> Text:
    who = [f"agent {run.manifest.settings.get('agent', '?')}"]
    who += [f"{role} {s['model']}" for role, s in run.manifest.roles.items() if role != "agent"]
    if (run.manifest.settings.get("faults") or {}).get("prompted"):
        # Only asked for: whether they happened, nobody knows.
        who.append("prompted faults")
    rest = printable(f" · {' · '.join(who)} · {shown_place(run.folder)}")
    return Text.assemble((printable(run.manifest.title), "bold"), rest)


def _rates(figures: RunFigures) -> Table:
    done = figures.get("completion")
    passed, invalid = done.hits or 0, figures.get("invalid").hits or 0
    title = f"{passed} passed · {done.n - passed - invalid} failed · {invalid} invalid"
    if figures.headline != CLEAN or len(figures.conditions) > 1:
        title = f"{figures.headline}: {title}"
    table = table_of(("completion rate", "", "95 % interval"), title=title)
    table.add_row("of all samples", *rate_cells(done))
    table.add_row("of valid samples", *rate_cells(figures.get("completion_of_valid")))
    return table


def _groups(tag: str, groups: Mapping[str, Figure], figures: RunFigures) -> Table:
    table = table_of([tag], ("passed", "invalid", "rate", "95 % interval"))
    for name, done in groups.items():
        invalid = figures.get("invalid", group=done.group).hits
        table.add_row(Text(printable(name)), f"{done.hits}/{done.n}", str(invalid), *rate_cells(done))
    return table


def _usage(usage: Mapping[str, RoleUsage]) -> Table:
    table = table_of(["role"], ("requests", "tokens in", "of them cached", "tokens out", "cost"))
    for role, u in usage.items():
        counts = (u.requests, u.input_tokens, u.cached_tokens, u.output_tokens)
        table.add_row(role, *(f"{n:,}" for n in counts), _dollars(u.cost))
    return table


def _notes(tally: RunTally, summary: Summary) -> list[str | Text]:
    calls, seconds = (summary.figures.get(name).value for name in ("calls", "seconds"))
    took = "time unknown" if seconds is None else f"{seconds:.1f} s"
    notes: list[str | Text] = [f"per sample: {calls or 0.0:.1f} tool calls, {took}"]
    notes.append(f"total cost: {_cost(summary, unseen(tally.run))}")
    if summary.stop_reasons:
        notes.append("work ended by: " + _listed(summary.stop_reasons))
    if summary.agreement is not None and summary.agreement.pairwise is not None:
        notes.append(_agreement(summary.agreement))
    if summary.simulation is not None:
        notes.append(_simulation(summary.simulation))
    if summary.duties is not None:
        notes += _duties(summary.duties)
    if summary.context is not None:
        notes.append(context_line(summary.context))
    if summary.invalid_reasons:
        notes.append(Text.assemble(("invalid: ", "yellow"), _listed(summary.invalid_reasons)))
    fewest, most = summary.tries
    if fewest != most and not summary.missing:
        notes.append(f"tasks were tried {fewest} to {most} times; each try counts in the rates")
    if (seen := tally.observed()) is not None:
        notes.append(shows_line(seen.tasks, seen.rate, repeats=seen.repeats, cluster_effect=seen.cluster_effect))
    if summary.missing:
        notes.append(Text.assemble(("unfinished:", "yellow"), f" {summary.missing} samples are still to come"))
    return notes


def _cost(summary: Summary, unseen: Mapping[str, str]) -> str:
    """Money that was paid, in words; a part that nobody knows is never told as $0."""
    own = "cost" in unseen or any(u.cost is None and not u.requests for u in summary.usage.values())
    if own and not summary.cost:
        return "unknown (the agent does not report its own)"
    if summary.cost is None:
        return "unknown (the price of a model is)"
    paid = _dollars(summary.cost)
    if summary.replayed:
        full = "an unknown sum" if summary.takes is None else _dollars(summary.takes)
        return f"{paid} paid; {summary.replayed}, without it {full}"
    return paid if summary.takes is not None else f"{paid}, and the agent's own, which it does not report"


def _duties(counts: DutyCounts) -> Iterator[str]:
    """Lines on violations of a policy, on budgets and on requests for a human."""
    if counts.policy is not None:
        line = f"policy {printable(counts.policy)} ({counts.mode}): "
        line += f"violations in {counts.broken_in:,} of {counts.samples:,} samples"
        if counts.rules:
            by_rule = ", ".join(f"{printable(rule)} {n:,}" for rule, n in counts.rules.items())
            line += f"; {by_rule}; {counts.refused:,} refused"
        yield line
    if counts.budgeted:
        yield f"within the budget: {counts.within:,} of {counts.budgeted:,} samples"
    if counts.human_requests is not None:
        yield f"requests for a human: {counts.human_requests:,}"


def context_line(use: ContextUse) -> str:
    """Line on results that were dropped from conversations, in words."""
    line = f"results of tools dropped to make room: {use.dropped:,} in {use.trims:,} trims"
    if use.notes:
        line += f"; {use.notes:,} notes written"
    return f"{line}; {use.overflows:,} requests refused for their length" if use.overflows else line


def _simulation(health: SimulatorHealth) -> Text:
    answers = (
        f"the simulator's answers: {health.observations:,}, {health.misshapen:,} of them misshapen, "
        f"{health.contradictions:,} in contradiction to the state or an earlier one"
    )
    return Text.assemble(answers, (f"\n{health.warning}" if health.warning else "", "yellow"))


def _agreement(votes: Agreement) -> str:
    kappa = "has no value (every vote is the same)" if votes.kappa is None else f"{votes.kappa:.2f}"
    return f"the judge's votes agree in {votes.pairwise:.1%} of pairs; Fleiss' kappa {kappa}"


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {n}" for name, n in counts.items())


def _dollars(cost: float | None) -> str:
    return "unknown" if cost is None else f"${cost:.4f}"


def next_line(run: Path, example: Key | None) -> Text:
    """Commands that tell more about a run: as a report, beside another run, and one of its samples."""
    folder = shlex.quote(shown_place(run))
    commands = [f"worktrial report {folder}", f"worktrial compare {folder} OTHER"]
    if example is not None:
        name, number, under = example
        repeat = f" --repeat {number}" if number else ""
        condition = f" --condition {shlex.quote(under)}" if under != CLEAN else ""
        commands.append(f"worktrial trajectory {folder} {shlex.quote(name)}{repeat}{condition}")
    return Text.assemble(("more: ", "dim"), printable(" · ".join(commands)))


def _repeats_line(figures: RunFigures) -> str:
    """Whether tasks pass every time, or at least once, in words; "" without repeats."""
    every, once = (figures.named(name, figures.headline) for name in ("pass^", "pass@"))
    if not every:
        return ""
    k, tasks = every[0].name.removeprefix("pass^"), "1 task" if every[0].n == 1 else f"{every[0].n} tasks"
    always, once_only = ("{} (95 % interval {})".format(*rate_cells(of[0])) for of in (every, once))
    line = f"of {k} tries all pass (pass^{k}): {always}; at least one passes (pass@{k}): {once_only}; over {tasks}"
    return f"{line}, {every[0].note}" if every[0].note else line
