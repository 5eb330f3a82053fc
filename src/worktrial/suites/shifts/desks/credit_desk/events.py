"""Things that happen at the desk whoever works: requests come in, ratings change, colleagues pay."""

import msgspec

from worktrial.language import JsonObject

from .state import Request, State, Usage


def request(state: State, payload: JsonObject) -> None:
    """A request is put into the register."""
    received = msgspec.convert(payload | {"received": state.time.now}, Request)
    state.requests[received.id] = received


def rating(state: State, payload: JsonObject) -> None:
    """Risk control sets a rating."""
    state.customers[payload["customer"]].rating = payload["rating"]


def booked(state: State, payload: JsonObject) -> None:
    """A colleague releases a drawdown of a customer of theirs for today."""
    done = {"status": "released", "received": state.time.now, "settled_at": state.time.minute}
    released = msgspec.convert(payload | done, Request)
    state.requests[released.id] = released
    use = {"id": f"U-{released.id}", "kind": "loan", "currency": "EUR"}
    state.facilities[released.facility].uses.append(
        msgspec.convert({**use, "amount": released.amount, "value_date": released.released_for}, Usage)
    )


HAPPENINGS = {"request": request, "rating": rating, "booked": booked}
