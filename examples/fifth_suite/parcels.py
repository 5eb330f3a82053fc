"""A suite of one's own in one file: a parcel shop, checked by code. `pip install .` registers it."""

from collections.abc import Mapping
from typing import Any, ClassVar

from worktrial.finding import Finding, Findings
from worktrial.suites.executable import ExecutableSuite
from worktrial.suites.executable.tasks import ExecutableTask
from worktrial.workplaces.executable import ExecutableWorkplace, ToolError, reads, writes


@reads(parcel="P1")
def look_up(state: dict[str, Any], parcel: str) -> dict[str, Any]:
    """Where a parcel is.

    Args:
        parcel: Number of the parcel, such as P1.
    """
    if parcel not in state["parcels"]:
        raise ToolError("not_found", f"There is no parcel {parcel}.")
    return {"parcel": parcel, **state["parcels"][parcel]}


@writes(parcel="P1")
def hand_over(state: dict[str, Any], parcel: str) -> dict[str, Any]:
    """Hand a parcel to the customer.

    Args:
        parcel: Number of the parcel, such as P1.
    """
    if state["parcels"].get(parcel, {}).get("status") != "in the shop":
        raise ToolError("not_here", f"Parcel {parcel} is not in the shop.")
    state["parcels"][parcel]["status"] = "handed over"
    return {"parcel": parcel, "status": "handed over"}


STATE = {"clock": "2026-05-04T09:00:00", "parcels": {n: {"status": "in the shop", "grams": 900} for n in ("P1", "P2")}}
SHOP = ExecutableWorkplace.build("parcel shop", [look_up, hand_over], system_prompt="A parcel shop.", initial_state=STATE)


def _task(number: int, instruction: str, plan: Mapping[str, Any], *checks: Mapping[str, Any]) -> ExecutableTask:
    about = {"category": "Logistics", "domain": "parcels", "language": "en", "scenario": "parcel shop"}
    place = {"workplace": "parcel shop", "home": SHOP, "clock": STATE["clock"], "initial_state": STATE}
    words = {"instruction": instruction, "rubric": "The customer got what they asked for."}
    given = {"id": f"parcel-{number:02}", "difficulty": 1, "plan": plan, "checks": checks, **about, **place, **words}
    return ExecutableTask.model_validate(given)


class ParcelSuite(ExecutableSuite):
    """Two tasks at a counter."""

    name = "parcels"
    about = "a parcel shop, checked by code"
    source: ClassVar = {"folder": "parcels", "fingerprint": "1"}

    def load_tasks(self) -> list[ExecutableTask]:
        """Both tasks."""
        weigh = {"steps": [{"call": "look_up", "with": {"parcel": "P1"}, "as": "p"}], "answer": "{{ p.grams }} grams"}
        hand = {"steps": [{"call": "hand_over", "with": {"parcel": "P2"}}], "answer": "Here you are."}
        done = {"check": "state_equals", "at": "/parcels/P2/status", "value": "handed over"}
        return [
            _task(1, "How heavy is parcel P1, in grams?", weigh, {"check": "answer_number", "value": 900}),
            _task(2, "The customer for parcel P2 is here: hand it over.", hand, done),
        ]

    def lint(self, data: object) -> Findings:
        """Tasks that say nothing about their unit."""
        tasks = self.load_tasks()
        found = [Finding("unit", t.id, "", "instruction", "names no unit") for t in tasks if "heavy" in t.instruction]
        return Findings(["unit"], [f for f in found if "grams" not in tasks[0].instruction], {"tasks": len(tasks)})


suite = ParcelSuite()
