"""The review page in a real browser: nothing runs, is fetched or sticks out, and axe finds nothing grave."""

from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from tests.support.browser import browser, missing_browser, page
from tests.support.hostile import spoilt
from tests.synthesis.review.made_suite import MadeSuite

from worktrial.synthesis.review import write_review

_GRAVE = ("serious", "critical")


@pytest.mark.timeout(240)
def test_a_hostile_suite_can_be_looked_at(tmp_path: Path) -> None:
    problem = missing_browser()
    if problem is not None:
        pytest.skip(problem)
    texts = iter(range(10**6))
    suite = MadeSuite(tmp_path / "suite", subtopics=2, spoil=lambda text: spoilt(text, next(texts) % 7))
    suite.drafted().finished()
    suite.repaired(suite.slots[0])
    address = write_review(suite.folder).resolve().as_uri()
    with browser() as chromium:
        for width, dark in ((1280, False), (360, True)):
            # `page` fails where a script ran, a window or a dialog opened, or anything was asked for.
            with page(chromium, width=width, dark=dark, bypass_csp=True) as opened:
                opened.goto(address)
                opened.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
                assert opened.locator("h1").count() == 1
                assert opened.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
                found = Axe().run(opened, options={"resultTypes": ["violations"], "preload": False}).response
            assert found["passes"], "axe looked at something"
            assert not [(one["id"], one["impact"]) for one in found["violations"] if one["impact"] in _GRAVE]
