"""Clerks who do no work: each answers by habit what the inbox lists, and reads no message, record or page.

They show what a desk pays for nothing. What they know of the work is a plan of another day: its calls and figures.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from worktrial.language import JsonObject, JsonValue
from worktrial.suites.shifts.cases import Move, Work, send
from worktrial.workplaces.desk.tools import WAITS
from worktrial.workplaces.people import Kind
from worktrial.workplaces.time import Timeline

_PREFIX = re.compile(r"[A-Z]+-?(?=\d)")
_DECLINES = re.compile(r"refus|declin|reject|deni|clos|cancel|거절|반려")
_EVERY = 10
"""Minutes after which the inbox is looked into again."""


class Habit(NamedTuple):
    """Things that a clerk by habit has at hand."""

    acts: Mapping[str, JsonObject]
    """Tools that write, beside mail, with the schemas of their parameters."""
    time: Timeline
    another: Sequence[tuple[int, Move]]
    """Minutes and calls of a plan of another day."""


Row = JsonObject
"""A message as the inbox lists it."""


def _answering(
    habit: Habit, answer: Callable[[Row], Iterator[Move]], meanwhile: Sequence[tuple[int, Move]] = ()
) -> Work:
    """Answer every message that is listed, and make other calls at their minutes."""
    known: set[str] = set()
    left = list(meanwhile)
    now = 0
    while now < habit.time.ends:
        page, rows = 1, list[Row]()
        while True:
            seen = yield Move("check_inbox", {"page": page})
            new = [row for row in seen.get("messages", ()) if row["id"] not in known]
            rows += new
            if len(new) < 20:
                break
            page += 1
        for row in reversed(rows):
            known.add(row["id"])
            for move in answer(row):
                seen = yield move
        now = habit.time.minute_of(str(seen["time"]))
        target = min([now + _EVERY, *(max(minute, now) for minute, _ in left[:1])])
        if target > now:
            seen = yield Move("wait_until", {"time": habit.time.at(target)})
            now = habit.time.minute_of(str(seen["time"]))
        while left and left[0][0] <= now:
            seen = yield left.pop(0)[1]
    return ""


def _says(kind: Kind, text: str) -> Callable[[Row], Iterator[Move]]:
    def answer(row: Row) -> Iterator[Move]:
        yield send(row["from"], kind, row["about"], text)

    return answer


def _acknowledge(habit: Habit) -> Work:
    return _answering(habit, _says("tell", "It is in hand."))


def _approve(habit: Habit) -> Work:
    return _answering(habit, _says("approve", "Done."))


def _refuse(habit: Habit) -> Work:
    return _answering(habit, _says("refuse", "No."))


def _refuse_and_guess(habit: Habit) -> Work:
    """Refuse, close what can be closed by its reference alone, and report the figures of another day."""
    refuse = _says("refuse", "No.")

    def answer(row: Row) -> Iterator[Move]:
        yield from refuse(row)
        for tool, schema in habit.acts.items():
            choices = [str(choice) for one in schema["properties"].values() for choice in one.get("enum", ())]
            if any(map(_DECLINES.search, (tool, *choices))):
                yield from _filled(tool, schema, [str(row["about"])])

    reports = [
        (minute, move)
        for minute, move in habit.another
        if move.tool == "send_message" and any(isinstance(value, int | float) for value in _fields(move).values())
    ]
    return _answering(habit, answer, reports)


def _act(habit: Habit) -> Work:
    """Call whatever can be called with the references that the inbox has shown."""
    seen: list[str] = []

    def answer(row: Row) -> Iterator[Move]:
        seen.append(str(row["about"]))
        for tool, schema in habit.acts.items():
            yield from _filled(tool, schema, seen[::-1])
        yield from _says("approve", "Done.")(row)

    return _answering(habit, answer)


def _constant(habit: Habit) -> Work:
    """Repeat a plan of another day, whatever this one brings."""
    return _answering(habit, lambda row: iter(()), [one for one in habit.another if one[1].tool not in WAITS])


def _parrot(habit: Habit) -> Work:
    """Send every message back to who sent it."""

    def answer(row: Row) -> Iterator[Move]:
        for kind in ("tell", "request"):
            yield send(row["from"], kind, row["about"], row["subject"])

    return _answering(habit, answer)


SPAM: Mapping[str, Callable[[Habit], Work]] = {
    "acknowledge-all": _acknowledge,
    "approve-all": _approve,
    "refuse-all": _refuse,
    "refuse-and-guess": _refuse_and_guess,
    "act-on-all": _act,
    "constant": _constant,
    "parrot": _parrot,
}
"""Name of each habit to the work by it."""


def _fields(move: Move) -> Mapping[str, JsonValue]:
    fields: Any = move.arguments.get("fields")
    return fields or {}


def _filled(tool: str, schema: JsonObject, references: Sequence[str]) -> Iterator[Move]:
    """The call with references that look like a parameter's example, declining words and ones, if that fills it."""
    given: dict[str, JsonValue] = {}
    for name in schema.get("required", ()):
        one = schema["properties"][name]
        prefix = _PREFIX.search(str(one.get("description", "")))
        fits = [ref for ref in references if prefix and ref.startswith(prefix[0])]
        if one.get("enum"):
            given[name] = next(filter(_DECLINES.search, one["enum"]), one["enum"][0])
        elif one.get("type") in ("integer", "number"):
            given[name] = 1
        elif one.get("type") == "boolean":
            given[name] = True
        elif fits:
            given[name] = fits[0]
        else:
            return
    yield Move(tool, given)
