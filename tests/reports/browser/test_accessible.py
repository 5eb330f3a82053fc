"""axe finds nothing serious on any page, by day and by night."""

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, expect
from tests.reports.browser.every_page import EVERY_PAGE
from tests.support.browser import address, page
from tests.support.made_site import MadeSite

Row = dict[str, Any]

_GRAVE = ("serious", "critical")


# Style sheets of pages from the disk cannot be fetched to be read once more, and need not be.
_ALL: Row = {"resultTypes": ["violations"], "preload": False}
# What the night changes.
_COLOURS = {**_ALL, "runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}}


@pytest.mark.parametrize(("dark", "options"), [(False, _ALL), (True, _COLOURS)], ids=["light", "dark"])
def test_axe_finds_nothing(chromium: Browser, made: MadeSite, dark: bool, options: Row) -> None:
    axe = Axe()
    found: dict[str, list[Any]] = {}
    with page(chromium, dark=dark) as opened:
        for rest in EVERY_PAGE:
            if "#category" in rest:
                continue  # The longest page once more, with other numbers in it.
            opened.goto("about:blank")
            opened.goto(address(made.folder, rest))
            expect(opened.locator("h1")).not_to_be_empty()
            if not rest.startswith("index"):
                opened.wait_for_function("document.querySelector('#viewer')?.childElementCount > 0")
            opened.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
            result = axe.run(opened, options=options).response
            assert result["passes"], "axe looked at something"
            found[rest] = [
                (one["id"], one["impact"], [node["html"][:150] for node in one["nodes"][:3]])
                for one in result["violations"]
            ]
    grave = {rest: [one for one in listed if one[1] in _GRAVE] for rest, listed in found.items()}
    assert not any(grave.values()), grave
    # There are no lesser ones either; whoever brings one in should know.
    assert not any(found.values()), found
