"""Signs of failure in observations, read in one way everywhere."""

from typing import Any

import pytest

from worktrial.workplaces.signals import error_signals, is_error


@pytest.mark.parametrize(
    "observation",
    [
        {"error": {"type": "not_found"}},
        {"errors": ["no such order"]},
        {"error_message": "no such order"},
        {"Exception": "ValueError"},
        {"success": False},
        {"ok": False, "reason": "closed"},
        {"status": "error"},
        {"status": "Error"},
    ],
)
def test_failures(observation: Any) -> None:
    assert is_error(observation)


@pytest.mark.parametrize(
    "observation",
    [
        {},
        {"error": None, "rows": []},
        {"errors": []},
        {"success": True},
        {"status": "open"},
        # A machine or a payment that failed is what was asked for.
        {"status": "failed", "machine": 3},
        # A word is expected, and none of these is one.
        {"status": ["failed"]},
        {"status": {"code": "error"}},
        # Further down it is not the call that failed.
        {"rows": [{"error": "x"}]},
        [{"error": "no"}],
        "error",
        None,
    ],
)
def test_answers(observation: Any) -> None:
    assert not is_error(observation)


def test_signals_at_any_depth() -> None:
    rows = {"rows": [{"error": "x"}, {"status": "error"}, {"status": "failed"}], "ok": False}
    assert set(error_signals(rows)) == {"/rows/-/error", "/rows/-/status", "/ok"}
