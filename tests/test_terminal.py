"""Tables on narrow terminals: they become lists, and no word is broken."""

import io

import pytest
from rich.table import Table

from worktrial.terminal import SafeConsole, print_line, print_whole_words, table_of

HEADINGS = ["judge", "cases", "accuracy", "95 % interval", "false pass", "false fail", "kappa", "no verdict"]
ROWS = [
    [
        "a-model-with-a-name (3 votes)",
        "1290",
        "88.1%",
        "85.0% - 90.7%",
        "40/645 (6%)",
        "114/645 (18%)",
        "0.76",
        "3",
    ],
    ["  each vote by itself", "3870", "86.9%", "85.8% - 87.9%", "151/1935 (8%)", "356/1935 (18%)", "0.74", "9"],
]


def wide() -> Table:
    table = Table(title="verdicts")
    for n, heading in enumerate(HEADINGS):
        table.add_column(heading, justify="right" if n else "left")
    for row in ROWS:
        table.add_row(*row, end_section=True)
    return table


def printed(width: int) -> str:
    console = SafeConsole(file=io.StringIO(), width=width)
    print_whole_words(console, wide())
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


@pytest.mark.parametrize("width", [40, 60, 80, 100, 200])
def test_no_word_and_no_figure_is_broken(width: int) -> None:
    shown = printed(width)
    assert max(map(len, shown.splitlines())) <= width
    for word in " ".join(HEADINGS).split():
        assert word in shown
    for figure in (cell for row in ROWS for cell in row[1:]):
        assert figure in shown, "figures stay whole, too, blanks and all"
    assert shown.lstrip().startswith("verdicts")
    # On a narrow one each figure stands in a line of its own, behind its heading.
    assert ("│" in shown) == (width >= 200)
    assert width >= 200 or "  cases          1290\n" in shown


def test_a_word_longer_than_the_terminal_is_folded_rather_than_lost() -> None:
    table = Table("run", "number")
    table.add_row("x" * 90, "/a/folder/" + "deep/" * 30)
    console = SafeConsole(file=io.StringIO(), width=60)
    print_whole_words(console, table)
    assert isinstance(console.file, io.StringIO)
    lines = console.file.getvalue().splitlines()
    assert max(map(len, lines)) <= 60
    assert "".join(lines).count("x") == 90
    assert "".join(lines).count("deep/") >= 25


def test_lines_are_broken_on_terminals_only() -> None:
    said = "the chance with the test that is the stricter one, " * 4
    for is_terminal, count in ((True, 3), (False, 1)):
        console = SafeConsole(file=io.StringIO(), width=80, force_terminal=is_terminal, color_system=None)
        print_line(console, said)
        assert isinstance(console.file, io.StringIO)
        lines = console.file.getvalue().splitlines()
        assert len(lines) == count
        assert " ".join(" ".join(lines).split()) == said.strip()


def test_a_table_that_just_fits_loses_no_column() -> None:
    headers = ("agent", "completion rate", "95 % interval", "passed", "failed", "invalid", "cost per task")
    made = table_of(headers)
    made.add_row("careful", "100.0%", "67.9 to 100.0%", "53", "0", "0", "$0.00")
    console = SafeConsole(width=80, file=io.StringIO())
    print_whole_words(console, made)
    lines = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    assert {len(line) for line in lines} == {len(lines[0])} and len(lines[0]) <= 80
    assert lines[-2].rstrip().endswith("$0.00 │")
