"""A stored run in one screen of the terminal."""

import shlex
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from rich.console import RenderableType
from rich.text import Text

from worktrial.cli.tables import show_table
from worktrial.engine.notices import say
from worktrial.engine.record import CLEAN, Key
from worktrial.engine.stored import StoredRun
from worktrial.options import Options
from worktrial.places import shown_place
from worktrial.results.duties import DutyCounts
from worktrial.results.fault_metrics import FaultMetrics, Funnel
from worktrial.results.figure import GROUPED_BY, RunFigures
from worktrial.results.spending import unseen
from worktrial.results.summary import RunTally, Summary
from worktrial.results.writing import NONE, amount, counted, dollars, interval, number, percent, ratio, seconds
from worktrial.statistics import Agreement, Figure
from worktrial.suite import suite_of
from worktrial.terminal import SafeConsole, shows_line
from worktrial.workplaces import ContextUse
from worktrial.workplaces.watch import SimulatorHealth

_RATE = ("passed", "invalid", "rate (95 % interval)")


def print_summary(tally: RunTally, *, beside: Options | None = None) -> None:
    """Print one screen: who, how well, where, at what cost, what went wrong."""
    console = SafeConsole()
    run, summary = tally.run, tally.summary()
    figures = summary.figures
    console.print(_title(run), soft_wrap=True)
    _show_rates(figures)
    if repeats := _repeats_line(figures):
        say(repeats)
    for part in _of_the_suite(run, beside):
        console.print(part, soft_wrap=isinstance(part, str | Text))
    if len(figures.conditions) > 1:
        told = [(figures.get("completion", name), figures.get("calls", name)) for name in figures.conditions]
        rows = [(done.condition, *_rate_cells(done, figures), number(calls)) for done, calls in told]
        show_table("", ("condition", *_RATE, "calls"), rows)
    for found in figures.named("robustness"):
        say(_robustness_line(found))
    for found in figures.named("said_otherwise"):
        say(_otherwise_line(found))
    _show_funnels(summary.faults)
    for tag in GROUPED_BY:
        if len(groups := figures.groups(tag)) > 1:
            show_table("", (tag, *_RATE), [(name, *_rate_cells(done, figures)) for name, done in groups.items()])
    heads = ("role", "requests", "tokens in", "of them cached", "tokens out", "cost")
    used = summary.usage.items()
    took = [(r, u.requests, u.input_tokens, u.cached_tokens, u.output_tokens, _dollars(u.cost)) for r, u in used]
    show_table("", heads, took)
    for line in _notes(tally, summary):
        console.print(line, soft_wrap=True)
    say(next_line(run.folder, tally.example))


def _of_the_suite(run: StoredRun, beside: Options | None) -> Iterable[RenderableType]:
    """Render tables that only this suite's runs have; none where the suite is not installed."""
    suite = suite_of(run.manifest)
    if suite is None:
        return [f"The suite {run.manifest.suite} is not installed here, so its own figures are missing."]
    return suite.tables(run, suite.beside() if beside is None else beside)


def _title(run: StoredRun) -> Text:
    who = [f"agent {run.manifest.settings.get('agent', '?')}"]
    who += [f"{role} {s['model']}" for role, s in run.manifest.roles.items() if role != "agent"]
    if (run.manifest.settings.get("faults") or {}).get("prompted"):
        # Only asked for: whether they happened, nobody knows.
        who.append("prompted faults")
    return Text.assemble((run.manifest.title, "bold"), f" · {' · '.join(who)} · {shown_place(run.folder)}")


def _show_rates(figures: RunFigures) -> None:
    done = figures.get("completion")
    passed, invalid = done.hits or 0, figures.get("invalid").hits or 0
    title = f"{passed} passed · {done.n - passed - invalid} failed · {invalid} invalid"
    if figures.headline != CLEAN or len(figures.conditions) > 1:
        title = f"{figures.headline}: {title}"
    rows = [("of all samples", done), ("of valid samples", figures.get("completion_of_valid"))]
    show_table(title, ("completion", "rate (95 % interval)"), rows)


def _rate_cells(done: Figure, figures: RunFigures) -> tuple[str, int | None, Figure]:
    return f"{done.hits}/{done.n}", figures.get("invalid", done.condition, done.group).hits, done


def _robustness_line(found: Figure) -> str:
    """R of one setting (`3x2`, or "" for the only one), in words."""
    name = f"robustness R ({found.group})" if found.group else "robustness R"
    if found.value is None:
        return f"{name} has no value: {found.unknown}"
    line = f"{name} = {number(found)} (95 % interval {interval(found)}); {found.note}"
    return f"{line}; over {counted(found.n, 'task')} judged in all conditions"


def _otherwise_line(found: Figure) -> str:
    """Points that other words cost or bring, in words."""
    if found.value is None or found.low is None or found.high is None:
        return "said otherwise: no task has a verdict in both wordings"
    points = f"{100 * found.value:+.1f} points (95 % interval {100 * found.low:+.1f} to {100 * found.high:+.1f})"
    return f"said otherwise: {points}; over {counted(found.clusters, 'task')}"


def _show_funnels(conditions: Mapping[str, FaultMetrics]) -> None:
    """Count the way from planned faults to recovered answers."""
    rows = [
        (condition, kind, *_funnel_cells(funnel))
        for condition, faults in conditions.items()
        for kind, funnel in (
            ("explicit", faults.explicit),
            ("implicit", faults.implicit),
            ("- lists cut, count true", faults.visible_cuts),
            ("- lists cut, silently", faults.silent_cuts),
        )
        if funnel.planned or funnel.exposure
    ]
    footer = (
        "reached: of the planned fault events; degraded: calls that the agent saw so; asked again: the same tool "
        "with the same arguments, having seen the answer; recovered: the clean answer then came; after: how many "
        "calls later, on average"
    )
    show_table("", ("condition", "kind", "reached", "degraded", "asked again", "recovered", "after"), rows, footer)


def _funnel_cells(funnel: Funnel) -> tuple[str | int, ...]:
    shares = [
        f"{part:,} ({percent(part / funnel.exposure, 0)})" if funnel.exposure else NONE
        for part in (funnel.asked_again, funnel.recovered)
    ]
    reached = f"{funnel.reached}/{funnel.planned}" if funnel.planned else NONE
    return reached, funnel.exposure, *shares, amount(funnel.mean_calls_to_recovery)


def _notes(tally: RunTally, summary: Summary) -> Iterator[str | Text]:
    calls, took = (summary.figures.get(name).value for name in ("calls", "seconds"))
    time = "time unknown" if took is None else seconds(took)
    yield f"per sample: {calls or 0.0:.1f} tool calls, {time}"
    yield f"total cost: {_cost(summary, unseen(tally.run))}"
    if summary.stop_reasons:
        yield "work ended by: " + _listed(summary.stop_reasons)
    if summary.agreement is not None and summary.agreement.pairwise is not None:
        yield _agreement(summary.agreement)
    if summary.simulation is not None:
        yield _simulation(summary.simulation)
    if summary.duties is not None:
        yield from _duties(summary.duties)
    if summary.context is not None:
        yield context_line(summary.context)
    if summary.invalid_reasons:
        yield Text.assemble(("invalid: ", "yellow"), _listed(summary.invalid_reasons))
    fewest, most = summary.tries
    if fewest != most and not summary.missing:
        yield f"tasks were tried {fewest} to {most} times; each try counts in the rates"
    if (seen := tally.observed()) is not None:
        yield shows_line(seen.tasks, seen.rate, repeats=seen.repeats, cluster_effect=seen.cluster_effect)
    if summary.missing:
        yield Text.assemble(("unfinished:", "yellow"), f" {summary.missing} samples are still to come")


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
        line = f"policy {counts.policy} ({counts.mode}): "
        line += f"violations in {counts.broken_in:,} of {counts.samples:,} samples"
        if counts.rules:
            by_rule = ", ".join(f"{rule} {n:,}" for rule, n in counts.rules.items())
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
    kappa = "has no value (every vote is the same)" if votes.kappa is None else ratio(votes.kappa)
    return f"the judge's votes agree in {percent(votes.pairwise)} of pairs; Fleiss' kappa {kappa}"


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {n}" for name, n in counts.items())


def _dollars(cost: float | None) -> str:
    return "unknown" if cost is None else dollars(cost)


def next_line(run: Path, example: Key | None) -> str:
    """Commands that tell more about a run: as a report, beside another run, and one of its samples."""
    folder = shlex.quote(shown_place(run))
    commands = [f"worktrial report {folder}", f"worktrial compare {folder} OTHER"]
    if example is not None:
        name, number, under = example
        repeat = f" --repeat {number}" if number else ""
        condition = f" --condition {shlex.quote(under)}" if under != CLEAN else ""
        commands.append(f"worktrial trajectory {folder} {shlex.quote(name)}{repeat}{condition}")
    return f"more: {' · '.join(commands)}"


def _repeats_line(figures: RunFigures) -> str:
    """Whether tasks pass every time, or at least once, in words; "" without repeats."""
    every, once = (figures.named(name, figures.headline) for name in ("pass^", "pass@"))
    if not every:
        return ""
    k = every[0].name.removeprefix("pass^")
    always, once_only = (f"{number(of[0])} (95 % interval {interval(of[0])})" for of in (every, once))
    line = f"of {k} tries all pass (pass^{k}): {always}; at least one passes (pass@{k}): {once_only}"
    line = f"{line}; over {counted(every[0].n, 'task')}"
    return f"{line}, {every[0].note}" if every[0].note else line
