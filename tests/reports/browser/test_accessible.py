"""axe finds nothing on any page, by day and by night."""

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, expect
from tests.reports.browser.every_page import EVERY_PAGE
from tests.support.browser import address, page, until
from tests.support.made_site import MadeSite

# The first test waits until the report is made.
pytestmark = pytest.mark.timeout(300)

Row = dict[str, Any]

# The longest page need not be looked at once more with other numbers in it.
_PAGES = [name for name in EVERY_PAGE if "#category" not in name]
# Style sheets of pages from the disk cannot be fetched to be read once more, and need not be.
_ALL: Row = {"resultTypes": ["violations"], "preload": False}
# What the night changes.
_COLOURS = {**_ALL, "runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}}

_GRAVE = ("serious", "critical")


@pytest.mark.parametrize("name", _PAGES)
def test_by_day(chromium: Browser, made: MadeSite, name: str) -> None:
    _check(chromium, made, name, _ALL, dark=False)


@pytest.mark.parametrize("name", [name for name in _PAGES if "nobody" not in name and "nothing" not in name])
def test_by_night(chromium: Browser, made: MadeSite, name: str) -> None:
    _check(chromium, made, name, _COLOURS, dark=True)


def _check(chromium: Browser, made: MadeSite, name: str, options: Row, *, dark: bool) -> None:
    with page(chromium, dark=dark) as opened:
        opened.goto(address(made.folder, name))
        expect(opened.locator("h1")).not_to_be_empty()
        if not name.startswith(("index", "section")):
            until(opened, "document.querySelector('#viewer')?.childElementCount > 0")
        opened.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        result = Axe().run(opened, options=options).response
    assert result["passes"], "axe looked at something"
    found = [
        (one["id"], one["impact"], [node["html"][:150] for node in one["nodes"][:3]])
        for one in result["violations"]
    ]
    assert not [one for one in found if one[1] in _GRAVE]
    # There are no lesser ones either; whoever brings one in should know.
    assert not found
