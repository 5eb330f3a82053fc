"""Text in reading order."""

from tests.archive.layout.pages import Typed

from worktrial.archive.layout.finder import page_content
from worktrial.archive.pages import Box, PageText, Route, Word


def test_columns_of_prose_are_read_one_after_the_other() -> None:
    page = Typed().centre(300, 50, "A heading over both columns", 12)
    for k in range(8):
        page.left(50, 100 + 11 * k, f"left {k} is a line of some length").left(
            320, 100 + 11 * k, f"right {k} as well"
        )
    page.left(50, 220, "A closing line that runs across the gutter and on into the other half of the page")
    lines = page_content(page.page()).text.splitlines()
    assert lines[0] == "A heading over both columns"
    assert [line.split()[0] for line in lines[1:-1]] == ["left"] * 8 + ["right"] * 8
    assert lines[-1].startswith("A closing line")


def test_rows_of_tables_stay_whole_and_leaders_go() -> None:
    page = Typed().left(50, 100, "Year").right(220, 100, "Gross").right(420, 100, "Net")
    rows = [[f"{1990 + k} .........", f"{k}00", f"{k}01"] for k in range(1, 7)]
    content = page_content(page.rows(116, 50, [220, 420], rows).page(3))
    assert content.text.splitlines() == ["Year Gross Net", *(f"{1990 + k} {k}00 {k}01" for k in range(1, 7))]
    assert (content.number, content.route, content.confidence, len(content.tables)) == (3, "text", 1.0, 1)


def test_confidence_is_the_mean_over_the_words() -> None:
    words = (
        Word("sure", Box(50, 50, 70, 58), 8, confidence=1.0),
        Word("doubtful", Box(50, 70, 90, 78), 8, confidence=0.5),
    )
    content = page_content(PageText(1, 612, 792, Route.OCR, words, trouble="faint"))
    assert (content.text, content.confidence, content.tables, content.trouble) == (
        "sure\ndoubtful",
        0.75,
        (),
        "faint",
    )


def test_text_that_runs_up_the_page_comes_last() -> None:
    words = (
        Word("Percent", Box(20, 100, 28, 140), 8),
        *(Word(text, Box(50 + 40 * k, 50, 80 + 40 * k, 58), 8) for k, text in enumerate(["one", "two"])),
    )
    assert page_content(PageText(1, 612, 792, Route.TEXT, words)).text == "one two\nPercent"


def test_an_empty_page() -> None:
    content = page_content(PageText(1, 612, 792, Route.BLANK))
    assert (content.text, content.tables, content.route) == ("", (), "blank")
