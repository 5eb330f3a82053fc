"""The leaderboard as it is written, and what its filters make of it in a browser."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode

import pytest
from markupsafe import Markup
from playwright.sync_api import Browser, Page
from tests.results.runs import record, store
from tests.support.browser import page, until
from tests.support.html_tree import parsed
from tests.support.made_runs import make_run

import worktrial.reports
from worktrial.reports.report import Report, open_report
from worktrial.reports.sections.leaderboard import leaderboard
from worktrial.reports.site import render_index
from worktrial.results import writing
from worktrial.results.figure import figures_in, figures_of

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


def test_runs_are_ranked_with_their_intervals_and_lead_to_their_samples(report: Report) -> None:
    section = leaderboard(report)
    assert section is not None
    made = parsed(section.html)
    board = next(made.all("table", class_="board"))
    assert [r.attributes["data-run"] for r in board.one("tbody").all("tr")] == ["strong", "weak"]
    weak = figures_of(report.runs[0].run).get("completion", "E0")
    name, first, *others = board.one("tr", data_run="weak").children  # type: ignore[misc]
    assert name.text == "weak" and name.one("a").attributes["href"] == "section-runs.html#run-weak"
    assert first.one("a").text == writing.percent(weak.value)
    assert first.one("small").text == writing.percents(weak.interval)
    assert first.one("a").attributes["href"] == "samples.html#run=weak&condition=E0&outcome=pass"
    assert others[-1].text == "40"
    assert all(cell.attributes["data-sort"] or cell.text == "–" for cell in (first, *others))


def test_an_unknown_price_has_no_figure(report: Report) -> None:
    section = leaderboard(report)
    assert section is not None
    strong = next(parsed(section.html).all("tr", data_run="strong"))
    cost = list(strong.all("td"))[4]
    assert (cost.text, cost.attributes["data-sort"]) == ("–", "")


def test_runs_that_measured_otherwise_are_apart(report: Report) -> None:
    section = leaderboard(report)
    assert section is not None
    made = parsed(section.html)
    assert [h.text for h in made.all("h3")] == ["occupations", "starter (1)", "starter (2)"]
    assert "differ in the data." in list(made.all("p", class_="note"))[-2].text


def test_hostile_names_stay_text(report: Report) -> None:
    section = leaderboard(report)
    assert section is not None
    made = parsed(section.html)
    hostile = report.runs[3]
    assert "<script>" in hostile.name
    assert hostile.name in made.one("tr", data_run=hostile.slug).text
    assert {s.attributes["type"] for s in made.all("script")} == {"application/json"}
    assert json.loads(made.one("script").text)["boards"]


def test_a_figure_of_nothing_opens_no_empty_page(tmp_path: Path) -> None:
    """A completion of 0.0 % led to the samples that passed, of which there were none."""
    runs = [store(tmp_path / "none", [record(str(n), "fail") for n in range(4)])]
    section = leaderboard(open_report([run.folder for run in runs], "r"))
    assert section is not None
    links = {
        cell.text: cell.attributes["href"] for cell in parsed(section.html).one("tr", data_run="none").all("a")
    }
    assert links["0.0%"] == "samples.html#run=none&condition=E0"


def test_a_filter_counts_anew_and_is_kept_in_the_address(shown: Page, report: Report) -> None:
    run = report.runs[0].run
    industry = run.records[0].tags["category"]
    shown.select_option("select[name=category]", industry)
    shown.select_option("select[name=condition]", "E2")
    _check_filtered(shown, report, industry, "E2")
    address = shown.url
    shown.reload()
    assert shown.url == address
    _check_filtered(shown, report, industry, "E2")
    shown.click("text=Show all")
    assert "#" not in shown.url
    assert _texts(shown, "weak")[-1] == "40"


def test_a_link_into_filtered_figures_works(chromium: Browser, index: Path, report: Report) -> None:
    industry = report.runs[0].run.records[3].tags["category"]
    with page(chromium) as opened:
        opened.goto(f"{index.as_uri()}#{urlencode({'category': industry, 'condition': 'E1'})}")
        _check_filtered(opened, report, industry, "E1")
        told = opened.locator("#leaderboard-status").text_content()
        assert told is not None and told.startswith(f"Shown: industry {industry}, condition E1.")
        opened.evaluate("location.hash = '#category=no+such+industry'")
        until(opened, "document.querySelector('select[name=category]').value === ''")


def test_a_condition_alone_shows_what_the_page_was_made_with(shown: Page, report: Report) -> None:
    shown.select_option("select[name=condition]", "E3")
    estimate = figures_of(report.runs[0].run).get("completion", "E3")
    assert _cell(shown, "weak", 1)["text"] == writing.percent(estimate.value) + writing.percents(estimate.interval)
    assert shown.locator("[data-board-of]:visible").count() == 1
    shown.select_option("select[name=condition]", "")
    assert shown.locator("[data-board-of]:visible").count() == 3
    estimate = figures_of(report.runs[0].run).get("completion", "E0")
    assert _cell(shown, "weak", 1)["text"] == writing.percent(estimate.value) + writing.percents(estimate.interval)


def test_tables_sort_by_the_keyboard_and_tell_it(shown: Page) -> None:
    button = shown.locator("table[data-board='0'] th button", has_text="Invalid")
    button.focus()
    shown.keyboard.press("Enter")
    board = shown.locator("table[data-board='0']")
    assert board.locator("th[aria-sort]").all_text_contents() == ["Invalid"]
    assert board.locator("th[aria-sort]").get_attribute("aria-sort") == "descending"
    first = board.locator("tbody tr").first
    assert first.get_attribute("data-run") == "weak"
    assert "sorted by Invalid, descending" in (shown.locator("main > [role=status]").text_content() or "")
    shown.keyboard.press("Enter")
    assert board.locator("tbody tr").first.get_attribute("data-run") == "strong"
    # Without a price: last whichever way.
    for _ in range(2):
        shown.locator("table[data-board='0'] th button", has_text="Cost").click()
        assert board.locator("tbody tr").last.get_attribute("data-run") == "strong"


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


def _check_filtered(shown: Page, report: Report, industry: str, condition: str) -> None:
    for entry in report.runs[:2]:
        records = [r for r in entry.run.records if r.condition == condition and r.tags.get("category") == industry]
        found = figures_in(entry.run, records, condition)
        cells = _texts(shown, entry.slug)
        assert cells[-1] == str(len(records))
        for cell, name in zip(cells, ("completion", "completion_of_valid"), strict=False):
            own = found.get(name)
            assert cell == writing.percent(own.value) + writing.percents(own.interval)
        assert cells[5] == writing.seconds(found.get("seconds").value)
        assert cells[6] == writing.percent(found.get("invalid").value)
        href = _cell(shown, entry.slug, 8)["href"]
        assert parse_qs(href.partition("#")[2]) == {
            "run": [entry.slug],
            "condition": [condition],
            "category": [industry],
        }


def _texts(shown: Page, slug: str) -> list[str]:
    return [_cell(shown, slug, place)["text"] for place in range(1, 9)]


def _cell(shown: Page, slug: str, place: int) -> dict[str, Any]:
    found: dict[str, Any] = shown.evaluate(
        """([slug, place]) => {
          const cell = document.querySelector(`tr[data-run="${slug}"]`).cells[place];
          const link = cell.querySelector("a");
          return { text: cell.textContent, href: link ? link.getAttribute("href") : null };
        }""",
        [slug, place],
    )
    return found
