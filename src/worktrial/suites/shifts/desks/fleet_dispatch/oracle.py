"""A plan of the day: the work of a dispatcher who knows beforehand what is right about each matter."""

from collections.abc import Generator

from worktrial.language import JsonObject
from worktrial.suites.shifts.cases import Move, Work
from worktrial.suites.shifts.clerks import Inbox, Matter, Until, interleave

from .docks import dock_winners
from .hours import needs_chains
from .rules import REPORT, Right, solve
from .state import State

Part = Generator[Move | Until, JsonObject, JsonObject]


def plan(state: State) -> Work:
    """Work on every matter in its time; of several always on the one that is due first."""
    inbox = Inbox()
    matters = [(right.arrives, right.due, _matter(state, right, inbox)) for right in solve(state)]
    return interleave(matters, state.time)


def _matter(state: State, right: Right, inbox: Inbox) -> Matter:
    if right.kind == REPORT:
        yield from _report(right)
    elif right.kind == "delay":
        yield from _delay(right)
    else:
        yield from inbox.read(right.about)
        yield from _WORK[right.kind](state, right, inbox)


def _report(right: Right) -> Part:
    seen = yield Move("search_records", {"kind": "breakdown"})
    known = [blocking for due, blocking in right.filled["breakdowns"] if due <= right.arrives]
    fields: JsonObject = {"breakdowns": len(known), "blocking": sum(known)}
    text = f"Breakdowns since six: {fields['breakdowns']}, of which {fields['blocking']} block a road."
    seen = yield Move(
        "send_message", {"to": "operations", "kind": "tell", "about": REPORT, "text": text, "fields": fields}
    )
    return seen


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
        words = {"about": load, "text": f"{load} arrives late, at {eta}.", "fields": {"eta": eta}}
        seen = yield Move("send_message", {"to": person, "kind": "tell", **words})
    for person, load in right.tell:
        words = {"about": load, "text": f"{load} arrives late, at {times[load]}.", "fields": {"eta": times[load]}}
        seen = yield Move("send_message", {"to": person, "kind": "tell", **words})
    return seen


def _answer(right: Right, text: str) -> Part:
    """Answer whoever asked, and tell everybody else who has to know."""
    seen = yield Move(
        "send_message", {"to": right.asked_by, "kind": right.answer[0], "about": right.about, "text": text}
    )
    for person, about in right.tell:
        fields = {"carrier": right.filled["carrier"]} if right.kind == "handover" else {}
        seen = yield Move(
            "send_message", {"to": person, "kind": "tell", "about": about, "text": text, "fields": fields}
        )
    return seen


def _refuse(right: Right) -> Part:
    return (yield from _answer(right, f"{right.about}: this cannot be done. {right.because}"))


def _finish(right: Right) -> Part:
    return (yield from _answer(right, f"{right.about} is settled."))


def _assign(state: State, right: Right, inbox: Inbox) -> Part:
    seen = yield Move("get_load", {"load_id": right.about})
    yield Move("get_record", {"record_id": right.filled["driver"]})
    yield Move("list_routes", {"depot": seen["depot"], "place": seen["place"]})
    if right.end != "do":
        return (yield from _refuse(right))
    if right.filled["chains"]:
        yield Move("get_record", {"record_id": right.filled["truck"]})
        yield Move("fit_chains", {"truck_id": right.filled["truck"]})
    routes = right.filled["routes"]
    route = next((id for id in routes if not needs_chains(state, id)), routes[0])
    yield Move("assign_load", {"load_id": right.about, "driver_id": right.filled["driver"], "route_id": route})
    return (yield from _finish(right))


def _dock(state: State, right: Right, inbox: Inbox) -> Part:
    yield Move("get_load", {"load_id": right.about})
    yield Until(right.filled["given"])
    if right.end != "do":
        return (yield from _refuse(right))
    yield Move("list_docks")
    yield Move("book_dock", {"dock_id": dock_winners(state)[right.about], "load_id": right.about})
    return (yield from _finish(right))


def _breakdown(state: State, right: Right, inbox: Inbox) -> Part:
    yield Move("search_records", {"kind": "breakdown", "text": right.filled["road"]})
    if right.end == "same":
        yield Move("mark_same", {"breakdown_id": right.about, "same_as": right.filled["same_as"]})
        return (yield from _answer(right, f"Thank you, {right.filled['same_as']} is known, help is on its way."))
    yield Move("get_record", {"record_id": right.filled["truck"]})
    yield Move("search_loads", {"text": right.filled["truck"], "status": "under way"})
    seen = yield Move("get_load", {"load_id": right.filled["load"]})
    yield Move("order_tow", {"breakdown_id": right.about, "tow": right.filled["tow"]})
    yield Move("get_record", {"record_id": seen["site"]})
    return (yield from _finish(right))


def _order_of_recovery(state: State, right: Right, inbox: Inbox) -> Part:
    for id in (right.filled["first"], right.filled["second"]):
        seen = yield Move("get_record", {"record_id": id})
        yield Move("search_loads", {"text": seen["truck"], "status": "under way"})
    first = right.filled["first"]
    words = {"to": right.asked_by, "about": first, "text": f"{first} first, please."}
    yield Move("send_message", {"kind": "approve", **words})
    seen = yield Move("get_load", {"load_id": right.filled["load"]})
    yield Move("get_record", {"record_id": seen["site"]})
    for person, load in right.tell:
        words = {"to": person, "about": load, "text": f"{load} has to wait for recovery until this afternoon."}
        seen = yield Move("send_message", {"kind": "tell", **words})
    return seen


def _ask(state: State, right: Right, inbox: Inbox, person: str) -> Matter:
    """Ask somebody whose word decides, and again where they have forgotten."""
    words = {"to": person, "about": right.about, "text": f"Please let me know about {right.about}."}
    seen = yield Move("send_message", {"kind": "request", **words})
    slow = state.people[person].delay[1] + 1
    if right.about in state.people[person].forgets:
        yield Until(state.time.minute_of(str(seen["time"])) + slow)
        seen = yield Move("send_message", {"kind": "remind", **words})
    yield Until(state.time.minute_of(str(seen["time"])) + slow)
    yield from inbox.read(right.about)


def _closure(state: State, right: Right, inbox: Inbox) -> Part:
    yield Move("get_record", {"record_id": right.about})
    if right.pattern != "bulletin":
        yield Move("search_documents", {"reference": right.about})
    if right.filled["asks"]:
        yield from _ask(state, right, inbox, "road_authority")
    if right.end != "do":
        return (yield from _refuse(right))
    yield Move("set_road", {"road_id": right.about, "status": "closed"})
    yield Move("search_loads", {"text": right.about, "status": "assigned"})
    for load, _, routes in right.filled["rows"]:
        record = state.loads[load]
        yield Move("list_routes", {"depot": record.depot, "place": record.place})
        yield Move("reroute_load", {"load_id": load, "route_id": routes[0]})
    return (yield from _finish(right))


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
        return (yield from _refuse(right))
    yield Move("hand_over", {"load_id": right.about, "carrier": right.filled["carrier"]})
    yield Move("get_record", {"record_id": seen["site"]})
    return (yield from _finish(right))


def _cancel(state: State, right: Right, inbox: Inbox) -> Part:
    seen = yield Move("get_load", {"load_id": right.about})
    if right.end == "refuse":
        return (yield from _refuse(right))
    if right.end == "do":
        yield Move("cancel_load", {"load_id": right.about})
    else:
        yield Move("turn_back", {"load_id": right.about})
        yield Move("get_record", {"record_id": seen["site"]})
    return (yield from _finish(right))


def _details(state: State, right: Right, inbox: Inbox) -> Part:
    seen = yield Move("get_load", {"load_id": right.about})
    yield Move("get_record", {"record_id": seen["site"]})
    if right.end != "do":
        return (yield from _refuse(right))
    yield Move("share_tracking", {"load_id": right.about, "person_id": right.asked_by})
    return (yield from _finish(right))


def _extension(state: State, right: Right, inbox: Inbox) -> Part:
    yield Move("get_load", {"load_id": right.about})
    yield Move("get_record", {"record_id": right.filled["driver"]})
    if right.end != "do":
        return (yield from _refuse(right))
    yield Move("grant_extension", {"driver_id": right.filled["driver"], "minutes": right.filled["minutes"]})
    return (yield from _finish(right))


def _relief(state: State, right: Right, inbox: Inbox) -> Part:
    seen = yield Move("get_load", {"load_id": right.about})
    yield Move("list_relief", {"depot": seen["depot"]})
    for driver in right.filled["ask"]:
        yield from _ask(state, right, inbox, driver)
    yield Move("list_routes", {"depot": seen["depot"], "place": seen["place"]})
    route = right.filled["routes"][0]
    yield Move("assign_load", {"load_id": right.about, "driver_id": right.filled["driver"], "route_id": route})
    return (yield from _finish(right))


def _fuel(state: State, right: Right, inbox: Inbox) -> Part:
    yield Move("get_load", {"load_id": right.about})
    yield Move("get_record", {"record_id": right.filled["depot"]})
    if right.end != "do":
        return (yield from _refuse(right))
    arguments = {"depot": right.filled["depot"], "truck_id": right.filled["truck"]}
    yield Move("release_fuel", {**arguments, "litres": right.filled["litres"]})
    return (yield from _finish(right))


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
