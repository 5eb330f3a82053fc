"""What the sound scores of single steps say about whole workflows and the whole scenario."""

from collections.abc import Mapping

from worktrial.language import JsonObject


def goals(rows: JsonObject, workflow_of: Mapping[int, str | None]) -> list[JsonObject]:
    """For each gold workflow, in the order of its first step, whether all its call and refusal steps are right.

    Args:
        rows: `SoundScenario.rows`.
        workflow_of: The workflow that each domain agent's step works for, by step id; steps of none are left out.

    Returns:
        `{"workflow", "reached", "steps", "right"}` with the number of steps and of right ones. A workflow with a
        step that was not asked is not reached.
    """
    found: dict[str, list[bool]] = {}
    steps = [(row["step"], row["right"]) for row in rows["steps"] if row["kind"] != "plan"]
    steps += [(step, False) for step in rows["unasked"]]
    for step, right in sorted(steps):
        workflow = workflow_of.get(step)
        if workflow is not None:
            found.setdefault(workflow, []).append(right)
    return [
        {"workflow": workflow, "reached": all(right), "steps": len(right), "right": sum(right)}
        for workflow, right in found.items()
    ]


def first_failure(rows: JsonObject) -> JsonObject | None:
    """The first gold step that is not wholly right, as `{"step", "kind"}`; None when all are right.

    Args:
        rows: `SoundScenario.rows`.
    """
    wrong = next((row for row in rows["steps"] if not row["right"]), None)
    return None if wrong is None else {"step": wrong["step"], "kind": wrong["kind"]}
