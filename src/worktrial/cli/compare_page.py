"""Runs side by side on the terminal: the conclusion, then what it stands on."""

import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from rich.text import Text

from worktrial.cli.tables import show_table
from worktrial.engine.notices import say
from worktrial.engine.stored import StoredRun
from worktrial.places import shown_place
from worktrial.results.comparison import Change, Comparison, ConditionComparison, Flip, compare_runs
from worktrial.results.conclusion import Named, conclude_on, is_reference, names_of
from worktrial.results.figure import figures_of
from worktrial.results.writing import (
    NONE,
    amount,
    counted,
    dollars,
    interval,
    number,
    p_value,
    percent,
    points,
    ratio,
    seconds,
    signed,
    whole,
)
from worktrial.statistics import Estimand, Estimate, Interval
from worktrial.terminal import SafeConsole

LEVEL = 0.05
_FLIPS_SHOWN = 20


def print_side_by_side(runs: Sequence[StoredRun]) -> None:
    """Print the conclusion, a row for each run, and the comparison: of two runs whole, of more a row for each."""
    named = names_of(runs)
    if len(runs) == 2:
        found = compare_runs(*runs, confidence=1 - LEVEL)
        names, references = (named[0].name, named[1].name), (is_reference(runs[0]), is_reference(runs[1]))
        print_comparison(found, names, references, level=LEVEL)
        _show_runs(named)
    else:
        answer = conclude_on(named)
        _print_bold(answer.sentence)
        _show_runs(named)
        if answer.leader is not None:
            rows = []
            for rival in answer.rivals:
                for one in rival.contests:
                    own = one.difference
                    told = (NONE,) * 3
                    if own is not None:
                        told = signed(own.value), points(own.interval), p_value(own.p or 0.0)
                    rows.append((rival.name, one.condition, one.tasks, *told))
            columns = ("beside", "condition", "tasks", "difference", "interval", "p alone")
            footer = "on work like this, in points; intervals hold for all rows together"
            show_table(f"{answer.leader.name} beside the others", columns, rows, footer)
    folders = [shlex.quote(shown_place(run.folder)) for run in runs]
    say(f"more: worktrial report {' '.join(folders)} · worktrial show {folders[0]}")


def _show_runs(named: Sequence[Named]) -> None:
    found = [figures_of(run) for _, run in named]
    condition = f", {found[0].headline}" if len(found[0].conditions) > 1 else ""
    rows = []
    for (name, _), figures in zip(named, found, strict=True):
        done, invalid, cost = (figures.get(figure) for figure in ("completion", "invalid", "cost_per_task"))
        passed, broken = done.hits or 0, invalid.hits or 0
        price = "unknown" if cost.value is None else number(cost)
        rows.append((name, number(done), interval(done), passed, done.n - passed - broken, broken, price))
    columns = ("agent", "completion rate", "95 % interval", "passed", "failed", "invalid", "cost per task")
    show_table(f"{named[0].run.manifest.title}{condition}", columns, rows)


def print_comparison(
    found: Comparison,
    names: tuple[str, str],
    references: tuple[bool, bool],
    *,
    level: float,
    every_flip: bool = False,
) -> None:
    """One screen: the conclusion, then what it stands on.

    Args:
        found: The comparison.
        names: Of the two runs.
        references: Whether each agent is a reference, which needs no model.
        level: Of significance.
        every_flip: Show all tasks gained and lost.
    """
    _print_bold(found.conclusion)
    folders = found.first, found.second
    for letter, name, folder, is_one in zip("AB", names, folders, references, strict=True):
        say(f"{letter}  {name} · {folder}{' · reference, needs no model' if is_one else ''}")
    if found.label:
        SafeConsole().print(Text(found.label, style="yellow"), soft_wrap=True)
    columns = ("condition", "tasks", "both pass", "only A", "only B", "neither", "left out")
    tables = [(one, one.table) for one in found.conditions]
    rows = [
        (one.condition, one.tasks, own.both, own.only_first, own.only_second, own.neither, own.left_out)
        for one, own in tables
    ]
    show_table("samples by who passed", columns, rows)
    _show_effects(found)
    for line in _remarks(found):
        say(line)
    if (chosen := found.of(found.headline)) is not None:
        _show_condition(chosen, level, every_flip)
        own = [(figure.name, *_rate_cells(figure.change)) for figure in found.suite_figures]
        show_table(f"figures of the suite, {found.headline}", ("figure", "A", "B", "B - A", "interval"), own)
        _show_quantities(chosen)


def _show_effects(found: Comparison) -> None:
    several = len(found.conditions) > 1
    sure = f"{found.confidence * 100:g} % interval"
    # Single tries of unrelated tasks answer both questions alike.
    alike = all(c.work is None or c.these == replace(c.work, estimand=Estimand.THESE) for c in found.conditions)
    columns = ["condition", "A", "B", "B - A", *((sure, "p") if alike else ("on these tasks", "on work like this"))]
    footer = [] if alike else [f"{sure} and p: on these tasks only tries are chance, on work like this tasks, too"]
    if several:
        columns.append("Holm")
        footer.append("Holm: p on work like this, corrected for the number of conditions")
    rows = []
    for one in found.conditions:
        these, work = _estimate_cells(one.these), _estimate_cells(one.work)
        cells = work if alike else [", p ".join(these), ", p ".join(work)]
        holm = [_p(one.p_adjusted)] if several else []
        rows.append((one.condition, *_rate_cells(one.effect)[:3], *cells, *holm))
    show_table("completion rate, differences in points", columns, rows, "; ".join(footer))


def _remarks(found: Comparison) -> Iterator[str]:
    chosen = found.of(found.headline)
    if chosen is not None and chosen.table.left_out:
        own, rate = chosen.table, chosen.effect_of_all
        where = f"{own.invalid_first} invalid in A, {own.invalid_second} in B"
        line = f"left out: {counted(own.left_out, 'sample')} ({where})"
        if rate is not None:
            of_all = f"A {percent(rate.first)}, B {percent(rate.second)} (B - A {signed(rate.difference)} points)"
            line += f"; with an invalid one as not passed: {of_all}"
        yield line
    for letter, keys, missing in (
        ("A", found.only_first, found.missing_first),
        ("B", found.only_second, found.missing_second),
    ):
        if keys:
            yield f"only in {letter}: {counted(len(keys), 'sample')}, such as {keys[0][0]} under {keys[0][2]}"
        if missing:
            yield f"{letter} is unfinished: {counted(missing, 'sample')} still to come"
    for letter, names in zip("AB", found.untried, strict=True):
        if names:
            yield f"only {letter} was tried under {', '.join(names)}: nothing is said about that"
    for setting, change in found.robustness.items():
        name = f"robustness R ({setting})" if setting else "robustness R"
        if change.difference is None:
            yield f"{name} has no value in a run: nothing passes without faults"
            continue
        between = change.interval
        sure = "" if between is None else f", interval {between.low:+.2f} to {between.high:+.2f}"
        more = f"B - A {change.difference:+.2f}{sure}; {counted(change.tasks, 'task')}"
        yield f"{name}: A {ratio(change.first)}, B {ratio(change.second)} ({more})"


def _show_condition(chosen: ConditionComparison, level: float, every_flip: bool) -> None:
    for title, gained in (("lost", False), ("gained", True)):
        if own := [flip for flip in chosen.flips if flip.gained is gained]:
            shown = own if every_flip else own[:_FLIPS_SHOWN]
            rest = f", and {len(own) - len(shown)} more (--all)" if len(shown) < len(own) else ""
            say(f"{title} by B: {counted(len(own), 'task')}: {', '.join(map(_flip, shown))}{rest}")
    if chosen.repeats > 1 and chosen.flips:
        say("with repeats: the share of passes changed; * where the majority of the repeats changed, too")
    rows = []
    for one in chosen.industries:
        judged = one.table.both + one.table.only_first + one.table.only_second + one.table.neither
        mark = " *" if one.p_adjusted is not None and one.p_adjusted < level else ""
        rows.append((one.name, judged, *_rate_cells(one.effect), _p(one.p_adjusted) + mark))
    footer = f"Holm: p corrected for {len(rows)} categories; * below {level:g}"
    columns = ("category", "n", "A", "B", "B - A", "interval", "Holm")
    show_table(f"by category, {chosen.condition}", columns, rows, footer)


def _flip(flip: Flip) -> str:
    if flip.repeats == 1:
        return flip.sample
    mark = "*" if flip.majority else ""
    return f"{flip.sample}{mark} ({flip.passed_first}->{flip.passed_second} of {flip.repeats})"


def _show_quantities(chosen: ConditionComparison) -> None:
    changes = {name: change for name, change in chosen.quantities.items() if change is None or any(_both(change))}
    rows = [(name.replace("_", " "), *_quantity_cells(name, change)) for name, change in changes.items()]
    title = f"mean of a sample with two verdicts, {chosen.condition}"
    show_table(title, ("quantity", "A", "B", "B - A", "B / A", "interval"), rows)
    if chosen.few and any(change is not None for change in chosen.quantities.values()):
        say(chosen.few)
    if chosen.replayed:
        say(f"{chosen.replayed}: costs are what their requests would have cost")
    for name, why in chosen.unknown.items():
        if name in ("cost", "seconds"):
            say(f"{name} not known: {why}")


def _both(change: Change) -> tuple[float, float]:
    return change.first, change.second


def _quantity_cells(name: str, change: Change | None) -> Iterable[str]:
    if change is None:
        return ("unknown", "unknown", NONE, NONE, NONE)
    kinds = {"seconds": seconds, "calls": amount}
    form = dollars if "cost" in name else kinds.get(name, whole)
    between = change.ratio_interval
    span = NONE if between is None else f"{ratio(between.low)} to {ratio(between.high)}"
    more = f"{'+' if change.difference > 0 else ''}{form(change.difference)}"
    return (*map(form, _both(change)), more, ratio(change.ratio), span)


def _rate_cells(change: Change | None) -> tuple[str, str, str, str]:
    if change is None:
        return (NONE,) * 4
    return percent(change.first), percent(change.second), signed(change.difference), _span(change.interval)


def _estimate_cells(found: Estimate | None) -> tuple[str, str]:
    return (NONE, NONE) if found is None else (_span(found.interval), _p(found.p))


def _span(between: Interval | None) -> str:
    return NONE if between is None else points(between)


def _p(value: float | None) -> str:
    return NONE if value is None else p_value(value)


def _print_bold(sentence: str) -> None:
    SafeConsole().print(Text(sentence, style="bold"), soft_wrap=True)
