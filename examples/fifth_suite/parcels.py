"""A suite of one's own in one file: a parcel shop, checked by code. `pip install .` registers it."""

from typing import Any

from worktrial.finding import Finding, Findings
from worktrial.suites.executable import ExecutableSuite
from worktrial.suites.executable.tasks import ExecutableTask
from worktrial.workplaces.executable import ExecutableWorkplace, ToolError, reads, writes

STATE = {"clock": "2026-05-04T09:00:00", "parcels": {"P1": "in the shop", "P2": "in the shop"}}


@reads(parcel="P1")
def look_up(state: dict[str, Any], parcel: str) -> dict[str, Any]:
    """Status of a parcel.

    Args:
        parcel: Number of the parcel, such as P1.
    """
    if parcel not in state["parcels"]:
        raise ToolError("not_found", f"There is no parcel {parcel}.")
    return {"parcel": parcel, "status": state["parcels"][parcel]}


@writes(parcel="P1")
def hand_over(state: dict[str, Any], parcel: str) -> dict[str, Any]:
    """Hand a parcel to the customer.

    Args:
        parcel: Number of the parcel, such as P1.
    """
    state["parcels"][parcel] = "handed over"
    return look_up(state, parcel)


SHOP = ExecutableWorkplace.build("shop", [look_up, hand_over], system_prompt="A parcel shop.", initial_state=STATE)
PLACE = {"workplace": "shop", "home": SHOP, "clock": STATE["clock"], "initial_state": STATE, "scenario": "counter"}
ABOUT = {"category": "Logistics", "domain": "parcels", "language": "en", "difficulty": 1, "rubric": "As asked."}
PLAN = {"steps": [{"call": "hand_over", "with": {"parcel": "P2"}}], "answer": "Here you are."}
CHECK = {"check": "state_equals", "at": "/parcels", "value": {"P1": "in the shop", "P2": "handed over"}}
TASK = {"id": "parcel-01", "instruction": "The customer of parcel P2 is here: hand it over.", "plan": PLAN}


class ParcelSuite(ExecutableSuite):
    """One task at a counter."""

    name, about = "parcels", "a parcel shop, checked by code"

    def load_tasks(self) -> list[ExecutableTask]:
        return [ExecutableTask.model_validate({**TASK, **PLACE, **ABOUT, "checks": [CHECK]})]

    def lint(self, data: object) -> Findings:
        short = [task.id for task in self.load_tasks() if len(task.instruction) < 20]
        return Findings(["short"], [Finding("short", task, "", "instruction", "too short") for task in short])


suite = ParcelSuite()
