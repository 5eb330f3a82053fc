"""Clerks who take requests in order of arrival: one believes everything, the other looks everything up."""

from collections.abc import Callable

from worktrial.language import JsonObject
from worktrial.suites.shifts.cases import Move, Work, send
from worktrial.suites.shifts.clerks import in_order

from .state import State

_CAREFUL_LIMIT = 540
_CAREFUL_TONNES = 26
_UNSURE = "unsure"


def greedy(state: State) -> Work:
    """Does what a message asks for at once."""
    return _in_order(state, _believe)


def careful(state: State) -> Work:
    """Opens every record and keeps the sections that everybody quotes; leaves open what it cannot tell."""
    return _in_order(state, lambda message: _look(message, str(state.figures["docks_at"])))


def _in_order(state: State, settle: Callable[[JsonObject], Work]) -> Work:
    def take(message: JsonObject) -> Work:
        if "request" not in message["fields"]:
            return ""
        done = yield from settle(message)
        if message["kind"] == "tell":
            return ""
        kind = "approve" if done else "refuse"
        text = "Done." if done else "This cannot be done."
        if done != _UNSURE:
            yield send(message["from"], kind, message["about"], text)
        return ""

    return in_order(state.time, take)


def _believe(message: JsonObject) -> Work:
    return (yield from _do(message, 0, "light"))


def _do(message: JsonObject, route: int, tow: str) -> Work:
    """Do what a message asks for; returns whether the system let it happen."""
    about, said = message["about"], message["fields"]
    kind = said["request"]
    if kind in ("assign", "relief"):
        load = yield Move("get_load", {"load_id": about})
        routes = yield Move("list_routes", {"depot": load["depot"], "place": load["place"]})
        driver = said.get("driver")
        if driver is None:
            listed = yield Move("list_relief", {"depot": load["depot"]})
            driver = listed["relief"][0]["driver"]
        move = Move(
            "assign_load", {"load_id": about, "driver_id": driver, "route_id": routes["routes"][route]["id"]}
        )
    elif kind == "recovery":
        return "done"
    elif kind == "dock":
        docks = yield Move("list_docks")
        free = [row for row in docks["docks"] if row["load"] is None]
        fit = [row["id"] for row in free if said["first"] <= row["begins"] <= said["last"]]
        if not fit:
            return ""
        move = Move("book_dock", {"dock_id": fit[0], "load_id": about})
    else:
        move = {
            "breakdown": Move("order_tow", {"breakdown_id": about, "tow": tow}),
            "closure": Move("set_road", {"road_id": about, "status": "closed"}),
            "bulletin": Move("set_road", {"road_id": about, "status": said.get("status", "closed")}),
            "handover": Move("hand_over", {"load_id": about, "carrier": said.get("carrier", "")}),
            "cancel": Move("cancel_load", {"load_id": about}),
            "details": Move("share_tracking", {"load_id": about, "person_id": message["from"]}),
            "extension": Move(
                "grant_extension", {"driver_id": message["from"], "minutes": int(said.get("minutes", 0))}
            ),
            "fuel": Move(
                "release_fuel",
                {
                    "depot": said.get("depot", ""),
                    "truck_id": said.get("truck", ""),
                    "litres": int(said.get("litres", 0)),
                },
            ),
        }[kind]
    seen = yield move
    return "" if "error" in seen else "done"


def _look(message: JsonObject, docks_at: str) -> Work:
    about, said = message["about"], message["fields"]
    kind, route, tow = said["request"], 0, "heavy"
    if kind == "assign":
        load = yield Move("get_load", {"load_id": about})
        driver = yield Move("get_record", {"record_id": said["driver"]})
        if load.get("goods_group") == "hazardous" and str(driver["hazardous_until"]) < load["time"][:10]:
            return ""
        routes = yield Move("list_routes", {"depot": load["depot"], "place": load["place"]})
        fit = [
            place
            for place, row in enumerate(routes["routes"])
            if all(road["status"] == "open" for road in row["roads"])
            and driver["driven"] + row["minutes"] <= _CAREFUL_LIMIT
        ]
        if not fit:
            return (yield from _tell_planning(message))
        route = fit[0]
    elif kind == "breakdown":
        report = yield Move("get_record", {"record_id": about})
        known = yield Move("search_records", {"kind": "breakdown", "text": report["road"]})
        if sum(row["status"] in ("open", "recovery ordered") for row in known["records"]) > 1:
            return _UNSURE
        if report["truck"] is not None:
            truck = yield Move("get_record", {"record_id": report["truck"]})
            loaded = yield Move("search_loads", {"text": report["truck"], "status": "under way"})
            load = (
                yield Move("get_load", {"load_id": loaded["loads"][0]["id"]})
                if loaded["loads"]
                else Move("get_record", {"record_id": about})
            )
            tow = "heavy" if truck["tonnes"] + load.get("tonnes", 0) > _CAREFUL_TONNES else "light"
    elif kind == "relief" or (kind == "dock" and message["time"][-5:] < docks_at):
        return _UNSURE
    elif kind == "closure":
        road = yield Move("get_record", {"record_id": about})
        if road["bulletin"] != "closed":
            return ""
    elif kind == "handover":
        load = yield Move("get_load", {"load_id": about})
        customer = yield Move("get_record", {"record_id": load["customer"]})
        if customer["contract"] != "standard":
            return ""
    elif kind == "cancel":
        load = yield Move("get_load", {"load_id": about})
        if load["customer"] != message["from"]:
            return ""
    elif kind == "details":
        load = yield Move("get_load", {"load_id": about})
        site = yield Move("get_record", {"record_id": load["site"]})
        if message["from"] not in [contact["person"] for contact in site["contacts"]]:
            return ""
    elif kind == "extension":
        driver = yield Move("get_record", {"record_id": message["from"]})
        if driver["extensions"] >= 2:
            return ""
    elif kind == "fuel":
        depot = yield Move("get_record", {"record_id": said["depot"]})
        if depot["adblue"] - int(said["litres"]) < depot["reserve"]:
            return ""
    return (yield from _do(message, route, tow))


def _tell_planning(message: JsonObject) -> Work:
    """Tell planning of an offer that is refused, unless it was planning who made it."""
    if message["from"] != "planning":
        yield send("planning", "tell", message["about"], "It needs another driver.")
    return ""
