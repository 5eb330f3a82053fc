"""Parts of what runs show on a terminal, for the command line and for suites. All text in them is untrusted."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import msgspec
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from worktrial.language import JsonObject, ModelReply
from worktrial.language.untrusted import printable

if TYPE_CHECKING:
    from rich.table import Table

    from worktrial.statistics import Figure

LONGEST = 2000
"""Characters of one text that are shown."""


class SafeConsole(Console):
    """A console that shows what others wrote as text: nothing in it styles, moves or hides anything.

    Styles are given by `Text` and by arguments; brackets and `:names:` within a `str` are what they are.

    Args:
        settings: Those of `rich.console.Console`, such as `file`, `stderr` and `width`.
    """

    def __init__(self, **settings: Any) -> None:
        super().__init__(markup=False, emoji=False, highlight=False, **settings)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterator[Segment]:
        """Segments of anything that is printed: only what `rich` itself says to the terminal may steer it."""
        for segment in super().render(renderable, options):
            own = segment.control or segment.text.isprintable()
            yield segment if own else Segment(printable(segment.text), segment.style)

    def render_str(self, text: str, **how: Any) -> Text:
        """A `str` as it will be shown, so that widths are taken of that."""
        return super().render_str(printable(text), **how)


def plain(text: Any, style: str = "") -> Text:
    """`text` without control characters, and not endless: a model's output must not steer the terminal."""
    shown = printable(text)
    if len(shown) > LONGEST:
        shown = f"{shown[:LONGEST]} … ({len(shown) - LONGEST:,} more characters)"
    return Text(shown, style)


def table_of(
    names: Iterable[str], figures: Iterable[str] = (), *, title: str = "", caption: str | None = None
) -> "Table":
    """An empty table. Its cells are folded where they are too wide, never cut: half a number is a wrong number.

    Args:
        names: Headings of the first columns, whose cells stand left.
        figures: Headings of the others, whose cells stand right.
        title: Line above it.
        caption: Line below it.
    """
    from rich.table import Table

    above = Text(printable(title)) if title else None
    table = Table(title=above, title_justify="left", caption=caption, caption_justify="left")
    for name in names:
        table.add_column(Text(printable(name)), overflow="fold")
    for figure in figures:
        table.add_column(Text(printable(figure)), justify="right", overflow="fold")
    return table


def print_line(console: Console, line: str | Text) -> None:
    """Print a line; on a terminal it is broken between words, elsewhere it stays one line for other programs."""
    console.print(line, soft_wrap=not console.is_terminal)


_KEPT_WHOLE = 24
"""Columns up to which a cell is kept on one line."""
_SENTENCE = 20
"""Least columns for cells that are longer, such as sentences."""


def print_whole_words(console: Console, table: "Table") -> None:
    """Print a table that breaks no word and no figure; where the terminal is too narrow for it, as a list.

    Args:
        console: Where to print.
        table: With a box around it; the first column says what a row is about, and may be broken between words.
    """
    first, *others = table.columns
    first.min_width = min(_longest([first.header, *first.cells]), console.width // 2)
    for column in others:
        lines = [line for cell in column.cells for line in str(cell).split("\n")]
        whole = max(map(cell_len, lines), default=0)
        # Figures stay on a line; sentences may be broken between words.
        least = whole if whole <= _KEPT_WHOLE else max(_SENTENCE, _longest(column.cells))
        column.min_width = max(_longest([column.header]), least)
    # A column has a blank on either side and its line, the table a last one.
    spare = console.width - 1 - sum((column.min_width or 0) + 3 for column in table.columns)
    if spare >= 0:
        for column in table.columns:
            least = column.min_width or 0
            whole = max(cell_len(line) for cell in (column.header, *column.cells) for line in str(cell).split("\n"))
            column.width = least + min(spare, max(0, whole - least))
            spare -= column.width - least
        console.print(table)
        return
    if table.title:
        print_line(console, Text(str(table.title), style="italic"))
    wide = max(cell_len(str(column.header)) for column in others)
    for name, *cells in zip(*(column.cells for column in table.columns), strict=True):
        console.print(Text.assemble((f"{first.header} ", "dim"), (str(name).strip(), "bold")))
        for column, cell in zip(others, cells, strict=True):
            for n, line in enumerate(str(cell).split("\n")):
                console.print(Text(f"  {'' if n else column.header!s:<{wide}}  {line}"))
    if table.caption:
        print_line(console, str(table.caption))


def _longest(cells: Iterable[object]) -> int:
    """Columns of the longest word."""
    return max((cell_len(word) for cell in cells for word in str(cell).split()), default=1)


def share_cell(share: Any) -> str:
    """A share above its interval, in percent.

    Args:
        share: Something with a `value`, 0-1 or None, and an `interval` or None.
    """
    if share.value is None:
        return "-"
    if share.interval is None:
        return f"{share.value:.1%}"
    return f"{share.value:.1%}\n{share.interval.low:.1%} - {share.interval.high:.1%}"


def shows_line(tasks: int, rate: float = 0.5, *, repeats: int = 1, cluster_effect: float = 1.0) -> str:
    """Line on the smallest difference that a comparison on so many tasks can show.

    Args:
        tasks: Their number.
        rate: Completion rate, seen or expected.
        repeats: Tries of each task.
        cluster_effect: Tasks that are worth one independent task.
    """
    from worktrial.statistics import smallest_shift

    of, are = ("1 task", "is") if tasks == 1 else (f"{tasks:,} tasks", "are")
    shift = smallest_shift(tasks, rate, repeats=repeats, cluster_effect=cluster_effect)
    if shift is None:
        return f"{of} {are} too few to tell two agents apart; how many are enough says worktrial power"
    better = f"{'worse' if shift < 0 else 'better'} by {100 * abs(shift):.0f} points or more"
    return f"{of} can show that another agent is {better} (chance 80 %; worktrial power)"


def rate_cells(rate: "Figure") -> tuple[str, str]:
    """Share in percent, and its interval."""
    interval = rate.interval
    span = "-" if interval is None else f"{interval.low:.1%} - {interval.high:.1%}"
    return "-" if rate.value is None else f"{rate.value:.1%}", span


def thought_lines(reply: ModelReply) -> Iterator[Text]:
    """Lines of what a model thought before it said anything, and of what it refused."""
    if reply.thinking:
        yield Text.assemble(("thinks: ", "bold dim"), plain(reply.thinking, "dim"))
    if reply.refusal:
        yield Text.assemble(("refuses: ", "bold red"), plain(reply.refusal))


def call_lines(call: JsonObject, doubts: Iterable[JsonObject] = ()) -> Iterator[Text]:
    """A call of a tool as trajectories store it, what came back, and what would have without a fault.

    Args:
        call: The call.
        doubts: Findings on the trajectory's simulator, of which those on this call are shown.
    """
    arguments = msgspec.json.encode(call["arguments"]).decode()
    observation = call["observation"]
    seen = msgspec.json.encode(observation["content"]).decode()
    yield Text.assemble((f"{call['index'] + 1:>3}  ", "dim"), plain(call["tool"], "bold"), " ", plain(arguments))
    fault = observation.get("fault")
    yield Text.assemble(
        ("     -> ", "dim"),
        plain(seen),
        plain(f"  [{observation['origin']}]", "dim"),
        plain(f" fault: {fault}" * bool(fault), "red"),
    )
    clean = observation.get("clean")
    if clean is not None:
        was = msgspec.json.encode(clean).decode()
        yield Text.assemble(("        really: ", "dim"), plain(was, "dim"))
    for doubt in (d for d in doubts if d["call"] == call["index"]):
        evidence = "; ".join(doubt["evidence"])
        yield Text.assemble(("        doubtful: ", "yellow"), plain(f"{doubt['check']}: {evidence}", "dim"))
