"""What a stay really showed and changed so far: where stale answers come from."""

import json

from worktrial.language import JsonObject, JsonValue
from worktrial.workplaces.faults.implicit import Context
from worktrial.workplaces.faults.signals import is_error
from worktrial.workplaces.session import Observation, Session
from worktrial.workplaces.simulator.json_text import canonical_text, json_text
from worktrial.workplaces.tools import Tool


class Memory:
    """Remembers clean observations, and the state before the last write.

    Observations are kept as text: an agent may do what it likes with the objects that it is handed.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._reads: dict[str, list[str]] = {}
        self._before_write: JsonObject | None = None

    async def call(
        self, tool: Tool | None, name: str, arguments: JsonValue, *, degrades: bool
    ) -> tuple[Observation, Context]:
        """Make a call, and tell what was known before it where that is needed to degrade the answer."""
        may_write = tool is not None and tool.writes is not False
        before = self._session.state if may_write else None
        observation = await self._session.call(name, arguments)
        if before is not None and self._wrote(tool, before, observation):
            self._before_write = before
            return observation, Context(arguments=arguments)
        if tool is not None and tool.writes:
            return observation, Context(arguments=arguments)
        shown = self._reads.setdefault(canonical_text([name, arguments]), [])
        context = Context(arguments=arguments)
        if degrades:
            context = Context([json.loads(text) for text in shown], self._states(), arguments)
        text = json_text(observation.content)
        if not shown or shown[-1] != text:
            shown.append(text)
        return observation, context

    def _wrote(self, tool: Tool | None, before: JsonObject, observation: Observation) -> bool:
        if tool is not None and tool.writes:
            return not is_error(observation.content)
        return before != self._session.state

    def _states(self) -> tuple[JsonObject, JsonObject] | None:
        now = self._session.state if self._before_write is not None else None
        return None if self._before_write is None or now is None else (self._before_write, now)
