"""The leaderboard as it is written, and in a browser."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from markupsafe import Markup
from playwright.sync_api import Browser, Page
from tests.results.runs import record, store
from tests.support.browser import page
from tests.support.html_tree import Element, parsed
from tests.support.made_runs import make_run

import worktrial.reports
from worktrial.reports.report import Report, open_report
from worktrial.reports.sections.leaderboard import leaderboard
from worktrial.reports.site import render_index
from worktrial.results import writing
from worktrial.results.figure import figures_of

_ALL = ("E0", "E1", "E2", "E3")


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    at = tmp_path_factory.mktemp("runs")
    return open_report(
        [
            make_run(at / "weak", agent="weak", tasks=40, conditions=_ALL, skill=0.4, invalid=0.1),
            make_run(at / "strong", agent="strong", tasks=40, conditions=_ALL, skill=0.8, cost=None),
            make_run(at / "again", agent="again", suite="starter", tasks=8, repeats=4),
            make_run(at / "hostile", agent="h", suite="starter", tasks=9, seed=3, hostile=True),
        ],
        "Trial",
    )


@pytest.fixture(scope="module")
def index(report: Report, tmp_path_factory: pytest.TempPathFactory) -> Path:
    into = tmp_path_factory.mktemp("site")
    section = leaderboard(report)
    assert section is not None
    (into / "index.html").write_text(render_index(report, Markup(""), [section], None), "utf-8")
    shutil.copytree(Path(worktrial.reports.__file__).parent / "assets", into / "assets")
    return into / "index.html"


@pytest.fixture
def shown(chromium: Browser, index: Path) -> Iterator[Page]:
    """The page, on which nothing may go wrong."""
    with page(chromium) as opened:
        opened.goto(index.as_uri())
        yield opened


def _rows(table: Element) -> dict[str, dict[str, Element]]:
    """Cells by the first words of the row's name, and by column."""
    heads = [head.text for head in table.one("thead").all("th")]
    rows = [list(row.all()) for row in table.one("tbody").all("tr")]
    cells = [[cell for cell in row if cell.name in ("th", "td")] for row in rows]
    return {row[0].one("a").text: dict(zip(heads, row, strict=True)) for row in cells}


def test_runs_are_ranked_with_their_intervals_and_lead_to_their_samples(report: Report) -> None:
    section = leaderboard(report)
    assert section is not None
    board = _rows(next(parsed(section.html).all("table")))
    assert list(board) == ["strong", "weak"]
    weak = figures_of(report.runs[0].run).get("completion", "E0")
    row = board["weak"]
    assert row["Agent"].one("a").attributes["href"] == "section-runs.html#run-weak"
    first = row["Completion"]
    assert first.one("a").text == writing.percent(weak.value)
    assert first.one("small").text == writing.percents(weak.interval)
    assert first.one("a").attributes["href"] == "samples.html#run=weak&condition=E0&outcome=pass"
    assert row["Samples"].text == "40" and "pass^k" not in row, "a column without a figure is left out"
    assert all(cell.attributes["data-sort"] or cell.text == "–" for name, cell in row.items() if name != "Agent")


def test_an_unknown_price_has_no_figure(report: Report) -> None:
    section = leaderboard(report)
    assert section is not None
    cost = _rows(next(parsed(section.html).all("table")))["strong"]["Cost per task"]
    assert (cost.text, cost.attributes["data-sort"]) == ("–", "")


def test_runs_that_measured_otherwise_are_apart(report: Report) -> None:
    section = leaderboard(report)
    assert section is not None
    made = parsed(section.html)
    assert [h.text for h in made.all("caption")] == ["occupations", "starter (1)", "starter (2)"]
    assert "differ in the data." in list(made.all("p", class_="note"))[-1].text


def test_hostile_names_stay_text(report: Report) -> None:
    section = leaderboard(report)
    assert section is not None
    made = parsed(section.html)
    hostile = report.runs[3]
    assert "<script>" in hostile.name
    assert any(hostile.name in row.text for row in made.all("tr")) and not list(made.all("script"))


def test_a_figure_of_nothing_opens_no_empty_page(tmp_path: Path) -> None:
    """A completion of 0.0 % led to the samples that passed, of which there were none."""
    runs = [store(tmp_path / "none", [record(str(n), "fail") for n in range(4)])]
    section = leaderboard(open_report([run.folder for run in runs], "r"))
    assert section is not None
    links = {cell.text: cell.attributes["href"] for cell in parsed(section.html).one("tbody").all("a")}
    assert links["0.0%"] == "samples.html#run=none&condition=E0"


def test_tables_sort_by_the_keyboard_and_tell_it(shown: Page) -> None:
    board = shown.locator("table").first
    button = board.locator("th button", has_text="Invalid")
    button.focus()
    shown.keyboard.press("Enter")
    assert board.locator("th[aria-sort]").all_text_contents() == ["Invalid"]
    assert board.locator("th[aria-sort]").get_attribute("aria-sort") == "descending"
    assert (board.locator("tbody th a").first.text_content()) == "weak"
    assert "sorted by Invalid, descending" in (shown.locator("main > [role=status]").text_content() or "")
    shown.keyboard.press("Enter")
    assert (board.locator("tbody th a").first.text_content()) == "strong"
    # Without a price: last whichever way.
    for _ in range(2):
        board.locator("th button", has_text="Cost").click()
        assert (board.locator("tbody th a").last.text_content()) == "strong"


def test_the_chosen_theme_is_kept(shown: Page) -> None:
    before = shown.evaluate("getComputedStyle(document.body).backgroundColor")
    shown.click("[data-theme-toggle]")
    after = shown.evaluate("getComputedStyle(document.body).backgroundColor")
    assert after != before
    shown.reload()
    assert shown.evaluate("getComputedStyle(document.body).backgroundColor") == after


def test_nothing_is_wider_than_a_phone(shown: Page) -> None:
    shown.set_viewport_size({"width": 360, "height": 740})
    assert shown.evaluate("document.documentElement.scrollWidth") == 360
