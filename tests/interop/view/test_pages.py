"""The viewer's pages in a browser."""

from collections.abc import Iterator
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import urlopen

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser
from tests.support.browser import page, until
from tests.support.cli import worktrial
from tests.support.made_runs import make_run
from tests.support.viewing import viewing


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("runs")
    make_run(folder / "first", agent="brook", tasks=12, conditions=("E0", "E2"))
    make_run(folder / "second", agent="heron", tasks=12)
    make_run(folder / "hostile", agent="mal", tasks=12, hostile=True)
    with viewing(folder) as printed:
        yield printed


def test_from_the_runs_to_a_call_and_back(address: str, chromium: Browser) -> None:
    with page(chromium, of_site=address) as opened:
        # An overview is reckoned when it is asked for.
        opened.set_default_timeout(60_000)
        opened.goto(address)
        assert opened.inner_text("h1") == "Runs"
        opened.get_by_role("link", name="brook").first.click()
        opened.wait_for_selector("#results")
        assert "24 samples" in opened.inner_text("#status")
        opened.locator("#results tbody th a").first.click()
        opened.wait_for_selector("#call-1")
        opened.get_by_role("link", name="Runs").click()
        opened.get_by_label("Compare heron").check()
        opened.get_by_label("Compare brook").check()
        opened.get_by_role("button", name="Compare the chosen runs").click()
        opened.wait_for_selector("#leaderboard")
        assert "2 runs" in opened.inner_text("main")
        assert opened.locator("#leaderboard").get_by_text("mal", exact=True).count() == 0


@pytest.mark.parametrize("dark", [False, True])
def test_the_runs_on_a_phone_and_by_other_means(address: str, chromium: Browser, dark: bool) -> None:
    with page(chromium, width=390, dark=dark, of_site=address, bypass_csp=True) as opened:
        opened.goto(address)
        assert opened.evaluate("document.documentElement.scrollWidth") <= 390
        found = Axe().run(opened)
        assert [(one["id"], one["nodes"][0]["html"]) for one in found.response["violations"]] == []


def test_without_scripts_there_are_tables(address: str, chromium: Browser) -> None:
    with page(chromium, of_site=address, java_script_enabled=False) as opened:
        opened.set_default_timeout(60_000)
        opened.goto(address)
        assert opened.locator("tbody tr").count() == 3
        opened.get_by_role("button", name="Compare the chosen runs").click()
        assert opened.locator("#leaderboard tbody tr").count() == 3


def test_a_run_that_is_gone_is_said(address: str, chromium: Browser, tmp_path: Path) -> None:
    with page(chromium, of_site=address) as opened:
        opened.goto(f"{address}samples.html#run=nobody")
        opened.wait_for_selector(".warning")
        assert "no run “nobody”" in opened.inner_text(".warning")


def test_pages_with_the_cells_of_the_answer(tmp_path: Path, chromium: Browser) -> None:
    """The picture is drawn when it is unfolded; without its file the page says so."""
    ran = worktrial("run", "documents", "--agent", "reference", "--tasks", "H010", "-o", tmp_path / "docs")
    assert ran.code == 0, ran.err
    with viewing(tmp_path) as own, page(chromium, of_site=own, bypass_csp=True) as opened:
        asked: list[str] = []
        opened.on("request", lambda one: asked.append(one.url))
        opened.goto(f"{own}trajectory.html#run=docs&sample=H010")
        folded = opened.locator(
            "#answer summary", has_text="Page: halvern_bulletin_1995_12, page 4, table 1, 1 cell"
        )
        folded.wait_for()
        assert not [one for one in asked if "picture?" in one]
        folded.press("Enter")
        until(opened, "document.querySelector('#answer img')?.naturalWidth > 600")
        assert opened.locator("#answer img").get_attribute("alt")
        assert opened.locator(".call summary", has_text="Page: ").count() == 2  # the query and the table
        found = Axe().run(opened)
        assert [(one["id"], one["nodes"][0]["html"]) for one in found.response["violations"]] == []
        gone = quote('["halvern_bulletin_1995_12",99,[]]')
        for rest, status in (
            ("picture?run=docs&name=odd", 404),
            ("picture?run=nobody&name=odd", 404),
            (f"picture?run=docs&name={gone}", 409),
            ("pictures?run=docs&sample=nothing", 200),
            ("pictures?run=docs&sample=H010&repeat=x", 404),
        ):
            try:
                with urlopen(own + rest) as answer:
                    assert answer.status == status and answer.read() == b'{"calls":{}}'
            except HTTPError as error:
                assert error.code == status, rest
