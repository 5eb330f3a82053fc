"""A whole workplace in one file, to copy and change. Run it: python examples/parcel_lockers.py."""

import asyncio

from msgspec import Struct

from worktrial.agents.plan import Plan, follow
from worktrial.grading.answer_checks import AnswerId
from worktrial.grading.state_checks import AnyCheck, OnlyChanged, StateEquals, run_checks
from worktrial.workplaces.executable import ExecutableWorkplace, ToolError, reads, writes


class Locker(Struct):
    litres: int
    parcel_id: str | None = None


class State(Struct):
    clock: str
    lockers: dict[str, Locker]
    parcels: dict[str, int]


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


RULES = "You play a wall of parcel lockers. Errors: unknown_parcel, not_empty."
LOCKERS = {"L1": {"litres": 40, "parcel_id": "P-2"}, "L2": {"litres": 90}, "L3": {"litres": 40}}
INITIAL = {"clock": "2025-05-06T08:00", "lockers": LOCKERS, "parcels": {"P-2": 12, "P-7": 38}}
WORKPLACE = ExecutableWorkplace.build(
    "parcel_lockers", [list_lockers, get_parcel, store_parcel], system_prompt=RULES, initial_state=INITIAL
)
LOOK = [{"call": "get_parcel", "with": {"parcel_id": "P-7"}}, {"call": "list_lockers"}]
STORE = {"call": "store_parcel", "with": {"parcel_id": "P-7", "locker_id": "L3"}, "as": "stored"}
PLAN = Plan.model_validate({"steps": [*LOOK, STORE], "answer": "P-7 is in {{ stored.locker_id }}."})
CHECKS: list[AnyCheck] = [
    StateEquals(check="state_equals", at="/lockers/L3/parcel_id", value="P-7"),
    OnlyChanged(check="only_changed", at=("/lockers/L3",)),
    AnswerId(check="answer_id", value="L3"),
]

if __name__ == "__main__":
    session = WORKPLACE.open()
    before = session.state
    done = asyncio.run(follow(PLAN, session))
    for result in run_checks(CHECKS, initial_state=before, final_state=session.state, trajectory=done):
        print("passed" if result.passed else "FAILED", "-", result.check)
