"""A suite of one's own in one file: a parcel shop, checked by code. `pip install .` registers it."""

from typing import Any, ClassVar

from worktrial.finding import Finding, Findings
from worktrial.suites.executable import ExecutableSuite
from worktrial.suites.executable.tasks import ExecutableTask
from worktrial.workplaces.executable import ExecutableWorkplace, ToolError, reads, writes

STATE: dict[str, Any] = {
    "clock": "2026-05-04T09:00:00",
    "parcels": {"P1": {"status": "in the shop", "grams": 900}, "P2": {"status": "in the shop", "grams": 120}},
}


@reads(parcel="P1")
def look_up(state: dict[str, Any], parcel: str) -> dict[str, Any]:
    """Status and weight of a parcel.

    Args:
        parcel: Number of the parcel, such as P1.
    """
    if parcel not in state["parcels"]:
        raise ToolError("not_found", f"There is no parcel {parcel}.")
    return dict(state["parcels"][parcel])


@writes(parcel="P1")
def hand_over(state: dict[str, Any], parcel: str) -> dict[str, Any]:
    """Hand a parcel to the customer.

    Args:
        parcel: Number of the parcel, such as P1.
    """
    state["parcels"][parcel]["status"] = "handed over"
    return {"handed over": parcel}


SHOP = ExecutableWorkplace.build("shop", [look_up, hand_over], system_prompt="A parcel shop.", initial_state=STATE)
PLACE = {"workplace": "shop", "home": SHOP, "clock": STATE["clock"], "initial_state": STATE, "scenario": "counter"}
ABOUT = {"category": "Logistics", "domain": "parcels", "language": "en", "difficulty": 1, "rubric": "As asked."}
PLAN = {"steps": [{"call": "hand_over", "with": {"parcel": "P2"}}], "answer": "Here you are."}
CHECK = {"check": "state_equals", "at": "/parcels/P2/status", "value": "handed over"}
TASK = {"id": "parcel-01", "instruction": "Hand over parcel P2: its customer is here.", "plan": PLAN}


class ParcelSuite(ExecutableSuite):
    """One task at a counter."""

    name = "parcels"
    about = "a parcel shop, checked by code"
    source: ClassVar = {"folder": "parcels", "fingerprint": "1"}

    def load_tasks(self) -> list[ExecutableTask]:
        return [ExecutableTask.model_validate({**TASK, "checks": [CHECK], **ABOUT, **PLACE})]

    def lint(self, data: object) -> Findings:
        short = [task for task in self.load_tasks() if len(task.instruction) < 20]
        return Findings(
            ["short"], [Finding("short", t.id, "parcels.py", "instruction", "too short") for t in short]
        )


suite = ParcelSuite()
