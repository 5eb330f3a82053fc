"""Any text gets into a page as it is, and a data file is nothing but script."""

from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from playwright.sync_api import Browser, Page
from tests.support.browser import page
from tests.support.hostile import ATTACKS

from worktrial.reports.viewer.script_data import array, data_file, encoded, literal, literal_size
from worktrial.reports.viewer.write import write_data

TEXTS = st.text(max_size=40) | st.sampled_from([*ATTACKS, "__proto__", "\\", "\\'", "'", "\r\n", "*/", "\u2028"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)


@given(VALUES)
def test_a_literal_is_one_plain_line(value: object) -> None:
    text = encoded(value).decode()
    assert not any(c in text for c in "<>&\n\r\u2028\u2029")
    assert text.startswith("'") and text.endswith("'")
    assert literal_size(msgspec.json.encode(value)) == len(encoded(value))


@pytest.fixture
def blank(tmp_path: Path, chromium: Browser) -> object:
    (tmp_path / "blank.html").write_text("<!doctype html><meta charset=utf-8><title>t</title>")
    with page(chromium) as opened:
        opened.goto((tmp_path / "blank.html").as_uri())
        yield opened


def _arrived(opened: Page, folder: Path, fields: dict[str, bytes]) -> list[object]:
    """What a page that loads the data file gets, each field parsed."""
    write_data(folder, "some/file", data_file("some/file", fields))
    opened.evaluate("window.Worktrial = { receive: (name, fields) => { window.got = [name, fields]; } }")
    path = folder / "data" / "some" / "file.js"
    opened.evaluate(
        """(src) => new Promise((resolve, reject) => {
          const script = document.createElement("script");
          script.src = src; script.onload = resolve; script.onerror = reject; document.head.append(script);
        })""",
        path.as_uri(),
    )
    json = opened.evaluate(
        "JSON.stringify([got[0], ...Object.values(got[1]).flat().map((t) => t === null ? null : JSON.parse(t))])"
    )
    return list(msgspec.json.decode(json))


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(VALUES, max_size=4), VALUES)
def test_everything_arrives(tmp_path: Path, blank: Page, values: list[object], other: object) -> None:
    fields = {"many": array([encoded(value) for value in values]), "one": encoded(other)}
    assert _arrived(blank, tmp_path, fields) == ["some/file", *values, other]


def test_json_that_would_break_a_script_as_an_object(tmp_path: Path, blank: Page) -> None:
    stored = b'{"__proto__":{"a":1},"__proto__":{"a":2},"x":"</script><!--\\u2028"}'
    [_, got] = _arrived(blank, tmp_path, {"one": literal(stored)})
    assert got == {"__proto__": {"a": 2}, "x": "</script><!--\u2028"}
