"""The threat model: every promise names a test, and the test is there."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
NAMED = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")


def test_every_promise_names_a_test_that_is_there() -> None:
    page = (ROOT / "SECURITY.md").read_text("utf-8")
    promised = page.partition("## Promises")[2].partition("## Not promised")[0]
    promises = re.split(r"^- ", promised, flags=re.MULTILINE)[1:]
    assert len(promises) > 15
    for promise in promises:
        named = NAMED.findall(promise)
        assert named, promise
        for file, test in named:
            text = (ROOT / file).read_text("utf-8")
            assert re.search(rf"^def {test}\(", text, re.MULTILINE), f"{file}::{test}"
