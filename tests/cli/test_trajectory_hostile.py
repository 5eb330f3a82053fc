"""A trajectory of any suite cannot steer the terminal, whatever stands in its fields."""

import json
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from tests.support.cli import command
from tests.support.run_files import records_in, store_work, work_of

HOSTILE = "\x1b]0;owned\x07\x1b[2Jred \x9b31m \u202edesrever [bold]plain[/bold] [/red] \u2028\r\n"
# What the engine writes itself, as words or numbers that mean something.
_OURS = {"role", "outcome", "kind", "type", "sample", "condition", "step_id", "mode", "unit", "effect"}

SUITES = {
    "starter": ("run", "starter", "--agent", "plan", "--tasks", "lab-01", "--faults", "E2"),
    "documents": ("run", "documents", "--agent", "reference", "--limit", "1"),
    "turns": ("run", "orchestration", "--agent", "gold", "--limit", "1", "--language", "en"),
    "free": (
        *("run", "orchestration", "--agent", "gold", "--limit", "1", "--language", "en"),
        *("--mode", "free", "--simulator", "none"),
    ),
}


def _spoilt(value: Any, name: str = "") -> Any:
    if isinstance(value, str):
        return value if name in _OURS else value + HOSTILE
    if isinstance(value, list):
        return [_spoilt(one, name) for one in value]
    if isinstance(value, dict):
        return {key: _spoilt(one, key) for key, one in value.items()}
    return value


def _steering(text: str) -> set[str]:
    return {hex(ord(c)) for c in text if unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp") and c != "\n"}


@pytest.mark.parametrize("suite", SUITES)
def test_no_field_reaches_the_terminal_raw(suite: str, tmp_path: Path) -> None:
    run = tmp_path / "run"
    assert command(*SUITES[suite], "-o", run).code == 0
    rows = [{**_spoilt(row), "usage": row.get("usage", {})} for row in records_in(run)]
    store_work(run, zip(rows, map(_spoilt, work_of(run)), strict=True))
    row = rows[0]
    words = ("trajectory", run, row["sample"], "--condition", row.get("condition", "E0"))
    shown = command(*words)
    assert shown.code == 0, shown.err
    assert "[bold]plain[/bold]" in shown.out
    assert _steering(shown.out) == set()
    as_json = command(*words, "--json")
    assert _steering(as_json.out) == set()
    # Escaped, not lost.
    (stored,) = work_of(run)
    assert json.loads(as_json.out) == stored
