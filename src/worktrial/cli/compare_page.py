"""A comparison of two runs on one screen."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from rich.table import Table
from rich.text import Text

from worktrial.language.untrusted import printable
from worktrial.results.comparison import Comparison, ConditionComparison, Flip
from worktrial.results.figure import MEANS
from worktrial.results.writing import p_value, signed
from worktrial.statistics import Change, Estimand, Interval, Unit
from worktrial.terminal import SafeConsole, table_of

Names = tuple[str, str]
THESE = Estimand.THESE

_FLIPS_SHOWN = 20
_RATES = ("completion", "completion_of_valid")


def print_comparison(
    found: Comparison,
    names: Names,
    references: tuple[bool, bool] = (False, False),
    *,
    level: float,
    every_flip: bool = False,
    console: SafeConsole | None = None,
) -> None:
    """One screen: the conclusion, then what it stands on.

    Args:
        found: The comparison.
        names: Of the two runs.
        references: Whether each agent is a reference, which needs no model.
        level: Of significance.
        every_flip: Show all tasks gained and lost.
        console: Where to print.
    """
    console = console or SafeConsole()
    chosen = found.of(found.headline)
    console.print(Text(printable(found.conclusion), style="bold"), soft_wrap=True)
    folders = found.first, found.second
    for letter, name, folder, is_reference in zip("AB", names, folders, references, strict=True):
        mark = " · reference, needs no model" if is_reference else ""
        console.print(Text(printable(f"{letter}  {name} · {folder}{mark}")), soft_wrap=True)
    if found.label:
        console.print(Text(printable(found.label), style="yellow"), soft_wrap=True)
    console.print(_paired(found.conditions))
    console.print(_effects(found))
    for line in _remarks(found):
        console.print(Text(printable(line)), soft_wrap=True)
    if chosen is None:
        return
    for line in _flips(chosen, every_flip):
        console.print(Text(printable(line)), soft_wrap=True)
    if industries := found.figures.groups("category", found.headline):
        console.print(_industries(found.headline, industries, level))
    own = [one for one in found.figures.listed if one.condition == found.headline and not one.group]
    if of_suite := [one for one in own if one.name not in (*_RATES, *MEANS) and one.value is not None]:
        console.print(_figures(of_suite, f"figures of the suite, {found.headline}"))
    means = [one for one in own if one.name in MEANS]
    console.print(_quantities(means, found.headline))
    for note in dict.fromkeys(one.note for one in means if one.note):
        console.print(Text(printable(note)), soft_wrap=True)
    for one in means:
        if one.unknown and one.name in ("cost_per_task", "seconds"):
            console.print(Text(printable(f"{_words(one)} not known: {one.unknown}")), soft_wrap=True)


def _paired(conditions: Sequence[ConditionComparison]) -> Table:
    columns = ("tasks", "both pass", "only A", "only B", "neither", "left out")
    table = table_of(["condition"], columns, title="samples by who passed")
    for one in conditions:
        own = one.table
        counts = (one.tasks, own.both, own.only_first, own.only_second, own.neither, own.left_out)
        table.add_row(_cell(one.condition), *map(str, counts))
    return table


def _effects(found: Comparison) -> Table:
    several = len(found.conditions) > 1
    sure = f"{found.confidence * 100:g} % interval"
    # Single tries of unrelated tasks answer both questions alike.
    both = [(_rate(found, one), _rate(found, one, THESE)) for one in found.conditions]
    alike = all((work.interval, work.p) == (these.interval, these.p) for work, these in both)
    columns = ["A", "B", "B - A", *((sure, "p") if alike else ("on these tasks", "on work like this"))]
    caption = [] if alike else [f"{sure} and p: on these tasks only tries are chance, on work like this tasks, too"]
    if several:
        columns.append("Holm")
        caption.append("Holm: p on work like this, corrected for the number of conditions")
    title = "completion rate, differences in points"
    table = table_of(["condition"], columns, title=title, caption="; ".join(caption) or None)
    for one, (work, these) in zip(found.conditions, both, strict=True):
        own, others = _estimate_cells(work), _estimate_cells(these)
        cells = own if alike else [", p ".join(others), ", p ".join(own)]
        holm = [_p(work.p_adjusted)] if several else []
        table.add_row(_cell(one.condition), *_rate_cells(work)[:3], *cells, *holm)
    return table


def _rate(found: Comparison, one: ConditionComparison, estimand: Estimand = Estimand.WORK) -> Change:
    return found.figures.get("completion_of_valid", one.condition, estimand=estimand)


def _estimate_cells(found: Change) -> tuple[str, str]:
    return ("-", "-") if found.interval is None else (_span(found.interval), _p(found.p))


def _remarks(found: Comparison) -> Iterator[str]:
    chosen = found.of(found.headline)
    if chosen is not None and chosen.table.left_out:
        yield _left_out(chosen, found.figures.get("completion", chosen.condition))
    for letter, keys, missing in (
        ("A", found.only_first, found.missing_first),
        ("B", found.only_second, found.missing_second),
    ):
        if keys:
            yield f"only in {letter}: {_counted(len(keys), 'sample')}, such as {keys[0][0]} under {keys[0][2]}"
        if missing:
            yield f"{letter} is unfinished: {_counted(missing, 'sample')} still to come"
    for letter, names in zip("AB", found.untried, strict=True):
        if names:
            yield f"only {letter} was tried under {', '.join(names)}: nothing is said about that"
    for own in found.figures.listed:
        if own.name == "robustness":
            yield _robustness(own)


def _robustness(own: Change) -> str:
    name = f"robustness R ({own.group})" if own.group else "robustness R"
    if own.value is None:
        return f"{name} has no value in a run: nothing passes without faults"
    sure = "" if own.interval is None else f", interval {own.interval.low:+.2f} to {own.interval.high:+.2f}"
    tasks = _counted(own.n, "task")
    return f"{name}: A {own.first:.2f}, B {own.second:.2f} (B - A {own.value:+.2f}{sure}; {tasks})"


def _left_out(chosen: ConditionComparison, rate: Change) -> str:
    own = chosen.table
    where = f"{own.invalid_first} invalid in A, {own.invalid_second} in B"
    line = f"left out: {_counted(own.left_out, 'sample')} ({where})"
    if rate.value is None:
        return line
    of_all = f"A {rate.first:.1%}, B {rate.second:.1%} (B - A {signed(rate.value)} points)"
    return f"{line}; with an invalid one as not passed: {of_all}"


def _flips(chosen: ConditionComparison, every: bool) -> Iterator[str]:
    for title, gained in (("lost", False), ("gained", True)):
        own = [flip for flip in chosen.flips if flip.gained is gained]
        if own:
            shown = own if every else own[:_FLIPS_SHOWN]
            rest = f", and {len(own) - len(shown)} more (--all)" if len(shown) < len(own) else ""
            yield f"{title} by B: {_counted(len(own), 'task')}: {', '.join(map(_flip, shown))}{rest}"
    if chosen.repeats > 1 and chosen.flips:
        yield "with repeats: the share of passes changed; * where the majority of the repeats changed, too"


def _flip(flip: Flip) -> str:
    if flip.repeats == 1:
        return flip.sample
    mark = "*" if flip.majority else ""
    return f"{flip.sample}{mark} ({flip.passed_first}->{flip.passed_second} of {flip.repeats})"


def _industries(condition: str, industries: Mapping[str, Change], level: float) -> Table:
    caption = f"Holm: p corrected for {len(industries)} categories; * below {level:g}"
    columns = ("n", "A", "B", "B - A", "interval", "Holm")
    table = table_of(["category"], columns, title=f"by category, {condition}", caption=caption)
    for name, one in industries.items():
        mark = " *" if one.p_adjusted is not None and one.p_adjusted < level else ""
        table.add_row(_cell(name), str(one.n), *_rate_cells(one), _p(one.p_adjusted) + mark)
    return table


def _figures(changes: Iterable[Change], title: str) -> Table:
    table = table_of(["figure"], ("A", "B", "B - A", "interval"), title=title)
    for change in changes:
        table.add_row(_cell(change.name), *_rate_cells(change))
    return table


def _quantities(means: Sequence[Change], condition: str) -> Table:
    title = f"mean of a sample with two verdicts, {condition}"
    table = table_of([""], ("A", "B", "B - A", "B / A", "interval"), title=title)
    for change in means:
        unit = f"{_words(change)}, $" if change.unit is Unit.DOLLARS else _words(change)
        if change.value is None:
            table.add_row(unit, *["unknown"] * 2, *["-"] * 3)
        elif change.first or change.second:
            table.add_row(unit, *_quantity_cells(change))
    return table


def _words(change: Change) -> str:
    return change.name.removesuffix("_per_task").replace("_", " ")


def _quantity_cells(change: Change) -> list[str]:
    form = {Unit.DOLLARS: "{:,.4f}", Unit.TOKENS: "{:,.0f}"}.get(change.unit, "{:,.1f}")
    ratio = "-" if change.ratio is None else f"{change.ratio:.2f}"
    low, high = change.ratio_low, change.ratio_high
    span = "-" if low is None or high is None else f"{low:.2f}…{high:.2f}"
    difference = form.replace(":", ":+").format(change.value)
    return [form.format(change.first), form.format(change.second), difference, ratio, span]


def _rate_cells(change: Change) -> list[str]:
    if change.value is None:
        return ["-"] * 4
    return [f"{change.first:.1%}", f"{change.second:.1%}", signed(change.value), _span(change.interval)]


def _span(interval: Interval | None) -> str:
    # Without spaces, so that a narrow column does not break it.
    return "-" if interval is None else "…".join(map(signed, interval))


def _p(value: float | None) -> str:
    return "-" if value is None else p_value(value)


def _counted(n: int, noun: str) -> str:
    return f"{n:,} {noun}" + ("" if n == 1 else "s")


def _cell(text: str) -> Text:
    return Text(printable(text))
