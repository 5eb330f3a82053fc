"""Work that a day holds, as chores with their times: a day that nobody could get through is not one to draw."""

from collections.abc import Iterator

from worktrial.suites.shifts.pace import Chore

from .rules import CERTIFICATES, DUTIES, FIRST_WORD, Right, solve
from .state import State

_OPEN = 2  # a look into the inbox, and the message
_TELL = 2
_DO = {
    "assign": 9, "dock": 6, "breakdown": 13, "recovery": 8, "closure": 14, "bulletin": 6, "handover": 10,
    "cancel": 5, "details": 5, "extension": 6, "relief": 9, "fuel": 6, "delay": 5,
}  # fmt: skip
_REFUSE = {"assign": 4, "handover": 4, "closure": 4}


def chores(state: State) -> Iterator[Chore]:
    """Work of the whole day, by what is right about each matter."""
    for right in solve(state):
        if right.kind in DUTIES:
            yield Chore(right.arrives, right.due, 20 if right.kind == CERTIFICATES else 4)
        else:
            yield from _of(state, right)


def _of(state: State, right: Right) -> Iterator[Chore]:
    came, ends, filled = right.arrives, state.time.ends - 6, right.filled
    if right.needs_word:
        yield Chore(came, came + FIRST_WORD, _OPEN + _TELL)
    do = _REFUSE.get(right.kind, 2) if right.end == "refuse" else _DO[right.kind]
    do += 5 * bool(filled.get("chains")) + 5 * len(filled.get("late", ())) + 4 * (len(filled.get("rows", ())) > 1)
    opened = 0 if right.needs_word else _OPEN
    others = _TELL * len(right.tell)
    asked = [*filled.get("ask", ())] or ["somebody"] * bool(filled.get("asks"))
    if not asked:
        answer = _TELL + others if right.end == "refuse" else 0
        yield Chore(max(came, filled.get("given", 0)), right.plan_by, opened + do + answer)
        yield Chore(came, ends, 0 if answer else others + _TELL)
        return
    ready = came
    for _ in asked:
        yield Chore(ready, ready + 14, 2 + _TELL)
        ready += 14 + 24
    late = max(right.due, ready + do)
    yield Chore(min(ready, right.due - do - 4), late, do + _TELL)
    yield Chore(ready, ends, others)
