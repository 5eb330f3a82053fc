"""Runs side by side on the terminal: the conclusion, then what it stands on."""

import shlex
from collections.abc import Iterator, Sequence

from rich.text import Text

from worktrial.cli.tables import show_table
from worktrial.engine.notices import say
from worktrial.engine.stored import StoredRun
from worktrial.places import shown_place
from worktrial.results.comparison import Comparison, ConditionComparison, Flip, compare_runs
from worktrial.results.conclusion import Named, conclude_on, is_reference, names_of
from worktrial.results.figure import MEANS, figures_of
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
from worktrial.statistics import Change, Estimand, Interval, Unit
from worktrial.terminal import SafeConsole

LEVEL = 0.05
_FLIPS_SHOWN = 20
_RATES = ("completion", "completion_of_valid")


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
    if (chosen := found.of(found.headline)) is None:
        return
    _show_flips(chosen, every_flip)
    _show_categories(found, level)
    own = [one for one in found.figures.listed if one.condition == found.headline and not one.group]
    of_suite = [one for one in own if one.name not in (*_RATES, *MEANS) and one.value is not None]
    figures = [(one.name, *_rate_cells(one)) for one in of_suite]
    show_table(f"figures of the suite, {found.headline}", ("figure", "A", "B", "B - A", "interval"), figures)
    _show_means([one for one in own if one.name in MEANS], found.headline)


def _show_categories(found: Comparison, level: float) -> None:
    rows = []
    for name, one in found.figures.groups("category", found.headline).items():
        mark = " *" if one.p_adjusted is not None and one.p_adjusted < level else ""
        rows.append((name, one.n, *_rate_cells(one), _p(one.p_adjusted) + mark))
    footer = f"Holm: p corrected for {len(rows)} categories; * below {level:g}"
    columns = ("category", "n", "A", "B", "B - A", "interval", "Holm")
    show_table(f"by category, {found.headline}", columns, rows, footer)


def _show_effects(found: Comparison) -> None:
    several = len(found.conditions) > 1
    sure = f"{found.confidence * 100:g} % interval"
    # Single tries of unrelated tasks answer both questions alike.
    both = [(_rate(found, one), _rate(found, one, Estimand.THESE)) for one in found.conditions]
    alike = all((work.interval, work.p) == (these.interval, these.p) for work, these in both)
    columns = ["condition", "A", "B", "B - A", *((sure, "p") if alike else ("on these tasks", "on work like this"))]
    footer = [] if alike else [f"{sure} and p: on these tasks only tries are chance, on work like this tasks, too"]
    if several:
        columns.append("Holm")
        footer.append("Holm: p on work like this, corrected for the number of conditions")
    rows = []
    for one, (work, these) in zip(found.conditions, both, strict=True):
        cells = [(_span(rate.interval), NONE if rate.interval is None else _p(rate.p)) for rate in (these, work)]
        told = cells[1] if alike else tuple(", p ".join(cell) for cell in cells)
        rows.append((one.condition, *_rate_cells(work)[:3], *told, *([_p(work.p_adjusted)] if several else ())))
    show_table("completion rate, differences in points", columns, rows, "; ".join(footer))


def _rate(found: Comparison, one: ConditionComparison, estimand: Estimand = Estimand.WORK) -> Change:
    return found.figures.get("completion_of_valid", one.condition, estimand=estimand)


def _remarks(found: Comparison) -> Iterator[str]:
    chosen = found.of(found.headline)
    if chosen is not None and chosen.table.left_out:
        own, rate = chosen.table, found.figures.get("completion", chosen.condition)
        where = f"{own.invalid_first} invalid in A, {own.invalid_second} in B"
        line = f"left out: {counted(own.left_out, 'sample')} ({where})"
        if rate.value is not None:
            of_all = f"A {percent(rate.first)}, B {percent(rate.second)} (B - A {signed(rate.value)} points)"
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
    for change in found.figures.listed:
        if change.name != "robustness":
            continue
        name = f"robustness R ({change.group})" if change.group else "robustness R"
        if change.value is None:
            yield f"{name} has no value in a run: nothing passes without faults"
            continue
        between = change.interval
        sure = "" if between is None else f", interval {between.low:+.2f} to {between.high:+.2f}"
        more = f"B - A {change.value:+.2f}{sure}; {counted(change.n, 'task')}"
        yield f"{name}: A {ratio(change.first)}, B {ratio(change.second)} ({more})"


def _show_flips(chosen: ConditionComparison, every_flip: bool) -> None:
    for title, gained in (("lost", False), ("gained", True)):
        if own := [flip for flip in chosen.flips if flip.gained is gained]:
            shown = own if every_flip else own[:_FLIPS_SHOWN]
            rest = f", and {len(own) - len(shown)} more (--all)" if len(shown) < len(own) else ""
            say(f"{title} by B: {counted(len(own), 'task')}: {', '.join(map(_flip, shown))}{rest}")
    if chosen.repeats > 1 and chosen.flips:
        say("with repeats: the share of passes changed; * where the majority of the repeats changed, too")


def _flip(flip: Flip) -> str:
    if flip.repeats == 1:
        return flip.sample
    mark = "*" if flip.majority else ""
    return f"{flip.sample}{mark} ({flip.passed_first}->{flip.passed_second} of {flip.repeats})"


def _show_means(means: Sequence[Change], condition: str) -> None:
    rows = []
    for one in means:
        if one.value is None:
            rows.append((_words(one), "unknown", "unknown", NONE, NONE, NONE))
        elif one.first or one.second:
            form = {Unit.DOLLARS: dollars, Unit.SECONDS: seconds, Unit.TOKENS: whole}.get(one.unit, amount)
            more = f"{'+' if one.value > 0 else ''}{form(one.value)}"
            ends = one.ratio_low, one.ratio_high
            span = NONE if None in ends else " to ".join(map(ratio, ends))
            rows.append((_words(one), form(one.first), form(one.second), more, ratio(one.ratio), span))
    title = f"mean of a sample with two verdicts, {condition}"
    show_table(title, ("quantity", "A", "B", "B - A", "B / A", "interval"), rows)
    for note in dict.fromkeys(one.note for one in means if one.note):
        say(note)
    for one in means:
        if one.unknown and one.name in ("cost_per_task", "seconds"):
            say(f"{_words(one)} not known: {one.unknown}")


def _words(change: Change) -> str:
    return change.name.removesuffix("_per_task").replace("_", " ")


def _rate_cells(change: Change) -> tuple[str, str, str, str]:
    if change.value is None:
        return (NONE,) * 4
    return percent(change.first), percent(change.second), signed(change.value), _span(change.interval)


def _span(between: Interval | None) -> str:
    return NONE if between is None else points(between)


def _p(value: float | None) -> str:
    return NONE if value is None else p_value(value)


def _print_bold(sentence: str) -> None:
    SafeConsole().print(Text(sentence, style="bold"), soft_wrap=True)
