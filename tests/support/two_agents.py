"""Two scripted agents that know every rule and differ in one thing: whether they believe what they see."""

from datetime import date, datetime
from decimal import Decimal
from typing import Any

from worktrial.workplaces import ToolCall, Trajectory
from worktrial.workplaces.session import Session

AGREEING = 3
"""Equal answers in a row that a careful agent asks for. A fault of the default length degrades two calls in a row,
perhaps both in the same way; three such answers cannot all be degraded."""
PATIENCE = 20


class StuckError(Exception):
    """The work cannot go on with what the agent has seen."""


class NaiveAgent:
    """Asks once and takes the answer as it is; what is missing in it counts as nothing."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.trajectory = Trajectory()

    async def do(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """One call."""
        observation = await self._session.call(tool, arguments)
        calls = self.trajectory.calls
        calls.append(ToolCall(len(calls), len(calls), tool, arguments, observation))
        return observation.content

    async def look(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """What a reading tool says."""
        return await self.do(tool, **arguments)


class CarefulAgent(NaiveAgent):
    """Asks again until the same answer has come three times in a row."""

    async def look(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """What a reading tool says when it says so repeatedly."""
        answers: list[dict[str, Any]] = []
        for _ in range(PATIENCE):
            answers.append(await self.do(tool, **arguments))
            latest = answers[-AGREEING:]
            if len(latest) == AGREEING and all(answer == latest[0] for answer in latest):
                return latest[0]
        raise StuckError(f"{tool} never gave the same answer three times in a row")


def number(record: dict[str, Any], field: str) -> Decimal:
    """The number in a field; 0 where there is none."""
    return Decimal(str(record.get(field) or 0))


def text(record: dict[str, Any], field: str) -> str:
    """The text in a field; empty where there is none."""
    return str(record.get(field) or "")


def rows(record: dict[str, Any], field: str) -> list[Any]:
    """The list in a field; empty where there is none."""
    return list(record.get(field) or [])


def moment(record: dict[str, Any], field: str) -> datetime:
    """The time in a field, which nobody can do without."""
    try:
        return datetime.fromisoformat(text(record, field))
    except ValueError as e:
        raise StuckError(f"no time in {field}") from e


def day(record: dict[str, Any], field: str) -> date:
    """The date in a field, which nobody can do without."""
    return moment(record, field).date()
