"""Things that happen at the desk whoever works: requests come in, ratings change."""

import msgspec

from worktrial.language import JsonObject

from .state import Request, State


def request(state: State, payload: JsonObject) -> None:
    """A request is put into the register."""
    received = msgspec.convert(payload | {"received": state.time.now}, Request)
    state.requests[received.id] = received


def rating(state: State, payload: JsonObject) -> None:
    """Risk control sets a rating."""
    state.customers[payload["customer"]].rating = payload["rating"]


HAPPENINGS = {"request": request, "rating": rating}
