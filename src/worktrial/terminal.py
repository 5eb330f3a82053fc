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
    from rich.table import Column, Table

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


def print_whole_words(console: Console, table: "Table") -> None:
    """Print a table that breaks no word and no figure, in several parts where the terminal is too narrow for it."""
    for part in whole_words(table, console.width):
        console.print(part)


# A column's blank on either side and its line; the table's last line.
_EDGES, _LAST_EDGE = 3, 1


def whole_words(table: "Table", width: int) -> Iterator["Table"]:
    """Tables with the columns of `table` that fit, each with the first column, which says what a row is about.

    Args:
        table: With a box around it.
        width: Columns of the terminal. Only what is longer than half of it in the first column, or than the rest
            in another, is broken.
    """
    first, *others = table.columns
    if _edged(map(_natural, table.columns)) <= width:
        yield table
        return
    name = min(_longest_word(first), width // 2)
    room = width - _edged([name]) - _EDGES
    groups: list[list[tuple[Column, int]]] = [[]]
    for column in others:
        needed = min(_least(column), room)
        if groups[-1] and _edged([name, needed, *(least for _, least in groups[-1])]) > width:
            groups.append([])
        groups[-1].append((column, needed))
    for number, group in enumerate(groups):
        part = _part(table, [(first, name), *group], width)
        part.title = table.title if number == 0 else None
        part.caption = table.caption if number == len(groups) - 1 else None
        yield part


def _part(table: "Table", columns: list[tuple["Column", int]], width: int) -> "Table":
    from rich.table import Table

    part = Table(title_justify=table.title_justify, caption_justify=table.caption_justify)
    spare = width - _edged(needed for _, needed in columns)
    for column, needed in columns:
        taken = max(0, min(spare, _natural(column) - needed))
        spare -= taken
        part.add_column(column.header, justify=column.justify, width=needed + taken, overflow="fold")
    ends = [row.end_section for row in table.rows]
    for end, cells in zip(ends, zip(*(column.cells for column, _ in columns), strict=True), strict=True):
        part.add_row(*cells, end_section=end)
    return part


def _edged(widths: Iterable[int]) -> int:
    return sum(width + _EDGES for width in widths) + _LAST_EDGE


def _natural(column: "Column") -> int:
    return max(cell_len(line) for cell in (column.header, *column.cells) for line in str(cell).split("\n"))


def _least(column: "Column") -> int:
    """Width at which only the heading is broken, and that between words."""
    lines = (cell_len(line) for cell in column.cells for line in str(cell).split("\n"))
    return max([_longest_word(column, header_only=True), *lines])


def _longest_word(column: "Column", *, header_only: bool = False) -> int:
    cells = [column.header] if header_only else [column.header, *column.cells]
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

    of = "1 task" if tasks == 1 else f"{tasks:,} tasks"
    shift = smallest_shift(tasks, rate, repeats=repeats, cluster_effect=cluster_effect)
    if shift is None:
        return f"{of} are too few to tell two agents apart; how many are enough says worktrial power"
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
