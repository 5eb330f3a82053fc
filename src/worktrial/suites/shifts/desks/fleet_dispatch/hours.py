"""Times of trips and hours of drivers, right to the minute, as the handbook's chapters 3 and 4 have them."""

from collections.abc import Iterator
from datetime import date
from math import ceil
from typing import NamedTuple

from .state import Driver, Load, Route, State

DRIVING_LIMIT = 540
STRETCH = 270
BREAK = 45
SPAN = 780


class Trip(NamedTuple):
    """A trip as it is planned."""

    driving: int
    """Minutes at the wheel."""
    arrives: int
    """Minute of the shift, breaks included."""


def trip(state: State, load: Load, driver: Driver, route: Route) -> Trip:
    """Planned trip of a load: sections 3.2 and 4.1, and circular C-2026-03 where there is one."""
    surcharge = int(str(state.figures["surcharge"])) if state.figures["winter"] else 0
    chained = sum(state.roads[road].bulletin == "chains" for road in route.roads)
    driving = ceil(route.minutes * (100 + surcharge) / 100) + chained * int(str(state.figures["chain_minutes"]))
    breaks = max(0, driver.since_break + driving - 1) // STRETCH
    return Trip(driving, state.time.minute_of(load.departs) + driving + breaks * BREAK)


def within_hours(state: State, driver: Driver, planned: Trip) -> bool:
    """Whether a trip stays within the driver's day: section 3.1."""
    began = state.time.minute_of(driver.on_duty_since)
    return driver.driven + planned.driving <= DRIVING_LIMIT and planned.arrives - began <= SPAN


def routes_to(state: State, load: Load) -> Iterator[Route]:
    """Routes of a load, whatever may be driven on."""
    yield from (route for route in state.routes.values() if (route.depot, route.place) == (load.depot, load.place))


def may_drive(state: State, load: Load, route: Route, closed: frozenset[str] = frozenset()) -> bool:
    """Whether a load may take a route: sections 4.2 and 4.3, and circular C-2026-04 where there is one."""
    roads = [state.roads[road] for road in route.roads]
    if any(road.bulletin == "closed" or road.id in closed for road in roads):
        return False
    barred = bool(state.figures["tunnel_ban"]) and load.group == "hazardous"
    return not (barred and any(road.kind == "tunnel" for road in roads))


def may_carry(state: State, load: Load, driver: Driver) -> bool:
    """Whether a driver may have a load by its goods: section 3.5."""
    if load.group != "hazardous":
        return True
    until = driver.hazardous_until
    return until is not None and date.fromisoformat(until) >= state.time.begins.date()


def right_routes(state: State, load: Load, driver: Driver) -> list[str]:
    """Routes on which a driver may take a load; [] where there is none."""
    if not may_carry(state, load, driver):
        return []
    return [
        route.id
        for route in routes_to(state, load)
        if may_drive(state, load, route) and within_hours(state, driver, trip(state, load, driver, route))
    ]


def needs_chains(state: State, route: str) -> bool:
    """Whether the road authority orders chains on a route."""
    return any(state.roads[road].bulletin == "chains" for road in state.routes[route].roads)


def relief_list(state: State, depot: str) -> list[Driver]:
    """Drivers of a depot's relief list, in its order."""
    listed = [(d.relief, d.id) for d in state.drivers.values() if d.depot == depot and d.relief is not None]
    return [state.drivers[id] for _, id in sorted(listed)]
