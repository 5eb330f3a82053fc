"""Fields of the state that nobody explains."""

from worktrial.language import JsonObject
from worktrial.workplaces.lint.hazard import Finding, listed


def undescribed_state(state: JsonObject, description: JsonObject) -> Finding | None:
    """The top-level fields of `state` that `description` does not mention, as one finding.

    Only the top level counts: a field's description covers what is inside it. A state whose description is
    plain prose (kept under `about`) is taken as described.
    """
    if description.keys() == {"about"}:
        return None
    names = [name for name in state if name not in description]
    if not names:
        return None
    fields = f"field {names[0]}" if len(names) == 1 else f"{len(names)} fields ({listed(names)})"
    return Finding(
        "state_description",
        f"the state has {fields} without a description",
        "Describe what they mean and what changes them",
    )
