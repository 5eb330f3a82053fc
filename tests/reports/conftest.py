"""A browser for all tests of reports."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser
from tests.support.browser import browser, missing_browser


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """The browser. Not for the whole session: while its driver runs, nobody in this thread can `asyncio.run`."""
    problem = missing_browser()
    if problem is not None:
        pytest.skip(problem)
    with browser() as started:
        yield started
