"""Every page on a phone, in the dark, on paper, and for those who asked for less motion."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.reports.browser.every_page import EVERY_PAGE
from tests.support.browser import address, page, until
from tests.support.made_site import MadeSite

# The first test waits until the report is made.
pytestmark = pytest.mark.timeout(300)

_UNFOLD = "document.querySelectorAll('details').forEach((one) => { one.open = true; })"


def _go(opened: Page, made: MadeSite, rest: str) -> None:
    # Another fragment alone does not make a new page.
    opened.goto("about:blank")
    opened.goto(address(made.folder, rest))
    expect(opened.locator("h1")).not_to_be_empty()
    if not rest.startswith(("index", "section")):
        until(opened, "document.querySelector('#viewer')?.childElementCount > 0")


def test_no_page_is_wider_than_a_phone(chromium: Browser, made: MadeSite) -> None:
    with page(chromium, width=360) as opened:
        for rest in EVERY_PAGE:
            _go(opened, made, rest)
            opened.evaluate(_UNFOLD)
            assert opened.evaluate("document.documentElement.scrollWidth") <= 360, rest
            assert opened.title() and opened.locator("h1").count() == 1
            # What is wide scrolls by itself, and the keyboard can get there.
            stuck = opened.evaluate(
                """[...document.querySelectorAll("main *")].filter((one) => one.scrollWidth > one.clientWidth + 1 &&
                  ["auto", "scroll"].includes(getComputedStyle(one).overflowX) && one.tabIndex < 0)
                  .map((one) => one.outerHTML.slice(0, 200))"""
            )
            assert stuck == [], rest


def test_what_can_be_pressed_is_large_enough_for_a_finger(chromium: Browser, made: MadeSite) -> None:
    with page(chromium, width=360) as opened:
        for rest in ("index.html", "samples.html#run=brook", "trajectory.html#run=brook&sample=task-4"):
            _go(opened, made, rest)
            small = opened.evaluate(
                """[...document.querySelectorAll("button, select, input, summary")].filter((one) => {
                  const box = one.getBoundingClientRect();
                  return box.height > 0 && box.height < 24;
                }).map((one) => one.outerHTML.slice(0, 120))"""
            )
            assert small == [], rest


@pytest.mark.parametrize("dark", [False, True])
def test_the_theme_is_the_readers_until_they_choose(chromium: Browser, made: MadeSite, dark: bool) -> None:
    with page(chromium, dark=dark) as opened:
        grounds = set()
        for rest in ("index.html", "samples.html", "trajectory.html#run=brook&sample=task-4"):
            _go(opened, made, rest)
            grounds.add(_lightness(opened, "body", "backgroundColor"))
        (ground,) = grounds
        assert (ground < 0.2) is dark
        toggle = opened.get_by_role("button", name="Light" if dark else "Dark")
        toggle.focus()
        opened.keyboard.press("Enter")
        assert (_lightness(opened, "body", "backgroundColor") < 0.2) is not dark
        _go(opened, made, "index.html")
        assert (_lightness(opened, "body", "backgroundColor") < 0.2) is not dark, "kept on the other pages"


def test_on_paper_it_is_light_and_without_controls(chromium: Browser, made: MadeSite, tmp_path: Path) -> None:
    with page(chromium, dark=True) as opened:
        for rest in (
            "index.html",
            "samples.html#run=brook",
            "trajectory.html#run=brook&sample=task-4&condition=E2",
        ):
            _go(opened, made, rest)
            opened.emulate_media(media="print")
            assert _lightness(opened, "body", "backgroundColor") > 0.9
            assert _lightness(opened, "body", "color") < 0.2
            for gone in (".page-header", ".filters", ".skip"):
                assert opened.locator(f"{gone}:visible").count() == 0, (rest, gone)
            # Nothing is cut off at the edge of an A4 sheet with margins.
            opened.set_viewport_size({"width": 718, "height": 1000})
            assert opened.evaluate("document.documentElement.scrollWidth") <= 718, rest
            made_of = opened.pdf(path=tmp_path / "page.pdf", format="A4")
            assert made_of.startswith(b"%PDF")
            opened.set_viewport_size({"width": 1280, "height": 900})
            opened.emulate_media(media="screen")


def test_nothing_moves_for_those_who_asked(chromium: Browser, made: MadeSite) -> None:
    pages = ("index.html", "samples.html", "trajectory.html#run=brook&sample=task-4")
    scrolls = "getComputedStyle(document.documentElement).scrollBehavior"
    with page(chromium, reduced_motion="no-preference") as opened:
        _go(opened, made, pages[0])
        assert opened.evaluate(scrolls) == "smooth"
    with page(chromium, reduced_motion="reduce") as opened:
        for rest in pages:
            _go(opened, made, rest)
            assert opened.evaluate(scrolls) == "auto"
            moving = opened.evaluate(
                """[...document.querySelectorAll("*")].filter((one) => {
                  const { transitionDuration, animationDuration } = getComputedStyle(one);
                  return parseFloat(transitionDuration) > 0 || parseFloat(animationDuration) > 0;
                }).length"""
            )
            assert moving == 0


def _lightness(opened: Page, of: str, what: str) -> float:
    """Relative luminance of a colour."""
    colour = opened.evaluate(f"getComputedStyle(document.querySelector('{of}')).{what}")
    channels = [int(part) / 255 for part in colour.removeprefix("rgb(").removesuffix(")").split(",")]
    return sum(weight * c**2.2 for weight, c in zip((0.2126, 0.7152, 0.0722), channels, strict=True))
