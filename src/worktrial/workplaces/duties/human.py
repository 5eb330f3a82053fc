"""Asking a human: a tool that is offered beside those of the workplace, and the session that answers it."""

from worktrial.language import JsonObject, JsonValue
from worktrial.workplaces.session import Observation, Origin, Session
from worktrial.workplaces.tools import Tool

NOBODY = "Nobody is available. Decide by your rules."
"""Answer of a human where the task says nothing else."""

REQUEST_HUMAN = Tool(
    "request_human",
    "Ask a human in charge to decide or to take over. `about` names what it is about, such as an order's number; "
    "`reason` says why a human is needed.",
    {
        "type": "object",
        "properties": {
            "about": {"type": "string", "minLength": 1, "maxLength": 500},
            "reason": {"type": "string", "minLength": 1, "maxLength": 4000},
        },
        "required": ["about", "reason"],
        "additionalProperties": False,
    },
    writes=False,
    volatile=False,
)


class HumanSession:
    """Answers requests for a human with one and the same sentence; passes everything else on."""

    def __init__(self, inner: Session, answer: str = NOBODY) -> None:
        self.inner = inner
        self._answer = answer

    @property
    def state(self) -> JsonObject | None:
        """The workplace's state."""
        return self.inner.state

    async def call(self, tool: str, arguments: JsonValue) -> Observation:
        """Carry out one tool call; see `Session.call`."""
        if tool != REQUEST_HUMAN.name:
            return await self.inner.call(tool, arguments)
        if problems := REQUEST_HUMAN.problems(arguments):
            said = "; ".join(f"{p['argument']}: {p['problem']}" for p in problems)
            error = {"type": "invalid_arguments", "message": f"{tool}: {said}", "details": problems}
            return Observation({"error": error}, Origin.REFUSAL)
        return Observation({"answer": self._answer}, Origin.HUMAN)
