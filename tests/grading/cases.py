"""Cases to judge."""

from collections.abc import Sequence
from typing import Any

from worktrial.grading import JudgeCase
from worktrial.workplaces import Observation, Origin, StopReason, ToolCall, Trajectory


def trajectory(
    calls: Sequence[tuple[str, Any, dict[str, Any]]] = (("look", {"id": 1}, {"status": "open"}),),
    answer: str = "Done.",
    says: Sequence[str] = (),
    stop_reason: StopReason = StopReason.ANSWERED,
) -> Trajectory:
    """One call for each turn; `says` are the texts of the assistant messages, the last one the answer's."""
    return Trajectory(
        messages=[{"role": "user", "content": "Go."}, *({"role": "assistant", "content": text} for text in says)],
        calls=[
            ToolCall(i, i, tool, arguments, Observation(content, Origin.SIMULATOR))
            for i, (tool, arguments, content) in enumerate(calls)
        ],
        answer=answer,
        stop_reason=stop_reason,
        turns=len(calls) + 1,
    )


def case(work: Trajectory | None = None, **fields: Any) -> JudgeCase:
    given: dict[str, Any] = {
        "scenario": "Cold storage",
        "workplace": "Vaccine depot",
        "initial_state": {"fridges": [{"id": 1, "celsius": 9}]},
        "state_description": {"celsius": "air temperature"},
        "instruction": "Bring fridge 1 below 8 degrees.",
        "rubric": "1. **Cooling**: Fridge 1 ends below 8 degrees.\n2. No other fridge was touched.",
        "clock": "2024-05-06T08:00:00",
    }
    return JudgeCase(trajectory=work if work is not None else trajectory(), **(given | fields))
