"""A plan of the day: the work of a clerk who knows beforehand what is right about each matter."""

from worktrial.language import JsonObject, JsonValue
from worktrial.suites.shifts.cases import Move, Work, send
from worktrial.suites.shifts.clerks import Inbox, Matter, Part, Until, interleave

from .rules import FIRST_WORD, POSITION, REPORT, Right, solve
from .state import State

_RECKONED = ("drawdown", "collateral", "inquiry", "guarantee")
"""Kinds of matter that need the use of a facility in euros."""
_SLOW = 75
_SOON = 7
"""Minutes before its time at which a matter with slow answers, and a position, is worked on."""


class _Desk(Inbox):
    """Inbox of the desk, and what its clerk has said by now."""

    def __init__(self) -> None:
        super().__init__(FIRST_WORD)
        self.group_opened = False
        """Whether the group under allotment has been looked at; who is served is known from then on."""


def plan(state: State) -> Work:
    """Work on every matter in its time; of several always on the one that is due first."""
    rights = solve(state)
    if any(r.kind in _RECKONED for r in rights):
        yield Move("get_fixings")
    inbox = _Desk()
    matters = []
    for r in rights:
        # Whose answers take long is asked first.
        first = _SLOW if r.asks else _SOON if r.kind == POSITION else 0
        matters.append((r.arrives, r.due - first, _matter(state, r, inbox)))
        if r.asked_by:
            word = send(r.asked_by, "tell", r.about, f"{r.about} is in hand; you will hear from us today.")
            matters.append(inbox.words.say(r.about, r.arrives, word, at_once=_takes_long(r)))
    return (yield from interleave(matters, state.time))


def _takes_long(right: Right) -> bool:
    """Whether the answer cannot be there within the time of a first word."""
    return bool(right.asks) or right.earliest >= right.arrives + FIRST_WORD - 12


def _matter(state: State, right: Right, inbox: _Desk) -> Matter:
    if right.kind not in (POSITION, REPORT, "guarantee"):
        yield from inbox.read(right.about)
    yield from _WORK[right.kind](state, right, inbox)


def _fields(fields: dict[str, int | str]) -> dict[str, JsonValue]:
    return {name: value if isinstance(value, str) else value / 100 for name, value in fields.items()}


def _answer(right: Right, inbox: _Desk, text: str) -> Part:
    """Tell whoever asked, and everybody else who has to know."""
    seen: JsonObject = {}
    if right.asked_by:
        yield from inbox.words.before_answer(right.about, right.arrives, right.due)
        seen = yield send(right.asked_by, right.answer[0], right.about, text, **_fields(right.fields))
        yield Until(0, right.due)
    for person, fields in right.tell.items():
        seen = yield send(person, "tell", right.about, text, **_fields(fields))
    return seen


def _decline(right: Right, inbox: _Desk) -> Part:
    yield Move("decline_request", {"request_id": right.about})
    for facility in right.filled.get("stops", ()):
        yield Move("set_stop", {"facility_id": facility, "stopped": True})
    return (yield from _answer(right, inbox, f"{right.about} cannot be done: {right.because}"))


def _ask(state: State, right: Right, inbox: _Desk, **fields: JsonValue) -> Part:
    """Ask everybody who has to be asked at once, and again those who have forgotten."""
    seen: JsonObject = {}
    words = (right.about, f"Do you agree to {right.about}?")
    for person in right.asks:
        seen = yield send(person, "request", *words, **fields)
    asked = state.time.minute_of(str(seen["time"]))
    forgot = [person for person in right.asks if right.about in state.people[person].forgets]
    longest = max(state.people[person].delay[1] for person in right.asks)
    if forgot:
        yield Until(asked + longest + 1)
        for person in forgot:
            seen = yield send(person, "remind", *words, **fields)
        asked = state.time.minute_of(str(seen["time"]))
    yield Until(asked + longest + 1, right.due)  # asking was pressing, what follows is as any other matter
    return (yield from inbox.read(right.about))


def _drawdown(state: State, right: Right, inbox: _Desk) -> Part:
    request, facility = right.filled, right.filled["facility"]
    yield Move("get_facility", {"facility_id": facility})
    if right.pattern == "duplicate":
        yield Move("search_requests", {"text": request["reference"]})
        yield Move("mark_duplicate", {"request_id": right.about, "original_id": request["original"]})
        return (yield from _answer(right, inbox, f"{right.about} is {request['original']} again, which is paid."))
    if right.pattern in ("withdrawn", "downgraded") and right.end == "decline":
        if right.pattern == "withdrawn":
            yield Until(right.earliest + 1)
            yield from inbox.read(right.about)
        return (yield from _decline(right, inbox))
    if right.pattern not in ("covenant", "limit", "cover"):  # the facility alone has shown those to be lost
        yield Move("get_customer", {"customer_id": request["customer"]})
    if right.pattern in ("signature", "covenant", "waived", "cover"):
        yield Move(
            "search_documents", {"reference": request["customer" if right.pattern == "signature" else "facility"]}
        )
    if right.pattern in ("cover", "covered"):
        yield Move("list_collateral", {"facility_id": facility})
    if right.earliest:
        yield Until(right.earliest)
        if not inbox.group_opened:
            inbox.group_opened = True
            yield Move("get_group", {"group_id": state.figures["scarce_group"]})
    if not right.end.startswith("release"):
        return (yield from _decline(right, inbox))
    if right.asks:
        yield from _ask(state, right, inbox, amount=request["amount"] / 100)
    yield Move("release_drawdown", {"request_id": right.about, "value_date": request["value"]})
    return (yield from _answer(right, inbox, f"{right.about} is paid, value {request['value']}."))


def _certificate(state: State, right: Right, inbox: _Desk) -> Part:
    facility = right.filled["facility"]
    yield Move("get_facility", {"facility_id": facility})
    yield Move("search_documents", {"reference": facility})
    if right.end == "decline":
        yield Move("get_customer", {"customer_id": right.filled["customer"]})
        return (yield from _decline(right, inbox))
    result = {"ratio": right.filled["ratio"] / 100, "met": right.filled["met"]}
    yield Move("record_test", {"request_id": right.about, **result})
    for stop in right.filled["stops"]:
        yield Move("set_stop", {"facility_id": stop, "stopped": True})
    return (yield from _answer(right, inbox, f"The ratio of {facility} is {result['ratio']:.2f}."))


def _waiver(state: State, right: Right, inbox: _Desk) -> Part:
    facility = right.filled["facility"]
    yield Move("get_facility", {"facility_id": facility})
    yield Move("get_customer", {"customer_id": right.filled["customer"]})
    yield Move("search_documents", {"reference": right.about})
    if right.asks:
        yield from _ask(state, right, inbox)
    if right.earliest:
        yield Until(right.earliest + 1)
    if right.end == "decline":
        if not right.asks:
            yield from inbox.read(right.about)
        return (yield from _decline(right, inbox))
    by = {"granted_by": right.filled["who"], "second": right.filled["second"]}
    yield Move("record_waiver", {"request_id": right.about, **by})
    yield Move("set_stop", {"facility_id": facility, "stopped": False})
    return (yield from _answer(right, inbox, f"The waiver on {facility} is granted for this quarter."))


def _collateral(state: State, right: Right, inbox: _Desk) -> Part:
    facility = right.filled["facility"]
    yield Move("get_facility", {"facility_id": facility})
    yield Move("list_collateral", {"facility_id": facility})
    yield Move("search_documents", {"reference": facility})
    if right.end == "decline":
        return (yield from _decline(right, inbox))
    yield Move("release_collateral", {"request_id": right.about, "collateral_id": right.filled["item"]})
    return (yield from _answer(right, inbox, f"{right.filled['item']} is free."))


def _inquiry(state: State, right: Right, inbox: _Desk) -> Part:
    facility = right.filled["facility"]
    yield Move("search_documents", {"reference": right.filled["customer"]})
    yield Move("get_facility", {"facility_id": facility})
    if right.end == "decline":
        return (yield from _decline(right, inbox))
    used = right.filled["used"] / 100
    yield Move("send_confirmation", {"request_id": right.about, "to": right.asked_by, "utilisation": used})
    return (yield from _answer(right, inbox, f"The confirmation for {right.about} is with you."))


def _fee(state: State, right: Right, inbox: _Desk) -> Part:
    facility = right.filled["facility"]
    yield Move("get_facility", {"facility_id": facility})
    yield Move("get_balances", {"facility_id": facility})
    yield Move("record_fee", {"request_id": right.about, "amount": right.filled["fee"] / 100})
    return (yield from _answer(right, inbox, f"The fee on {facility} is booked."))


def _downgrade(state: State, right: Right, inbox: _Desk) -> Part:
    yield Move("get_customer", {"customer_id": right.about})
    for facility in right.filled["stops"]:
        yield Move("get_facility", {"facility_id": facility})
        yield Move("set_stop", {"facility_id": facility, "stopped": True})
    return (yield from _answer(right, inbox, f"The rating of {right.about} has changed."))


def _guarantee(state: State, right: Right, inbox: _Desk) -> Part:
    yield Move("list_guarantees", {"expires_by": f"{state.time.begins.date()}"})
    yield Move("get_facility", {"facility_id": right.filled["facility"]})
    yield Move("list_collateral", {"facility_id": right.filled["facility"]})
    if right.asks:
        yield from _ask(state, right, inbox)
    what = {"decision": right.filled["decision"], "amount": right.filled["claim"] / 100}
    yield Move("settle_guarantee", {"guarantee_id": right.about, **what})
    return (yield from _answer(right, inbox, f"{right.about}: {right.filled['decision']}."))


def _position(state: State, right: Right, inbox: _Desk) -> Part:
    found = {"status": "released", "released_for": f"{state.time.begins.date()}"}
    seen = yield Move("search_requests", found)
    # What a colleague pays meanwhile pushes rows to the next page.
    amounts = {row["id"]: row["amount"] for row in seen["requests"]}
    for page in range(2, -(-seen["total"] // 20) + 1):
        seen = yield Move("search_requests", {**found, "page": page})
        amounts |= {row["id"]: row["amount"] for row in seen["requests"]}
    fields = {"count": len(amounts), "total": round(sum(amounts.values()), 2)}
    return (yield send("funding", "tell", "POS", "Released for today so far.", **fields))


def _report(state: State, right: Right, inbox: _Desk) -> Part:
    for page in range(1, -(-len(state.groups) // 20) + 1):
        yield Move("list_groups", {"page": page})
    return (yield from _answer(right, inbox, "Large exposures at last night's close."))


_WORK = {
    "drawdown": _drawdown,
    "certificate": _certificate,
    "waiver": _waiver,
    "collateral": _collateral,
    "inquiry": _inquiry,
    "fee": _fee,
    "downgrade": _downgrade,
    "guarantee": _guarantee,
    POSITION: _position,
    REPORT: _report,
}
