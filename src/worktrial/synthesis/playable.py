"""From a draft to the workplace that an agent can work in."""

from worktrial.synthesis.artifacts import WorkplaceDraft
from worktrial.workplaces import Workplace
from worktrial.workplaces.loading import checked


def playable(draft: WorkplaceDraft, where: object = "") -> Workplace:
    """The workplace of a draft, checked as one that is loaded from files.

    Args:
        draft: As it is written.
        where: What messages call it; its name when empty.

    Raises:
        DataError: two tools share a name, there is none, or a schema or an example is not usable.
    """
    where = where or f"workplace {draft.name}"
    tools = [
        checked.tool(
            name=tool.name,
            description=tool.description,
            parameters=tool.parameters,
            example_output=tool.example_output,
            where=where,
            field=f"tools[{index}]",
            writes=tool.writes,
        )
        for index, tool in enumerate(draft.tools)
    ]
    return checked.workplace(
        name=draft.name,
        system_prompt=draft.system_prompt,
        tools=tools,
        initial_state=draft.initial_state,
        state_description=draft.state_description,
        where=where,
        tools_field="tools",
    )
