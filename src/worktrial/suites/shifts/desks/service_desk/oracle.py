"""A plan of the day: the work of a clerk who knows beforehand what is right about each matter."""

from collections.abc import Generator

from worktrial.language import JsonObject
from worktrial.suites.shifts.cases import Move, Work
from worktrial.suites.shifts.clerks import Inbox, Matter, Until, interleave

from .rules import AGAIN, FIRST_WORD, REPORT, Right, solve
from .state import State

Part = Generator[Move | Until, JsonObject, JsonObject]


class _Desk(Inbox):
    """Inbox of the desk, and what its clerk has done or knows by now."""

    def __init__(self) -> None:
        super().__init__()
        self.answered: set[str] = set()
        """Tickets whose requester has an answer."""


def plan(state: State) -> Work:
    """Work on every matter in its time; of several always on the one that is due first."""
    inbox = _Desk()
    matters = []
    for right in solve(state):
        # A change cannot wait once it may be made: its window ends, and cannot be undone.
        due = right.earliest + 1 if right.kind == "change" and right.end == "do" else right.due
        matters.append((right.arrives, due, _matter(state, right, inbox)))
        if right.kind != REPORT:
            at_once = _takes_long(right)
            ready, due = (0, 14) if at_once else (FIRST_WORD - 4, FIRST_WORD - 2)
            matters.append((right.arrives + ready, right.arrives + due, _first_word(right, inbox)))
        if right.filled.get("again") and right.arrives + AGAIN[1] <= state.time.ends:
            matters.append((right.arrives + AGAIN[0], right.arrives + AGAIN[1], _again(right)))
    return interleave(matters, state.time)


def _again(right: Right) -> Matter:
    text = f"{right.ticket}: the team is still at work, nothing new."
    yield Move("send_message", {"to": right.filled["again"], "kind": "tell", "about": right.ticket, "text": text})


def _takes_long(right: Right) -> bool:
    """Whether the answer has to wait for somebody or for a time, beyond what a requester is left without a word."""
    if right.kind == "access":
        return bool(right.filled["asks"])
    if right.kind == "restore":
        return right.end == "do"
    waits = right.kind in ("licence", "leaver") or (right.kind == "change" and right.end == "do")
    # A change takes a while itself.
    return waits and right.earliest - right.arrives >= FIRST_WORD - (10 if right.kind == "change" else 5)


def _first_word(right: Right, inbox: _Desk) -> Matter:
    """Tell whoever asked that it is in hand, unless they have their answer by now."""
    if right.ticket not in inbox.answered:
        words = {
            "to": right.asked_by,
            "kind": "tell",
            "about": right.ticket,
            "text": f"{right.ticket} takes a while.",
        }
        yield Move("send_message", words)


def _matter(state: State, right: Right, inbox: _Desk) -> Matter:
    if right.kind == REPORT:
        yield from _report(right)
        return
    yield from inbox.read(right.ticket)
    yield from _WORK[right.kind](state, right, inbox)


def _report(right: Right) -> Part:
    seen = yield Move("search_tickets", {"text": "incident", "status": "assigned"})
    now = right.arrives
    counts = {f"p{p}": sum(at <= now and q == p for at, q in right.filled["incidents"]) for p in (1, 2)}
    text = f"Open incidents: {counts['p1']} of priority 1, {counts['p2']} of priority 2."
    seen = yield Move(
        "send_message", {"to": "duty_manager", "kind": "tell", "about": REPORT, "text": text, "fields": counts}
    )
    return seen


def _answer(right: Right, inbox: _Desk, text: str) -> Part:
    """Tell whoever asked, and everybody else who has to know."""
    words = {"about": right.ticket, "text": text}
    seen = yield Move("send_message", {"to": right.asked_by, "kind": right.answer[0], **words})
    inbox.answered.add(right.ticket)
    for person in right.tell:
        seen = yield Move("send_message", {"to": person, "kind": "tell", **words})
    return seen


def _refuse(right: Right, inbox: _Desk) -> Part:
    yield Move("close_ticket", {"ticket_id": right.ticket, "resolution": "refused"})
    return (yield from _answer(right, inbox, f"{right.ticket} cannot be done: {right.because}"))


def _finish(right: Right, inbox: _Desk) -> Part:
    yield Move("close_ticket", {"ticket_id": right.ticket, "resolution": "resolved"})
    return (yield from _answer(right, inbox, f"{right.ticket} is done."))


def _reset(state: State, right: Right, inbox: _Desk) -> Part:
    employee = right.filled["employee"]
    yield Move("get_employee", {"employee_id": employee})
    if right.end == "do" or right.pattern == "denied":
        yield Move("verify_caller", {"employee_id": employee})
    if right.end != "do":
        return (yield from _refuse(right, inbox))
    yield Move("reset_password", {"ticket_id": right.ticket, "employee_id": employee})
    return (yield from _finish(right, inbox))


def _access(state: State, right: Right, inbox: _Desk) -> Part:
    employee, group = right.filled["employee"], right.filled["group"]
    yield Move("get_employee", {"employee_id": employee})
    yield Move("get_group", {"group_name": group})
    if right.pattern == "plain":
        yield Move("search_documents", {"reference": right.ticket})
    if right.filled["asks"]:
        yield from _ask(state, right, inbox)
    if right.pattern == "withdrawn":
        yield Until(right.earliest + 1)
        yield from inbox.read(right.ticket)
    if right.end != "do":
        return (yield from _refuse(right, inbox))
    yield Move("grant_access", {"ticket_id": right.ticket, "employee_id": employee, "group_name": group})
    return (yield from _finish(right, inbox))


def _ask(state: State, right: Right, inbox: _Desk) -> Matter:
    """Ask who decides, and again where they have forgotten."""
    approver = right.filled["approver"]
    words = {"to": approver, "about": right.ticket, "text": f"Do you approve {right.ticket}?"}
    seen = yield Move("send_message", {"kind": "request", **words})
    slow = state.people[approver].delay[1] + 1
    if right.ticket in state.people[approver].forgets:
        yield Until(state.time.minute_of(str(seen["time"])) + slow)
        seen = yield Move("send_message", {"kind": "remind", **words})
    yield Until(state.time.minute_of(str(seen["time"])) + slow)
    yield from inbox.read(right.ticket)


def _licence(state: State, right: Right, inbox: _Desk) -> Part:
    yield Move("get_employee", {"employee_id": right.filled["employee"]})
    yield Until(right.earliest)
    if right.end != "do":
        return (yield from _refuse(right, inbox))
    product = right.filled["product"]
    arguments = {"ticket_id": right.ticket, "employee_id": right.filled["employee"], "product": product}
    yield Move("assign_licence", arguments)
    return (yield from _finish(right, inbox))


def _incident(state: State, right: Right, inbox: _Desk) -> Part:
    yield Move("get_ticket", {"ticket_id": right.ticket})
    yield Move("get_system", {"system_id": right.filled["system"]})
    yield Move("search_tickets", {"text": right.filled["fault"]})
    if right.end == "link":
        yield Move("link_ticket", {"ticket_id": right.ticket, "parent_id": right.filled["parent"]})
        return (
            yield from _answer(
                right, inbox, f"{right.ticket} belongs to {right.filled['parent']}, which is worked on."
            )
        )
    what = {"priority": right.filled["priority"], "team": right.filled["team"]}
    yield Move("assign_ticket", {"ticket_id": right.ticket, **what})
    return (
        yield from _answer(
            right, inbox, f"{right.ticket} has priority {what['priority']}, {what['team']} works on it."
        )
    )


def _change(state: State, right: Right, inbox: _Desk) -> Part:
    change = right.filled["change"]
    seen = yield Move("get_change", {"change_id": change})
    yield Move("get_system", {"system_id": seen["system"]})
    if right.pattern == "withdrawn":
        event = next(e for e in state.time.waiting if e.kind == "withdrawn" and e.payload["change"] == change)
        yield Until(event.due + 1)
        yield Move("get_change", {"change_id": change})
    if right.end != "do":
        return (yield from _refuse(right, inbox))
    yield Until(right.earliest)
    yield Move("run_change", {"ticket_id": right.ticket, "change_id": change})
    return (yield from _finish(right, inbox))


def _loan(state: State, right: Right, inbox: _Desk) -> Part:
    employee = right.filled["employee"]
    yield Move("get_employee", {"employee_id": employee})
    if right.end != "do":
        return (yield from _refuse(right, inbox))
    for laptop in right.filled["returned"]:
        yield Move("search_documents", {"reference": laptop})
        yield Move("take_back_laptop", {"laptop_id": laptop})
    seen = yield Move("list_laptops", {"page": 1})
    shelf = seen["laptops"]
    if seen["total"] > len(shelf):
        seen = yield Move("list_laptops", {"page": 2})
        shelf += seen["laptops"]
    free = next(row["id"] for row in shelf if row["lent_to"] is None and row["id"] not in right.filled["returned"])
    yield Move("lend_laptop", {"ticket_id": right.ticket, "employee_id": employee, "laptop_id": free})
    return (yield from _finish(right, inbox))


def _restore(state: State, right: Right, inbox: _Desk) -> Part:
    yield Move("get_employee", {"employee_id": right.asked_by})
    if right.end != "do":
        return (yield from _refuse(right, inbox))
    yield Move("list_snapshots")
    seen = yield Move("order_restore", {"ticket_id": right.ticket, "snapshot": right.filled["snapshot"]})
    yield Until(state.time.minute_of(str(seen["time"])) + 30)
    yield from inbox.read(right.ticket)
    return (yield from _finish(right, inbox))


def _leaver(state: State, right: Right, inbox: _Desk) -> Part:
    yield Move("get_employee", {"employee_id": right.filled["employee"]})
    yield Until(right.earliest)
    yield Move("disable_account", {"employee_id": right.filled["employee"]})
    return (yield from _finish(right, inbox))


_WORK = {
    "reset": _reset,
    "access": _access,
    "licence": _licence,
    "incident": _incident,
    "change": _change,
    "loan": _loan,
    "restore": _restore,
    "leaver": _leaver,
}
