"""A plan of the day: the work of a clerk who knows beforehand what is right about each matter."""

from collections.abc import Callable, Generator, Iterator

from worktrial.language import JsonObject
from worktrial.suites.shifts.cases import Move, Work, send
from worktrial.suites.shifts.clerks import Inbox, Matter, Until, interleave
from worktrial.workplaces.desk.tools import PAGE

from .rules import AGAIN, BACKUPS, DUTIES, FIRST_WORD, REPORT, Right, solve
from .state import State

_MARGIN = 4  # minutes before its time at which something is aimed to be done
_RUN = 8  # minutes that a change takes
_LONG = 12  # minutes that what cannot be interrupted may take
_AT_ONCE = 4  # minutes after it was assigned by which a serious incident is aimed to be passed on
_READ_OUT = 29  # minutes after which a snapshot is read out


class _Desk(Inbox):
    """Inbox of the desk, and what its clerk has done or knows by now."""

    def __init__(self) -> None:
        super().__init__(FIRST_WORD)
        self.begun: dict[str, int] = {}
        """Ticket to the minute at which others were asked or told about it."""


def plan(state: State) -> Work:
    """Work on every matter in its time; of several always on the one that is due first."""
    desk = _Desk()
    matters: list[tuple[int, int, Matter]] = []
    for right in solve(state):
        if right.kind in DUTIES:
            matters.append(_duty(state, right))
            continue
        matters += _parts(state, right, desk)
        if not right.filled.get("listed"):
            at_once = _takes_long(right)
            ready, due = (0, 16) if at_once else (FIRST_WORD - 20, FIRST_WORD - 9)
            matters.append((right.arrives + ready, right.arrives + due, _first_word(right, desk)))
        if right.filled.get("again") and right.arrives + AGAIN[1] <= state.time.ends:
            matters.append((right.arrives + AGAIN[0], right.arrives + AGAIN[1] - _LONG, _again(right)))
    return interleave(matters, state.time)


def _parts(state: State, right: Right, desk: _Desk) -> Iterator[tuple[int, int, Matter]]:
    """Work on one matter: what has to be set going early is due early, and the rest when it can be done."""
    due = right.due - _MARGIN
    if right.kind == "access" and right.filled["asks"]:
        yield right.arrives, right.arrives + 14, _ask(state, right, desk)
        forgets = right.about in state.people[right.filled["approver"]].forgets
        yield right.arrives + 30, right.arrives + 60 if forgets else due - _LONG, _access(state, right, desk)
    elif right.kind == "change" and right.end == "do":
        yield right.arrives, right.arrives + 10, _notify(state, right, desk)
        # A change cannot wait for long once it may be made: its window ends, and cannot be opened again.
        yield right.arrives + 16, int(right.filled["last"]) - _LONG, _change(state, right, desk)
    elif right.kind == "restore" and right.end == "do":
        yield right.arrives, due - _LONG, _order(state, right, desk)
        yield right.arrives + 30, right.arrives + 100, _restored(state, right, desk)
    elif right.kind == "incident":
        yield right.arrives, due - (_LONG if right.tell else 0), _incident(state, right, desk)
    elif right.kind == "leaver":
        yield max(right.arrives, right.earliest), due - _LONG, _leaver(state, right, desk)
    else:
        yield max(right.arrives, right.earliest - 4), due - 8, _WORK[right.kind](state, right, desk)


def _again(right: Right) -> Matter:
    yield send(
        right.filled["again"], "tell", right.about, f"{right.about}: the team is still at work, nothing new."
    )


def _takes_long(right: Right) -> bool:
    """Whether the answer has to wait for somebody or for a time, beyond what a requester is left without a word."""
    if right.kind == "access":
        return bool(right.filled["asks"])
    if right.kind == "restore":
        return right.end == "do"
    waits = right.kind in ("licence", "leaver") or (right.kind == "change" and right.end == "do")
    # A change takes a while itself.
    return waits and right.earliest - right.arrives >= FIRST_WORD - (12 if right.kind == "change" else 5)


def _first_word(right: Right, desk: _Desk) -> Matter:
    """Tell whoever asked that it is in hand, unless they have their answer by now."""
    move = send(right.asked_by, "tell", right.about, f"{right.about} takes a while.")
    return desk.words.word(right.about, move, desk.open(right.about))


def _duty(state: State, right: Right) -> tuple[int, int, Matter]:
    """Something that no message asks for: when it can be done, by when, and the work."""
    if right.kind == REPORT:
        return right.arrives, right.due - _LONG, _report(right)
    if right.kind == BACKUPS:
        return right.arrives, right.due - _LONG, _check_backups(state, right)
    return 0, right.due - 10, _release(state, right)


def _report(right: Right) -> Matter:
    yield Move("search_tickets", {"text": "incident", "status": "assigned"})
    counted = [(p, users) for at, p, users in right.filled["incidents"] if at <= right.arrives]
    fields = {
        "p1": sum(p == 1 for p, _ in counted),
        "p2": sum(p == 2 for p, _ in counted),
        "users": sum(users for _, users in counted),
    }
    text = "Open incidents of priority 1 and 2, and how many users they concern."
    yield send("duty_manager", "tell", REPORT, text, **fields)


def _check_backups(state: State, right: Right) -> Matter:
    yield Move("list_systems")
    for page in range(1, -(-len(state.backups) // PAGE) + 1):
        yield Move("list_backups", {"page": page})
    fields = {name: right.filled[name] for name in ("failed", "gigabytes")}
    text = "Sets of systems of tier 1 that failed last night, and how much that is."
    yield send("backup", "tell", BACKUPS, text, **fields)


def _release(state: State, right: Right) -> Matter:
    for page in range(1, -(-len(state.leavers) // PAGE) + 1):
        yield Move("list_leavers", {"page": page})
    for page in range(1, -(-len(state.pools[right.about].holders) // PAGE) + 1):
        yield Move("get_licences", {"product": right.about, "page": page})
    for employee in right.filled["holders"]:
        yield Move("release_licence", {"employee_id": employee, "product": right.about})


def _answer(state: State, right: Right, desk: _Desk, text: str, at_once: bool = False) -> Matter:
    """Tell whoever asked, and everybody else who has to know: whom to tell at once first."""
    desk.words.keep_away(right.about)
    for person in right.tell if at_once else ():
        yield send(person, "tell", right.about, text)
    # An answer that comes soon enough is the first word as well; after one there is time for it.
    if desk.words.is_said(right.about):
        yield Until(right.arrives + FIRST_WORD + 1, state.time.ends - 10)
    else:
        yield Until(0, right.arrives + FIRST_WORD - 9)
    desk.words.note(right.about)
    yield send(right.asked_by, right.answer[0], right.about, text)
    for person in () if at_once else right.tell:
        yield send(person, "tell", right.about, text)


def _refuse(state: State, right: Right, desk: _Desk) -> Matter:
    yield Move("close_ticket", {"ticket_id": right.about, "resolution": "refused"})
    yield from _answer(state, right, desk, f"{right.about} cannot be done: {right.because}")


def _finish(state: State, right: Right, desk: _Desk) -> Matter:
    yield Move("close_ticket", {"ticket_id": right.about, "resolution": "resolved"})
    yield from _answer(state, right, desk, f"{right.about} is done.")


def _reset(state: State, right: Right, desk: _Desk) -> Matter:
    yield from desk.open(right.about)
    employee = right.filled["employee"]
    yield Move("get_employee", {"employee_id": employee})
    if right.end == "do" or right.pattern == "denied":
        yield Move("verify_caller", {"employee_id": employee})
    if right.end != "do":
        yield from _refuse(state, right, desk)
        return
    yield Move("reset_password", {"ticket_id": right.about, "employee_id": employee})
    yield from _finish(state, right, desk)


def _ask(state: State, right: Right, desk: _Desk) -> Matter:
    """Look into a request for access, and ask who decides it."""
    yield from desk.open(right.about)
    yield Move("get_employee", {"employee_id": right.filled["employee"]})
    yield Move("get_group", {"group_name": right.filled["group"]})
    yield Move("search_documents", {"reference": right.about})
    desk.begun[right.about] = yield from _put(state, right, "request")


def _put(state: State, right: Right, kind: str) -> Generator[Move | Until, JsonObject, int]:
    """Put the question to who decides; returns the minute at which it was put."""
    seen = yield send(right.filled["approver"], kind, right.about, f"Do you approve {right.about}?")
    return state.time.minute_of(str(seen["time"]))


def _access(state: State, right: Right, desk: _Desk) -> Matter:
    employee, group = right.filled["employee"], right.filled["group"]
    if right.filled["asks"]:
        approver = state.people[right.filled["approver"]]
        answered = desk.begun[right.about] + approver.delay[1] + 1
        yield Until(answered, answered + _LONG if right.about in approver.forgets else None)
        if right.about in approver.forgets:
            reminded = yield from _put(state, right, "remind")
            yield Until(reminded + approver.delay[1] + 1, right.due - 2 * _LONG)
        yield from desk.read(right.about)
    else:
        yield from desk.open(right.about)
        yield Move("get_employee", {"employee_id": employee})
        yield Move("get_group", {"group_name": group})
        if right.pattern == "plain":
            yield Move("search_documents", {"reference": right.about})
    if right.pattern == "withdrawn":
        yield Until(right.earliest + 1)
        yield from desk.read(right.about)
    if right.end != "do":
        yield from _refuse(state, right, desk)
        return
    yield Move("grant_access", {"ticket_id": right.about, "employee_id": employee, "group_name": group})
    yield from _finish(state, right, desk)


def _licence(state: State, right: Right, desk: _Desk) -> Matter:
    yield from desk.open(right.about)
    yield Move("get_employee", {"employee_id": right.filled["employee"]})
    yield Until(right.earliest)
    if right.end != "do":
        yield from _refuse(state, right, desk)
        return
    product = right.filled["product"]
    arguments = {"ticket_id": right.about, "employee_id": right.filled["employee"], "product": product}
    yield Move("assign_licence", arguments)
    yield from _finish(state, right, desk)


def _incident(state: State, right: Right, desk: _Desk) -> Matter:
    yield from desk.open(right.about)
    yield Move("get_ticket", {"ticket_id": right.about})
    yield Move("get_system", {"system_id": right.filled["system"]})
    yield Move("search_tickets", {"text": right.filled["fault"]})
    if right.end == "link":
        parent = right.filled["parents"][0]
        yield Move("link_ticket", {"ticket_id": right.about, "parent_id": parent})
        yield from _answer(state, right, desk, f"{right.about} belongs to {parent}, which is worked on.")
        return
    what = {"priority": right.filled["priority"], "team": right.filled["team"]}
    seen = yield Move("assign_ticket", {"ticket_id": right.about, **what})
    if right.tell:
        yield Until(0, state.time.minute_of(str(seen["time"])) + _AT_ONCE)
    text = f"{right.about} has priority {what['priority']}, {what['team']} works on it."
    yield from _answer(state, right, desk, text, at_once=True)


def _notify(state: State, right: Right, desk: _Desk) -> Matter:
    """Look into a change that can be made, and tell the owners of it."""
    yield from desk.open(right.about)
    change = right.filled["change"]
    seen = yield Move("get_change", {"change_id": change})
    yield Move("get_system", {"system_id": seen["system"]})
    text = f"{change} is carried out in its window today."
    for owner in right.filled["notify"]:
        seen = yield send(owner, "tell", change, text)
    desk.begun[right.about] = state.time.minute_of(str(seen["time"]))


def _change(state: State, right: Right, desk: _Desk) -> Matter:
    change = right.filled["change"]
    if right.end == "do":
        ready = max(int(right.filled["first"]), desk.begun[right.about] + int(str(state.figures["notice"])))
        # The call itself takes a while.
        yield Until(ready - _RUN)
        yield Move("run_change", {"ticket_id": right.about, "change_id": change})
        yield from _finish(state, right, desk)
        return
    yield from desk.open(right.about)
    seen = yield Move("get_change", {"change_id": change})
    yield Move("get_system", {"system_id": seen["system"]})
    if right.pattern == "overtaken":
        yield Move("search_tickets", {"text": "incident", "status": "assigned"})
    if right.pattern == "withdrawn":
        event = next(e for e in state.time.waiting if e.kind == "withdrawn" and e.payload["change"] == change)
        yield Until(event.due + 1)
        yield Move("get_change", {"change_id": change})
    yield from _refuse(state, right, desk)


def _loan(state: State, right: Right, desk: _Desk) -> Matter:
    yield from desk.open(right.about)
    employee = right.filled["employee"]
    yield Move("get_employee", {"employee_id": employee})
    if right.end != "do":
        yield from _refuse(state, right, desk)
        return
    for laptop in right.filled["returned"]:
        yield Move("search_documents", {"reference": laptop})
        yield Move("take_back_laptop", {"laptop_id": laptop})
    seen = yield Move("list_laptops", {"page": 1})
    shelf = seen["laptops"]
    if seen["total"] > len(shelf):
        seen = yield Move("list_laptops", {"page": 2})
        shelf += seen["laptops"]
    free = next(row["id"] for row in shelf if row["lent_to"] is None and row["id"] not in right.filled["returned"])
    yield Move("lend_laptop", {"ticket_id": right.about, "employee_id": employee, "laptop_id": free})
    yield from _finish(state, right, desk)


def _restore(state: State, right: Right, desk: _Desk) -> Matter:
    yield from desk.open(right.about)
    yield Move("get_employee", {"employee_id": right.asked_by})
    yield from _refuse(state, right, desk)


def _order(state: State, right: Right, desk: _Desk) -> Matter:
    yield from desk.open(right.about)
    yield Move("get_employee", {"employee_id": right.asked_by})
    yield Move("list_snapshots")
    seen = yield Move("order_restore", {"ticket_id": right.about, "snapshot": right.filled["snapshot"]})
    desk.begun[right.about] = state.time.minute_of(str(seen["time"]))


def _restored(state: State, right: Right, desk: _Desk) -> Matter:
    yield Until(desk.begun[right.about] + _READ_OUT)
    yield from desk.read(right.about)
    yield from _finish(state, right, desk)


def _leaver(state: State, right: Right, desk: _Desk) -> Matter:
    yield Move("disable_account", {"employee_id": right.filled["employee"]})
    if right.filled.get("listed"):
        yield from _answer(state, right, desk, f"The account of {right.about} is disabled.")
    else:
        yield from _finish(state, right, desk)


_WORK: dict[str, Callable[[State, Right, _Desk], Matter]] = {
    "reset": _reset,
    "access": _access,
    "licence": _licence,
    "change": _change,
    "loan": _loan,
    "restore": _restore,
}
