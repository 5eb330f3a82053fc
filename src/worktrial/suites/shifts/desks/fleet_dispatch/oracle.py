"""A plan of the day: the work of a dispatcher who knows beforehand what is right about each matter."""

from worktrial.language import JsonObject
from worktrial.suites.shifts.cases import Move, Work, send
from worktrial.suites.shifts.clerks import Inbox, Matter, Part, Until, ask, interleave
from worktrial.workplaces.desk.tools import PAGE

from .docks import dock_winners
from .hours import needs_chains
from .rules import CERTIFICATES, FIRST_WORD, REPORT, Right, solve
from .state import State

_BEGIN = 12  # minutes within which what others have to answer is aimed to be asked
_LONGER = 17  # minutes before its time at which a report is aimed to be begun, which cannot be sent much earlier
_LONG = 12  # minutes before its time at which a matter is aimed to be begun


def plan(state: State) -> Work:
    """Work on every matter in its time; of several always on the one that is due first."""
    inbox = Inbox(FIRST_WORD)
    matters: list[tuple[int, int, Matter]] = []
    for right in solve(state):
        due = (
            right.arrives + _BEGIN if _asks(right) else right.plan_by - (_LONGER if right.kind == REPORT else _LONG)
        )
        # The time of the docks is the same for all: what is not won is declined then as well.
        ready = max(right.arrives, right.filled["given"] - _BEGIN) if right.kind == "dock" else right.arrives
        matters.append((ready, max(due, ready + 2), _matter(state, right, inbox)))
        if right.needs_word:
            word = (right.arrives + 10, right.arrives + FIRST_WORD - _LONG, _first_word(right, inbox))
            matters.append(word)
    return interleave(matters, state.time)


def _asks(right: Right) -> bool:
    """Whether somebody else's word is needed, which takes a while."""
    return bool(right.filled.get("asks") or right.filled.get("ask"))


def _first_word(right: Right, inbox: Inbox) -> Matter:
    """Tell whoever asked that it is in hand, unless they have their answer by now."""
    move = send(right.asked_by, "tell", right.about, f"{right.about} is in hand.")
    return inbox.words.word(right.slot, move, inbox.open(right.about, right.slot))


def _matter(state: State, right: Right, inbox: Inbox) -> Matter:
    if right.kind == REPORT:
        yield from _report(right)
    elif right.kind == CERTIFICATES:
        yield from _certificates(state, right)
    elif right.kind == "delay":
        yield from _delay(right)
    else:
        yield from inbox.open(right.about, right.slot)
        yield from _WORK[right.kind](state, right, inbox)


def _report(right: Right) -> Part:
    yield Move("search_records", {"kind": "breakdown"})
    known = [row for row in right.filled["breakdowns"] if row[0] <= right.arrives]
    fields: JsonObject = {
        "breakdowns": len(known),
        "blocking": sum(blocking for _, blocking, _ in known),
        "medical": sum(medical for *_, medical in known),
    }
    return (yield send("operations", "tell", REPORT, "Breakdowns since six.", **fields))


def _certificates(state: State, right: Right) -> Part:
    for page in range(1, -(-len(state.drivers) // PAGE) + 1):
        yield Move("search_records", {"kind": "driver", "page": page})
    return (yield send("compliance", "tell", CERTIFICATES, "Certificates that run out.", **right.filled))


def _delay(right: Right) -> Part:
    if right.slot == "delay-1":
        yield Move("search_loads", {"status": "under way"})
    seen = yield Move("get_load", {"load_id": right.about})
    yield Move("get_record", {"record_id": seen["site"]})
    yield Move("get_record", {"record_id": seen["customer"]})
    return (yield from _late(right))


def _late(right: Right) -> Part:
    """Tell consignees when their loads arrive, and customers of contracts with a penalty."""
    seen: JsonObject = {}
    times = {}
    for person, load, eta in right.filled["late"]:
        times[load] = eta
        seen = yield send(person, "tell", load, f"{load} arrives late, at {eta}.", eta=eta)
    for person, load in right.tell:
        seen = yield send(person, "tell", load, f"{load} arrives late, at {times[load]}.", eta=times[load])
    return seen


def _answer(state: State, right: Right, inbox: Inbox, text: str) -> Part:
    """Answer whoever asked, and tell everybody else who has to know."""
    refused, heard = right.end == "refuse", inbox.words.is_said(right.slot)
    inbox.words.keep_away(right.slot)
    if right.needs_word and heard:
        yield Until(right.arrives + FIRST_WORD + 1, (right.due if refused else state.time.ends) - _LONG)
    elif right.needs_word:
        yield Until(0, min(right.arrives + FIRST_WORD, right.due) - _LONG)
    inbox.words.note(right.slot)
    seen = yield send(right.asked_by, right.answer[0], right.about, text)
    for person, about in right.tell:
        if not refused:
            yield Until(0, state.time.ends - _LONG)
        fields = {"carrier": right.filled["carrier"]} if right.kind == "handover" else {}
        seen = yield send(person, "tell", about, text, **fields)
    return seen


def _refuse(state: State, right: Right, inbox: Inbox) -> Part:
    return (yield from _answer(state, right, inbox, f"{right.about}: this cannot be done. {right.because}"))


def _finish(state: State, right: Right, inbox: Inbox) -> Part:
    return (yield from _answer(state, right, inbox, f"{right.about} is settled."))


def _assign(state: State, right: Right, inbox: Inbox) -> Part:
    seen = yield Move("get_load", {"load_id": right.about})
    yield Move("get_record", {"record_id": right.filled["driver"]})
    yield Move("list_routes", {"depot": seen["depot"], "place": seen["place"]})
    if right.end != "do":
        return (yield from _refuse(state, right, inbox))
    if right.filled["chains"]:
        yield Move("get_record", {"record_id": right.filled["truck"]})
        yield Move("fit_chains", {"truck_id": right.filled["truck"]})
    routes = right.filled["routes"]
    route = next((id for id in routes if not needs_chains(state, id)), routes[0])
    yield Move("assign_load", {"load_id": right.about, "driver_id": right.filled["driver"], "route_id": route})
    return (yield from _finish(state, right, inbox))


def _dock(state: State, right: Right, inbox: Inbox) -> Part:
    yield Move("get_load", {"load_id": right.about})
    yield Until(right.filled["given"])
    if right.end != "do":
        return (yield from _refuse(state, right, inbox))
    yield Move("list_docks")
    yield Move("book_dock", {"dock_id": dock_winners(state)[right.about], "load_id": right.about})
    return (yield from _finish(state, right, inbox))


def _breakdown(state: State, right: Right, inbox: Inbox) -> Part:
    yield Move("search_records", {"kind": "breakdown", "text": right.filled["road"]})
    if right.end == "same":
        yield Move("mark_same", {"breakdown_id": right.about, "same_as": right.filled["same_as"]})
        text = f"Thank you, {right.filled['same_as']} is known, help is on its way."
        return (yield from _answer(state, right, inbox, text))
    yield Move("get_record", {"record_id": right.filled["truck"]})
    yield Move("search_loads", {"text": right.filled["truck"], "status": "under way"})
    seen = yield Move("get_load", {"load_id": right.filled["load"]})
    yield Move("order_tow", {"breakdown_id": right.about, "tow": right.filled["tow"]})
    yield Move("get_record", {"record_id": seen["site"]})
    return (yield from _finish(state, right, inbox))


def _order_of_recovery(state: State, right: Right, inbox: Inbox) -> Part:
    for id in (right.filled["first"], right.filled["second"]):
        seen = yield Move("get_record", {"record_id": id})
        yield Move("search_loads", {"text": seen["truck"], "status": "under way"})
    first = right.filled["first"]
    yield send(right.asked_by, "tell", first, f"{first} first, please.", first=first)
    seen = yield Move("get_load", {"load_id": right.filled["load"]})
    yield Move("get_record", {"record_id": seen["site"]})
    for person, load in right.tell:
        seen = yield send(person, "tell", load, f"{load} has to wait for recovery until this afternoon.")
    return seen


def _ask(state: State, right: Right, inbox: Inbox, person: str) -> Matter:
    """Ask somebody whose word decides, and again where they have forgotten."""
    question = send(person, "request", right.about, f"Please let me know about {right.about}.")
    answered = yield from ask(state, question)
    yield Until(answered, None if right.kind == "relief" else right.due - 2 * _LONG)
    yield from inbox.read(right.about)


def _closure(state: State, right: Right, inbox: Inbox) -> Part:
    yield Move("get_record", {"record_id": right.about})
    if right.pattern != "bulletin":
        yield Move("search_documents", {"reference": right.about})
    if right.filled["asks"]:
        yield from _ask(state, right, inbox, "road_authority")
    if right.end != "do":
        return (yield from _refuse(state, right, inbox))
    yield Move("set_road", {"road_id": right.about, "status": "closed"})
    yield Move("search_loads", {"text": right.about, "status": "assigned"})
    for load, _, routes in right.filled["rows"]:
        record = state.loads[load]
        yield Move("list_routes", {"depot": record.depot, "place": record.place})
        yield Move("reroute_load", {"load_id": load, "route_id": routes[0]})
    return (yield from _finish(state, right, inbox))


def _bulletin(state: State, right: Right, inbox: Inbox) -> Part:
    seen = yield Move("set_road", {"road_id": right.about, "status": right.filled["status"]})
    if right.filled["status"] == "chains":
        seen = yield Move("search_loads", {"text": right.about, "status": "under way"})
    for _, load, _eta in right.filled["late"]:
        seen = yield Move("get_load", {"load_id": load})
        yield Move("get_record", {"record_id": seen["site"]})
        yield Move("get_record", {"record_id": seen["customer"]})
    if right.filled["late"]:
        return (yield from _late(right))
    return seen


def _handover(state: State, right: Right, inbox: Inbox) -> Part:
    seen = yield Move("get_load", {"load_id": right.about})
    customer = yield Move("get_record", {"record_id": seen["customer"]})
    if customer["contract"] == "K-3":
        yield Move("search_documents", {"reference": right.about})
    if right.filled["asks"]:
        yield from _ask(state, right, inbox, right.filled["customer"])
    if right.filled["final"]:
        yield Until(right.filled["final"] + 1)
        yield from inbox.read(right.about)
    if right.end != "do":
        return (yield from _refuse(state, right, inbox))
    yield Move("hand_over", {"load_id": right.about, "carrier": right.filled["carrier"]})
    yield Move("get_record", {"record_id": seen["site"]})
    return (yield from _finish(state, right, inbox))


def _cancel(state: State, right: Right, inbox: Inbox) -> Part:
    seen = yield Move("get_load", {"load_id": right.about})
    if right.end == "refuse":
        return (yield from _refuse(state, right, inbox))
    if right.end == "do":
        yield Move("cancel_load", {"load_id": right.about})
    else:
        yield Move("turn_back", {"load_id": right.about})
        yield Move("get_record", {"record_id": seen["site"]})
    return (yield from _finish(state, right, inbox))


def _details(state: State, right: Right, inbox: Inbox) -> Part:
    seen = yield Move("get_load", {"load_id": right.about})
    yield Move("get_record", {"record_id": seen["site"]})
    if right.end != "do":
        return (yield from _refuse(state, right, inbox))
    yield Move("share_tracking", {"load_id": right.about, "person_id": right.asked_by})
    return (yield from _finish(state, right, inbox))


def _extension(state: State, right: Right, inbox: Inbox) -> Part:
    yield Move("get_load", {"load_id": right.about})
    yield Move("get_record", {"record_id": right.filled["driver"]})
    if right.end != "do":
        return (yield from _refuse(state, right, inbox))
    yield Move("grant_extension", {"driver_id": right.filled["driver"], "minutes": right.filled["minutes"]})
    return (yield from _finish(state, right, inbox))


def _relief(state: State, right: Right, inbox: Inbox) -> Part:
    seen = yield Move("get_load", {"load_id": right.about})
    yield Move("list_relief", {"depot": seen["depot"]})
    for driver in right.filled["ask"]:
        yield from _ask(state, right, inbox, driver)
    yield Move("list_routes", {"depot": seen["depot"], "place": seen["place"]})
    route = right.filled["routes"][0]
    yield Move("assign_load", {"load_id": right.about, "driver_id": right.filled["driver"], "route_id": route})
    return (yield from _finish(state, right, inbox))


def _fuel(state: State, right: Right, inbox: Inbox) -> Part:
    yield Move("get_load", {"load_id": right.about})
    yield Move("get_record", {"record_id": right.filled["depot"]})
    if right.end != "do":
        return (yield from _refuse(state, right, inbox))
    arguments = {"depot": right.filled["depot"], "truck_id": right.filled["truck"]}
    yield Move("release_fuel", {**arguments, "litres": right.filled["litres"]})
    return (yield from _finish(state, right, inbox))


_WORK = {
    "assign": _assign,
    "dock": _dock,
    "breakdown": _breakdown,
    "recovery": _order_of_recovery,
    "closure": _closure,
    "bulletin": _bulletin,
    "handover": _handover,
    "cancel": _cancel,
    "details": _details,
    "extension": _extension,
    "relief": _relief,
    "fuel": _fuel,
}
