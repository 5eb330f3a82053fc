"""Tools of the lockers."""

from worktrial.workplaces.executable import ToolError, reads, writes

from .state_types import State


@reads()
def list_lockers(state: State) -> dict[str, object]:
    """List the lockers with their size in litres and the parcel inside."""
    return {"time": state.clock, "lockers": state.lockers}


@reads(parcel_id="P-7")
def get_parcel(state: State, parcel_id: str) -> dict[str, object]:
    """Look up a parcel's size in litres.

    Args:
        parcel_id: Such as P-7.
    """
    if parcel_id not in state.parcels:
        raise ToolError("unknown_parcel", f"There is no parcel {parcel_id}.")
    return {"parcel_id": parcel_id, "litres": state.parcels[parcel_id]}


@writes(parcel_id="P-7", locker_id="L3")
def store_parcel(state: State, parcel_id: str, locker_id: str) -> dict[str, object]:
    """Put a parcel into an empty locker.

    Args:
        parcel_id: Such as P-7.
        locker_id: Such as L3.
    """
    get_parcel(state, parcel_id)
    locker = state.lockers.get(locker_id)
    if locker is None or locker.parcel_id:
        raise ToolError("not_empty", f"{locker_id} is no empty locker.")
    locker.parcel_id = parcel_id
    return {"parcel_id": parcel_id, "locker_id": locker_id}
