"""The dispatch system of the haulage firm."""

from collections.abc import Mapping
from typing import Literal

import msgspec

from worktrial.language import JsonObject
from worktrial.workplaces.desk.tools import list_rows, record_of, search_rows
from worktrial.workplaces.executable import ToolError, reads, writes

from .state import Load, State

Records = Literal["driver", "truck", "road", "site", "customer", "carrier", "breakdown", "depot"]


@reads()
def search_loads(state: State, text: str = "", status: str = "", page: int = 1) -> JsonObject:
    """Search loads, 20 to a page: status, times, route and who runs them.

    Args:
        text: Words that all have to occur in number, place, depot, goods group, customer, driver, truck, route or
            roads of the route; empty for all.
        status: Only loads of this status: planned, assigned, under way, turned back, handed over, delivered,
            cancelled; empty for any.
        page: Number of the page, from 1.
    """
    there = (load for load in state.loads.values() if not status or load.status == status)
    return search_rows("loads", there, text, lambda load: _text(state, load), page, _load_row)


@reads()
def get_load(state: State, load_id: str) -> JsonObject:
    """Open a load: customer, consignee's site, goods, weight, times, route, driver, truck.

    Args:
        load_id: For example L-6120.
    """
    load = record_of(state.loads, load_id, "load")
    return {
        "id": load.id,
        "status": load.status,
        "customer": load.customer,
        "site": load.site,
        "goods": load.goods,
        "goods_group": load.group,
        "tonnes": load.tonnes,
        "depot": load.depot,
        "place": load.place,
        "departs": load.departs,
        "eta": load.eta,
        "window": list(load.window),
        "driver": load.driver,
        "truck": load.truck,
        "route": load.route,
        "carrier": load.carrier,
    }


@reads()
def search_records(state: State, kind: Records, text: str = "", page: int = 1) -> JsonObject:
    """Search other records, 20 to a page, in full.

    Args:
        kind: Of which kind.
        text: Words that all have to occur in the record; empty for all.
        page: Number of the page, from 1.
    """
    kinds: dict[str, Mapping[str, msgspec.Struct]] = {
        "driver": state.drivers,
        "truck": state.trucks,
        "road": state.roads,
        "site": state.sites,
        "customer": state.customers,
        "carrier": state.carriers,
        "breakdown": state.breakdowns,
        "depot": state.depots,
    }
    return search_rows("records", kinds[kind].values(), text, repr, page, _shown)


@reads()
def get_record(state: State, record_id: str) -> JsonObject:
    """Open a driver, truck, road, site, customer, breakdown, depot or other carrier.

    Args:
        record_id: For example D-204, T-51, R-17, S-20, C-03, B-318, or a name such as Aldern.
    """
    for records in (
        state.drivers,
        state.trucks,
        state.roads,
        state.sites,
        state.customers,
        state.breakdowns,
        state.depots,
        state.carriers,
    ):
        if record_id in records:
            return _shown(records[record_id])
    raise ToolError("unknown_record", f"There is no record {record_id!r}.")


@reads()
def list_routes(state: State, depot: str, place: str) -> JsonObject:
    """List the routes from a depot to a place: minutes at the wheel on a dry road, and each road as on the board.

    Args:
        depot: For example Aldern.
        place: For example Deepdale.
    """
    found = [r for r in state.routes.values() if (r.depot, r.place) == (depot, place)]
    rows = [
        {
            "id": route.id,
            "minutes": route.minutes,
            "roads": [
                {"id": road, "kind": state.roads[road].kind, "status": state.roads[road].status}
                for road in route.roads
            ],
        }
        for route in found
    ]
    return {"total": len(rows), "routes": rows}


@reads()
def list_docks(state: State, page: int = 1) -> JsonObject:
    """List the docks of the day for sheltering loads: depot, beginning, and the load that has it.

    Args:
        page: Number of the page, from 1.
    """
    return list_rows("docks", state.docks.values(), page, _shown)


@reads()
def list_relief(state: State, depot: str) -> JsonObject:
    """List a depot's relief drivers in the order of its list.

    Args:
        depot: For example Aldern.
    """
    if depot not in state.depots:
        raise ToolError("unknown_depot", f"There is no depot {depot!r}.")
    listed = [d for d in state.drivers.values() if d.depot == depot and d.relief is not None]
    rows = [
        {"place": d.relief, "driver": d.id, "rest_ends": d.rest_ends, "hazardous_until": d.hazardous_until}
        for d in sorted(listed, key=lambda d: d.relief or 0)
    ]
    return {"total": len(rows), "depot": depot, "relief": rows}


@reads()
def search_documents(state: State, reference: str = "", page: int = 1) -> JsonObject:
    """Search signed papers (consents of customers, police orders) by what they are about, 20 to a page.

    Args:
        reference: Number of a load or a road, or id of who signed; empty for all.
        page: Number of the page, from 1.
    """
    found = [p for p in state.papers if not reference or reference in (p.about, p.signed_by)]
    return list_rows("documents", found, page, _shown)


@writes()
def assign_load(state: State, load_id: str, driver_id: str, route_id: str) -> JsonObject:
    """Give a planned load its driver and its route. The driver is told by the system, and drives it so.

    Args:
        load_id: For example L-6120.
        driver_id: For example D-204.
        route_id: For example RT-12p.
    """
    load = record_of(state.loads, load_id, "load")
    record_of(state.drivers, driver_id, "driver")
    _check_route(state, load, route_id)
    if load.status not in ("planned", "assigned"):
        raise ToolError("not_planned", f"{load_id} is {load.status}.")
    if (load.driver, load.route) == (driver_id, route_id):
        raise ToolError("is_so", f"{load_id} is with {driver_id} on {route_id} already.")
    load.driver, load.route, load.status = driver_id, route_id, "assigned"
    load.changed_at = state.time.minute
    return {"load": load_id, "driver": driver_id, "route": route_id, "status": load.status}


@writes()
def reroute_load(state: State, load_id: str, route_id: str) -> JsonObject:
    """Put a load that is assigned onto another route.

    Args:
        load_id: For example L-6120.
        route_id: For example RT-12v.
    """
    load = record_of(state.loads, load_id, "load")
    _check_route(state, load, route_id)
    if load.status != "assigned":
        raise ToolError("not_assigned", f"{load_id} is {load.status}.")
    if load.route == route_id:
        raise ToolError("is_so", f"{load_id} is on {route_id} already.")
    load.route, load.changed_at = route_id, state.time.minute
    return {"load": load_id, "route": route_id}


@writes()
def fit_chains(state: State, truck_id: str) -> JsonObject:
    """Put a set of snow chains from its depot on a truck, for the rest of the day.

    Args:
        truck_id: For example T-51.
    """
    truck = record_of(state.trucks, truck_id, "truck")
    depot = state.depots[truck.depot]
    if truck.chains:
        raise ToolError("has_chains", f"{truck_id} has chains on board.")
    if depot.chain_sets < 1:
        raise ToolError("none_left", f"{depot.id} has no chains left.")
    depot.chain_sets -= 1
    truck.chains = True
    return {"truck": truck_id, "chains": True, "sets_left": depot.chain_sets}


@writes()
def hand_over(state: State, load_id: str, carrier: str) -> JsonObject:
    """Hand a load over to another carrier, who is told by the system. Until it has left it can be taken back.

    Args:
        load_id: For example L-6120.
        carrier: Name of the carrier.
    """
    load = record_of(state.loads, load_id, "load")
    if carrier not in state.carriers:
        known = ", ".join(state.carriers)
        raise ToolError("unknown_carrier", f"There is no carrier {carrier!r}; there are {known}.")
    if load.status not in ("planned", "assigned"):
        raise ToolError("not_here", f"{load_id} is {load.status}.")
    load.carrier, load.status, load.changed_at = carrier, "handed over", state.time.minute
    return {"load": load_id, "carrier": carrier, "status": load.status}


@writes()
def take_back(state: State, load_id: str) -> JsonObject:
    """Take a load back from another carrier before it has left.

    Args:
        load_id: For example L-6120.
    """
    load = record_of(state.loads, load_id, "load")
    if load.status != "handed over":
        raise ToolError("not_handed_over", f"{load_id} is {load.status}.")
    if state.time.minute_of(load.departs) <= state.time.minute:
        raise ToolError("has_left", f"{load_id} has left with {load.carrier}.")
    load.carrier, load.changed_at = None, state.time.minute
    load.status = "planned" if load.driver is None else "assigned"
    return {"load": load_id, "status": load.status}


@writes()
def cancel_load(state: State, load_id: str) -> JsonObject:
    """Cancel a load that has not left. Its order is closed and cannot be opened again.

    Args:
        load_id: For example L-6120.
    """
    load = record_of(state.loads, load_id, "load")
    if load.status not in ("planned", "assigned"):
        raise ToolError("not_here", f"{load_id} is {load.status}.")
    load.status, load.changed_at = "cancelled", state.time.minute
    return {"load": load_id, "status": load.status}


@writes()
def turn_back(state: State, load_id: str) -> JsonObject:
    """Have a load that is under way brought back to its depot. It does not set out again today.

    Args:
        load_id: For example L-6120.
    """
    load = record_of(state.loads, load_id, "load")
    if load.status != "under way":
        raise ToolError("not_under_way", f"{load_id} is {load.status}.")
    load.status, load.eta, load.changed_at = "turned back", None, state.time.minute
    return {"load": load_id, "status": load.status}


@writes()
def share_tracking(state: State, load_id: str, person_id: str) -> JsonObject:
    """Send somebody the tracking of a load: its goods, where it is, and when it arrives.

    Args:
        load_id: For example L-6120.
        person_id: As in the directory.
    """
    record_of(state.loads, load_id, "load")
    if person_id not in state.people:
        raise ToolError("unknown_person", f"There is nobody {person_id!r} in the directory.")
    return {"load": load_id, "shared_with": person_id}


@writes()
def grant_extension(state: State, driver_id: str, minutes: int) -> JsonObject:
    """Enter an extension of a driver's day in the tachograph file, where it stays.

    Args:
        driver_id: For example D-204.
        minutes: Minutes at the wheel beyond the limit.
    """
    driver = record_of(state.drivers, driver_id, "driver")
    if driver.extended_at is not None:
        raise ToolError("has_one", f"{driver_id} has an extension today.")
    if not 1 <= minutes <= 120:
        raise ToolError("no_minutes", "An extension has 1 to 120 minutes.")
    driver.extensions += 1
    driver.extended_at = state.time.minute
    return {"driver": driver_id, "minutes": minutes, "extensions_this_week": driver.extensions}


@writes()
def set_road(state: State, road_id: str, status: Literal["open", "chains", "closed"]) -> JsonObject:
    """Set a road on the firm's board, by which all drivers go.

    Args:
        road_id: For example R-17.
        status: open, chains (ordered for lorries) or closed.
    """
    road = record_of(state.roads, road_id, "road")
    if road.status == status:
        raise ToolError("is_so", f"{road_id} is {status} on the board already.")
    road.status, road.changed_at = status, state.time.minute
    return {"road": road_id, "status": status}


@writes()
def order_tow(state: State, breakdown_id: str, tow: Literal["light", "heavy"]) -> JsonObject:
    """Order a recovery vehicle for a breakdown. It sets out at once and is charged.

    Args:
        breakdown_id: For example B-318.
        tow: light or heavy.
    """
    breakdown = record_of(state.breakdowns, breakdown_id, "breakdown")
    if breakdown.status != "open":
        raise ToolError("settled", f"{breakdown_id}: {breakdown.status}.")
    breakdown.tow, breakdown.status, breakdown.changed_at = tow, "recovery ordered", state.time.minute
    return {"breakdown": breakdown_id, "tow": tow, "status": breakdown.status}


@writes()
def mark_same(state: State, breakdown_id: str, same_as: str) -> JsonObject:
    """Mark a report of a breakdown as another report of one that is known.

    Args:
        breakdown_id: The later report.
        same_as: The one that is known.
    """
    breakdown, known = (
        record_of(state.breakdowns, breakdown_id, "breakdown"),
        record_of(state.breakdowns, same_as, "breakdown"),
    )
    if breakdown.id == known.id:
        raise ToolError("itself", "A report cannot be the same as itself.")
    if breakdown.status != "open":
        raise ToolError("settled", f"{breakdown_id}: {breakdown.status}.")
    breakdown.same_as, breakdown.status, breakdown.changed_at = same_as, "same as another", state.time.minute
    return {"breakdown": breakdown_id, "same_as": same_as}


@writes()
def book_dock(state: State, dock_id: str, load_id: str) -> JsonObject:
    """Give a dock to a load. The truck is sent there at once, and the dock is not taken back.

    Args:
        dock_id: For example DK-31.
        load_id: For example L-6120.
    """
    record_of(state.loads, load_id, "load")
    slot = record_of(state.docks, dock_id, "dock")
    if slot.load is not None:
        raise ToolError("taken", f"{dock_id} has {slot.load}.")
    if any(other.load == load_id for other in state.docks.values()):
        raise ToolError("has_one", f"{load_id} has a dock.")
    slot.load = load_id
    state.loads[load_id].changed_at = state.time.minute
    return {"dock": dock_id, "begins": slot.begins, "load": load_id}


@writes()
def release_fuel(state: State, depot: str, truck_id: str, litres: int) -> JsonObject:
    """Release AdBlue at a depot's pump for a truck.

    Args:
        depot: For example Aldern.
        truck_id: For example T-51.
        litres: How many.
    """
    truck = record_of(state.trucks, truck_id, "truck")
    if depot not in state.depots:
        raise ToolError("unknown_depot", f"There is no depot {depot!r}.")
    tank = state.depots[depot]
    if not 1 <= litres <= tank.adblue:
        raise ToolError("not_there", f"{depot} has {tank.adblue} litres.")
    if truck.adblue_released:
        raise ToolError("released", f"{truck_id} was released {truck.adblue_released} litres today.")
    tank.adblue -= litres
    truck.adblue_released = litres
    return {"depot": depot, "truck": truck_id, "litres": litres, "left": tank.adblue}


def _text(state: State, load: Load) -> str:
    roads = " ".join(state.routes[load.route].roads) if load.route else ""
    who = f"{load.customer} {load.driver} {load.truck} {load.route}"
    return f"{load.id} {load.place} {load.depot} {load.group} {who} {roads}"


def _load_row(load: Load) -> JsonObject:
    return {
        "id": load.id,
        "status": load.status,
        "goods_group": load.group,
        "place": load.place,
        "departs": load.departs,
        "eta": load.eta,
        "window": list(load.window),
        "driver": load.driver,
        "route": load.route,
    }


def _shown(record: msgspec.Struct) -> JsonObject:
    shown: JsonObject = msgspec.to_builtins(record)
    return {key: value for key, value in shown.items() if key not in ("changed_at", "extended_at")}


def _check_route(state: State, load: Load, route_id: str) -> None:
    route = state.routes.get(route_id)
    if route is None or (route.depot, route.place) != (load.depot, load.place):
        raise ToolError("no_such_route", f"There is no route {route_id} from {load.depot} to {load.place}.")
