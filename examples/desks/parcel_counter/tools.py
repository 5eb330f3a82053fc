"""The counter's system."""

from worktrial.language import JsonObject
from worktrial.workplaces.desk.tools import page_of
from worktrial.workplaces.executable import ToolError, reads, writes

from .state import Parcel, Round, State


@reads()
def search_parcels(state: State, recipient: str = "", page: int = 1) -> JsonObject:
    """List parcels at the counter, 20 to a page.

    Args:
        recipient: Part of the recipient's name; empty lists all.
        page: Number of the page, from 1.
    """
    found = [p for p in state.parcels.values() if recipient.casefold() in p.recipient.casefold()]
    rows = [{"id": p.id, "recipient": p.recipient, "status": p.status} for p in page_of(found, page)]
    return {"total": len(found), "page": page, "parcels": rows}


@reads()
def get_parcel(state: State, parcel_id: str) -> JsonObject:
    """Open a parcel's record.

    Args:
        parcel_id: For example P-1001.
    """
    parcel = _parcel(state, parcel_id)
    return {
        "id": parcel.id,
        "recipient": parcel.recipient,
        "goods": parcel.goods,
        "arrived": parcel.arrived,
        "status": parcel.status,
        "card_signed_for": parcel.authorised,
        "round": parcel.redelivery,
    }


@reads()
def list_rounds(state: State) -> JsonObject:
    """List the van's rounds of today with the places left."""
    rows = [
        {"id": r.id, "leaves": r.leaves, "places_left": r.places - _taken(state, r)} for r in state.rounds.values()
    ]
    return {"total": len(rows), "rounds": rows}


@writes()
def book_redelivery(state: State, parcel_id: str, round_id: str) -> JsonObject:
    """Put a parcel on one of today's rounds of the van. It cannot be taken off again.

    Args:
        parcel_id: For example P-1001.
        round_id: For example R-1.
    """
    parcel = _settleable(state, parcel_id)
    van = state.rounds.get(round_id)
    if van is None:
        raise ToolError("unknown_round", f"There is no round {round_id}.")
    if state.time.minute_of(van.leaves) <= state.time.minute:
        raise ToolError("round_gone", f"{round_id} left at {van.leaves}.")
    if _taken(state, van) >= van.places:
        raise ToolError("round_full", f"{round_id} has no place left.")
    parcel.status, parcel.redelivery, parcel.done = "booked", round_id, state.time.minute
    return {"id": parcel.id, "round": round_id}


@writes()
def hand_over(state: State, parcel_id: str, to: str) -> JsonObject:
    """Give a parcel to a person at the counter.

    Args:
        parcel_id: For example P-1001.
        to: Full name of the person.
    """
    parcel = _settleable(state, parcel_id)
    parcel.status, parcel.done = "handed_over", state.time.minute
    return {"id": parcel.id, "handed_to": to}


@writes()
def return_to_sender(state: State, parcel_id: str) -> JsonObject:
    """Send a parcel back. It leaves at once.

    Args:
        parcel_id: For example P-1001.
    """
    parcel = _settleable(state, parcel_id)
    parcel.status, parcel.done = "returned", state.time.minute
    return {"id": parcel.id, "status": parcel.status}


def _parcel(state: State, parcel_id: str) -> Parcel:
    if parcel_id not in state.parcels:
        raise ToolError("unknown_parcel", f"There is no parcel {parcel_id}.")
    return state.parcels[parcel_id]


def _settleable(state: State, parcel_id: str) -> Parcel:
    parcel = _parcel(state, parcel_id)
    if parcel.status != "at_counter":
        raise ToolError("already_settled", f"{parcel_id} is {parcel.status.replace('_', ' ')}.")
    return parcel


def _taken(state: State, van: Round) -> int:
    return sum(parcel.redelivery == van.id for parcel in state.parcels.values())
