"""Work that a day holds, as chores with their times: a day that no clerk could get through is not one to draw."""

from collections.abc import Iterator

from worktrial.suites.shifts.pace import Chore

from .rules import AGAIN, BACKUPS, DUTIES, FIRST_WORD, REPORT, Right, solve
from .state import State

_WORD = 2
_FIRST = 4  # a look into the inbox, the message, a word
_LOOK = 2
_CLOSE = 3
_SETTLE = {
    "reset": 13,
    "access": 7,
    "licence": 7,
    "loan": 10,
    "leaver": 7,
    "restore": 4,
    "change": 11,
    "incident": 3,
}


def chores(state: State) -> Iterator[Chore]:
    """Work of the whole day, by what is right about each matter."""
    for right in solve(state):
        yield from _of_duty(right) if right.kind in DUTIES else _of_ticket(state, right)


def _of_duty(right: Right) -> Iterator[Chore]:
    minutes = {REPORT: 3, BACKUPS: 8}.get(right.kind, 10)
    yield Chore(right.arrives, right.due, minutes)


def _of_ticket(state: State, right: Right) -> Iterator[Chore]:
    came, ends, filled = right.arrives, state.time.ends, right.filled
    if not filled.get("listed"):
        yield Chore(came, came + FIRST_WORD, _FIRST)
        yield Chore(came + FIRST_WORD, ends, _WORD)
    settle = _SETTLE[right.kind] if right.end != "refuse" else _CLOSE
    if right.kind == "incident":
        yield Chore(came, right.due, _LOOK + settle)
        yield Chore(came + _LOOK + settle, right.due, _WORD * len(right.tell))
        if filled.get("again"):
            yield Chore(came + AGAIN[0], came + AGAIN[1], _WORD)
    elif right.kind == "access" and filled["asks"]:
        slow = state.people[filled["approver"]].delay[1] + 1
        reminds = right.about in state.people[filled["approver"]].forgets
        yield Chore(came, came + 20, _LOOK + 2 + _WORD)
        if reminds:
            yield Chore(came + 20 + slow, came + 34 + slow, _WORD)
        yield Chore(
            min(came + (36 + 2 * slow if reminds else 20 + slow), right.due - settle), right.due, settle + 1
        )
    elif right.kind == "change" and right.end == "do":
        notice = int(str(state.figures["notice"]))
        yield Chore(came, came + 14, _LOOK + _WORD * len(filled["notify"]))
        yield Chore(max(int(filled["first"]), came + 14 + notice) - 8, int(filled["last"]), settle)
    elif right.kind == "restore" and right.end == "do":
        yield Chore(came, right.due, _LOOK + settle)
        yield Chore(min(came + 60, ends - 10), ends, 2 + _CLOSE)
    else:
        yield Chore(max(came, right.earliest), right.due, _LOOK + settle + _WORD * len(right.tell))
