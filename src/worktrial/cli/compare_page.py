"""A comparison of two runs on one screen."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from rich.table import Table
from rich.text import Text

from worktrial.language.untrusted import printable
from worktrial.results.comparison import Change, Comparison, ConditionComparison, Flip
from worktrial.results.writing import p_value, signed
from worktrial.statistics import Estimand, Estimate, Interval
from worktrial.terminal import SafeConsole, table_of

Names = tuple[str, str]
THESE = Estimand.THESE

_FLIPS_SHOWN = 20


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
    if chosen.industries:
        console.print(_industries(chosen, level))
    if found.suite_figures:
        rows = [(figure.name, figure.change) for figure in found.suite_figures]
        console.print(_figures(rows, f"figures of the suite, {found.headline}"))
    console.print(_quantities(chosen))
    if chosen.few and any(change is not None for change in chosen.quantities.values()):
        console.print(Text(chosen.few), soft_wrap=True)
    if chosen.replayed:
        console.print(Text(printable(f"{chosen.replayed}: costs are what their requests would have cost")))
    for name, why in chosen.unknown.items():
        if name in ("cost", "seconds"):
            console.print(Text(printable(f"{name} not known: {why}")), soft_wrap=True)


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
    alike = all(one.work is None or one.these == replace(one.work, estimand=THESE) for one in found.conditions)
    columns = ["A", "B", "B - A", *((sure, "p") if alike else ("on these tasks", "on work like this"))]
    caption = [] if alike else [f"{sure} and p: on these tasks only tries are chance, on work like this tasks, too"]
    if several:
        columns.append("Holm")
        caption.append("Holm: p on work like this, corrected for the number of conditions")
    title = "completion rate, differences in points"
    table = table_of(["condition"], columns, title=title, caption="; ".join(caption) or None)
    for one in found.conditions:
        own, others = _estimate_cells(one.work), _estimate_cells(one.these)
        cells = own if alike else [", p ".join(others), ", p ".join(own)]
        holm = [_p(one.p_adjusted)] if several else []
        table.add_row(_cell(one.condition), *_rate_cells(one.effect)[:3], *cells, *holm)
    return table


def _estimate_cells(found: Estimate | None) -> tuple[str, str]:
    return ("-", "-") if found is None else (_span(found.interval), _p(found.p))


def _remarks(found: Comparison) -> Iterator[str]:
    chosen = found.of(found.headline)
    if chosen is not None and chosen.table.left_out:
        yield _left_out(chosen)
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
    for setting, own in found.robustness.items():
        name = f"robustness R ({setting})" if setting else "robustness R"
        if own.difference is None:
            yield f"{name} has no value in a run: nothing passes without faults"
            continue
        sure = "" if own.interval is None else f", interval {own.interval.low:+.2f} to {own.interval.high:+.2f}"
        tasks = _counted(own.tasks, "task")
        yield f"{name}: A {own.first:.2f}, B {own.second:.2f} (B - A {own.difference:+.2f}{sure}; {tasks})"


def _left_out(chosen: ConditionComparison) -> str:
    own, rate = chosen.table, chosen.effect_of_all
    where = f"{own.invalid_first} invalid in A, {own.invalid_second} in B"
    line = f"left out: {_counted(own.left_out, 'sample')} ({where})"
    if rate is None:
        return line
    of_all = f"A {rate.first:.1%}, B {rate.second:.1%} (B - A {signed(rate.difference)} points)"
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


def _industries(chosen: ConditionComparison, level: float) -> Table:
    caption = f"Holm: p corrected for {len(chosen.industries)} categories; * below {level:g}"
    columns = ("n", "A", "B", "B - A", "interval", "Holm")
    table = table_of(["category"], columns, title=f"by category, {chosen.condition}", caption=caption)
    for one in chosen.industries:
        own = one.table
        judged = own.both + own.only_first + own.only_second + own.neither
        mark = " *" if one.p_adjusted is not None and one.p_adjusted < level else ""
        p = _p(one.p_adjusted) + mark
        table.add_row(_cell(one.name), str(judged), *_rate_cells(one.effect), p)
    return table


def _figures(rows: Iterable[tuple[str, Change]], title: str) -> Table:
    table = table_of(["figure"], ("A", "B", "B - A", "interval"), title=title)
    for name, change in rows:
        table.add_row(_cell(name), *_rate_cells(change))
    return table


def _quantities(chosen: ConditionComparison) -> Table:
    title = f"mean of a sample with two verdicts, {chosen.condition}"
    table = table_of([""], ("A", "B", "B - A", "B / A", "interval"), title=title)
    for name, change in chosen.quantities.items():
        unit = f"{name}, $" if "cost" in name else name
        if change is None:
            table.add_row(unit, *["unknown"] * 2, *["-"] * 3)
        elif change.first or change.second:
            table.add_row(unit, *_quantity_cells(name, change))
    return table


def _quantity_cells(name: str, change: Change) -> list[str]:
    form = "{:,.4f}" if "cost" in name else "{:,.1f}" if name in ("seconds", "calls") else "{:,.0f}"
    ratio = "-" if change.ratio is None else f"{change.ratio:.2f}"
    between = change.ratio_interval
    span = "-" if between is None else f"{between.low:.2f}…{between.high:.2f}"
    difference = form.replace(":", ":+").format(change.difference)
    return [form.format(change.first), form.format(change.second), difference, ratio, span]


def _rate_cells(change: Change | None) -> list[str]:
    if change is None:
        return ["-"] * 4
    return [f"{change.first:.1%}", f"{change.second:.1%}", signed(change.difference), _span(change.interval)]


def _span(interval: Interval | None) -> str:
    # Without spaces, so that a narrow column does not break it.
    return "-" if interval is None else "…".join(map(signed, interval))


def _p(value: float | None) -> str:
    return "-" if value is None else p_value(value)


def _counted(n: int, noun: str) -> str:
    return f"{n:,} {noun}" + ("" if n == 1 else "s")


def _cell(text: str) -> Text:
    return Text(printable(text))
