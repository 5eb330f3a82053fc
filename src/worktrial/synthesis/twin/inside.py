"""Carrying out a call of a twin within the sandbox. This file stands alone: nothing else of Worktrial is there.

Its source is sent along with each call, and the twin's with it, in names of its own: nothing that a call leaves in
memory reaches the next one.
"""

# Importing `typing` would take longer than most calls.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def serve(payload: str) -> None:
    """Carry out one call and hand back what it said, and the state after it, as JSON."""
    import json

    given = json.loads(payload)
    names: dict[str, Any] = {"__name__": "face"}
    exec(compile(given["source"], "face.py", "exec", dont_inherit=True), names)
    state = given["state"]
    said = names[given["tool"]](state, **given["arguments"])
    hand_back(json.dumps({"said": said, "state": state}, allow_nan=False))  # type: ignore[name-defined]  # noqa: F821
