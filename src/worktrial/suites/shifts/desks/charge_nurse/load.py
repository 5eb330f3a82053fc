"""Work that a day holds, as chores with their times: a day that no nurse could get through is not one to draw."""

from collections.abc import Iterator

from worktrial.suites.shifts.pace import Chore

from .rules import DEVICES, DUTIES, REPORT, WORD, Due, solve
from .state import State

_TELL = 2
_READ = 3  # a circular or a contract, the first time that it is needed
_OPEN = 2  # a look into the inbox, and the message
_BEGIN = 14  # minutes by which what others do for us has been set going
_WARD = 38  # minutes from there until bed and porter are there
_SEARCH = 3  # a search in the papers
_CALL = 4
_DO = {"ambulance": 6, "isolation": 5, "enquiry": 5, "walkin": 5, "lend": 6, "drugs": 9, "census": 3, "transfer": 4}


def chores(state: State) -> Iterator[Chore]:
    """Work of the whole day, by what is right about each matter."""
    read: set[str] = set()
    for due in solve(state):
        if due.section[0] in "CK" and due.section not in read:
            read.add(due.section)
            yield Chore(due.arrives, due.due, _READ)
        if due.kind in DUTIES:
            yield Chore(due.arrives, due.due, {REPORT: 3, DEVICES: 10}.get(due.kind, 4))
        else:
            yield from _of(state, due)


def _of(state: State, due: Due) -> Iterator[Chore]:
    came, ends = due.arrives, state.time.ends - 6
    told = _TELL * (len(due.tell) + (due.end == "book"))
    if due.kind in WORD:
        yield Chore(came, came + int(str(state.figures["first_word"])), _OPEN + _TELL)
        yield Chore(came, ends, _TELL)
    if due.kind != "transfer":
        at_once = due.critical or due.end == "refuse"
        opened = 0 if due.kind in WORD else _OPEN
        minutes = opened + _DO[due.kind] + (told + _TELL if at_once else 0)
        minutes += _SEARCH * (due.section in ("2.3", "5.2")) + _CALL * bool(due.filled.get("call"))
        yield Chore(max(came, due.earliest), min(due.due, state.time.ends - 2), minutes)
        yield Chore(max(came, due.earliest), ends, 0 if at_once else told + _TELL * bool(due.answer))
        return
    if due.end == "stay":
        yield Chore(due.earliest, due.due, _OPEN + _TELL + told)
        return
    asked = 0
    if due.pattern == "ask":
        yield Chore(came, came + _BEGIN, 3)
        asked = 14 if due.about not in state.people[due.asked_by].forgets else 28
    ready = came + _BEGIN + asked
    yield Chore(came + asked, ready + 4, _DO["transfer"])
    if due.pattern == "bed withdrawn":
        yield Chore(ready + 30, ready + 44, _DO["transfer"] + _OPEN)
        ready = ready + 44
    late = due.due if due.pattern != "bed withdrawn" else max(due.due, ready + 60)
    yield Chore(min(ready + _WARD, late - 20), min(late, ready + _WARD + 20), _OPEN + 5)
    yield Chore(ready, ends, told)
