"""Calibration runs as a page shows them."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from worktrial.language import JsonObject, JsonValue, said_in
from worktrial.synthesis.artifacts import SlotRun

LONGEST = 2_000
"""Characters of one text of a run: a task may have dozens of runs, each with dozens of calls."""


def pretty(value: Any) -> str:
    """A value as indented JSON; a text as itself."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2, default=str)


def cut(text: str, most: int = LONGEST) -> str:
    """The beginning of a text, with a word on how much is left out."""
    return text if len(text) <= most else f"{text[:most]} … ({len(text) - most:,} more characters)"


# What a browser would drop, or what would break the page's encoding, is shown as a sign in its place.
_SIGNS = {code: chr(0x2400 + code) for code in range(0x20) if chr(code) not in "\t\n"}
_SIGNS |= {0x7F: "\u2421"} | dict.fromkeys([*range(0x80, 0xA0), 0xFFFE, 0xFFFF], "\ufffd")


def visible(text: str) -> str:
    """The text with control characters as visible signs, and without halves of surrogate pairs."""
    return text.replace("\r\n", "\n").translate(_SIGNS).encode("utf-8", "replace").decode()


@dataclass(frozen=True, slots=True)
class RunEvent:
    """Something that the agent said, or a call with what came of it."""

    kind: str
    """`said`, `call`, `answer`."""
    text: str
    """Words of the agent; for a call the tool's name."""
    arguments: str = ""
    observation: str = ""


_NAMES = {"plan": "With the plan", "free": "Without the plan", "fresh": "Fresh", "solver": "Second worker"}


@dataclass(frozen=True, slots=True)
class RunView:
    """One run, as a page shows it."""

    row: SlotRun

    @property
    def votes(self) -> list[tuple[str, str]]:
        """Each `pass`, `fail` or `no vote`, and its feedback."""
        names = {None: "no vote", True: "pass", False: "fail"}
        return [(names[vote.is_correct], cut(vote.feedback or vote.problem or "")) for vote in self.row.votes]

    @property
    def events(self) -> list[RunEvent]:
        """Events in their order, long observations cut: the file has them whole. [] where none are kept."""
        return list(_events(self.row.trajectory)) if self.row.trajectory is not None else []

    @property
    def name(self) -> str:
        """Title of the run on the page."""
        return f"{_NAMES[self.row.kind]}, run {self.row.number + 1}"

    @property
    def tally(self) -> str:
        """The votes for it, or the checks."""
        if self.row.checks:
            return f"{sum(check.passed is True for check in self.row.checks)} of {len(self.row.checks)} checks"
        cast = [said for said, _ in self.votes if said != "no vote"]
        return f"{cast.count('pass')} of {len(cast)} votes" if cast else "no votes"


def _events(line: JsonObject) -> Iterator[RunEvent]:
    """Events in their order. Whatever is not of the expected form is shown as it is, or passed over."""
    calls = _objects(line.get("calls"))
    said = said_in(_objects(line.get("messages")), [str(call.get("tool")) for call in calls])
    answer = line.get("answer")
    for turn, text in enumerate(said):
        ours = [call for call in calls if call.get("turn") == turn]
        if text.strip() and not (text == answer and not ours):
            yield RunEvent("said", cut(text))
        yield from map(_call, ours)
    yield from (_call(call) for call in calls if call.get("turn") not in range(len(said)))
    if isinstance(answer, str) and answer.strip():
        yield RunEvent("answer", cut(answer))


def _call(call: JsonObject) -> RunEvent:
    observation = call.get("observation")
    content = observation.get("content") if isinstance(observation, dict) else observation
    return RunEvent(
        "call", str(call.get("tool", "")), cut(pretty(call.get("arguments"))), cut(pretty(content), LONGEST)
    )


def _objects(value: JsonValue) -> list[JsonObject]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
