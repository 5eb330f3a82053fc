"""A real browser for the pages of reports: Debian's Chromium, driven by Playwright."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import which
from time import monotonic
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright
from tests.support.hostile import INJECTED

NAME = "chromium"

# On every page that is gone through, not only the last one.
_TELL = f"Object.defineProperty(window, '{INJECTED}', {{set() {{ console.error('an attack was carried out'); }}}});"


def missing_browser() -> str | None:
    """Why there is no browser to test with, or None where there is one."""
    return None if which(NAME) else f"no `{NAME}` on the path: apt-get install {NAME}"


@contextmanager
def browser() -> Iterator[Browser]:
    """The browser, for as long as it is needed."""
    with sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=which(NAME), args=["--no-sandbox"])
        try:
            yield started
        finally:
            started.close()


@contextmanager
def page(
    of: Browser, *, width: int = 1280, dark: bool = False, of_site: str = "file:", **more: Any
) -> Iterator[Page]:
    """A page on which nothing may go wrong: no error, no warning on the console, no script but our own, no network.

    Args:
        of: The browser.
        width: In CSS pixels.
        dark: What the reader prefers.
        of_site: How every address begins that is asked for.
        more: Of the context: `reduced_motion`, `bypass_csp`, …

    Raises:
        AssertionError: something did, or an attack of `tests.support.hostile` had its way.
    """
    context = of.new_context(
        viewport={"width": width, "height": 900}, color_scheme="dark" if dark else "light", **more
    )
    context.set_default_timeout(10_000)
    troubles: list[str] = []
    context.add_init_script(_TELL)
    opened = context.new_page()
    opened.on("console", lambda said: troubles.append(said.text) if said.type in ("error", "warning") else None)
    opened.on("pageerror", lambda error: troubles.append(str(error)))
    context.on("request", lambda asked: None if asked.url.startswith(of_site) else troubles.append(asked.url))
    opened.on("dialog", lambda dialog: troubles.append(f"dialog: {dialog.message}"))
    try:
        yield opened
        assert len(context.pages) == 1, "a window was opened"
        assert not troubles, troubles
    finally:
        context.close()


def until(opened: Page, expression: str) -> None:
    """Wait until an expression holds on the page.

    Playwright's own way evaluates it within the page, where a policy against `eval` refuses it from the second
    look on.

    Raises:
        AssertionError: it does not, for ten seconds.
    """
    end = monotonic() + 10
    while not opened.evaluate(expression):
        assert monotonic() < end, expression
        opened.wait_for_timeout(20)


def address(site: Path, rest: str) -> str:
    """The address of one of the site's pages, from the disk."""
    return f"{site.resolve().as_uri()}/{rest}"
