"""How soon the pages of a report can be used. A process of its own: `python -m benchmarks.report_pages ORDER`.

From the disk, in a browser that has been started before and has none of the pages in its cache.
"""

import sys
import time
from dataclasses import dataclass
from pathlib import Path

import msgspec
from playwright.sync_api import Page
from tests.support.browser import address, browser, page


@dataclass(frozen=True, slots=True)
class Order:
    """Which report."""

    site: str
    run: str
    """The slug of the run whose samples are looked at."""


@dataclass(frozen=True, slots=True)
class Took:
    """Seconds of wall clock, from asking to being there."""

    first_page: float
    """Until a click on a table's header has sorted it."""
    samples: float
    """Until the first rows of the list of samples are there."""
    sorted: float
    """From a click on a header to the sorted list."""
    trajectory: float
    """From a click on a sample to its page."""


def look(order: Order) -> Took:
    """Open the pages one after the other."""
    site = Path(order.site)
    with browser() as started, page(started) as opened:
        opened.goto("about:blank")
        began = time.perf_counter()
        opened.goto(address(site, "index.html"))
        opened.locator("button.sort:visible").first.click()
        opened.wait_for_selector("[aria-sort]")
        first_page = time.perf_counter() - began
        began = time.perf_counter()
        opened.goto(address(site, f"samples.html#run={order.run}"))
        opened.wait_for_selector("#results tbody tr")
        samples = time.perf_counter() - began
        sorting = _clicked(opened, "[data-column=cost]", "#results [aria-sort=descending]")
        trajectory = _clicked(opened, "#results tbody a", "#verdict")
    return Took(first_page, samples, sorting, trajectory)


def _clicked(opened: Page, what: str, until: str) -> float:
    began = time.perf_counter()
    opened.locator(what).first.click()
    opened.wait_for_selector(until)
    return time.perf_counter() - began


if __name__ == "__main__":
    print(msgspec.json.encode(look(msgspec.json.decode(sys.argv[1], type=Order))).decode())
