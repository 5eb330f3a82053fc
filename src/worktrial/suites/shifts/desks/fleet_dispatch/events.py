"""Things that happen on the road whoever works: bulletins, breakdowns, departures and arrivals."""

import msgspec

from worktrial.language import JsonObject

from .hours import trip
from .state import Breakdown, State


def bulletin(state: State, payload: JsonObject) -> None:
    """The road authority closes or opens a road, or orders chains on it."""
    road = state.roads[payload["road"]]
    road.bulletin, road.bulletin_at = payload["status"], state.time.now


def breakdown(state: State, payload: JsonObject) -> None:
    """A breakdown is reported."""
    reported = msgspec.convert(payload | {"reported": state.time.now}, Breakdown)
    state.breakdowns[reported.id] = reported


def departed(state: State, payload: JsonObject) -> None:
    """A load leaves, unless it was cancelled."""
    load = state.loads[payload["load"]]
    if load.status == "assigned":
        load.status, load.eta = "under way", payload["eta"]


def leaves(state: State, payload: JsonObject) -> None:
    """A load that has its driver leaves at its time, on the route that it has by then."""
    load = state.loads[payload["load"]]
    if load.status == "assigned" and load.driver is not None and load.route is not None:
        planned = trip(state, load, state.drivers[load.driver], state.routes[load.route])
        load.status, load.eta = "under way", state.time.clock(planned.arrives)


def arrived(state: State, payload: JsonObject) -> None:
    """A load is delivered, unless it was turned back."""
    load = state.loads[payload["load"]]
    if load.status == "under way":
        load.status = "delivered"


HAPPENINGS = {
    "bulletin": bulletin,
    "breakdown": breakdown,
    "departed": departed,
    "leaves": leaves,
    "arrived": arrived,
}
