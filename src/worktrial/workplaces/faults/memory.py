"""What a stay really showed and changed so far: where stale answers come from."""

import json

from worktrial.language import JsonObject, JsonValue
from worktrial.workplaces.faults.implicit import Context
from worktrial.workplaces.faults.stale import Change, changes
from worktrial.workplaces.session import Observation, Session
from worktrial.workplaces.simulator.json_text import canonical_text, json_text
from worktrial.workplaces.tools import Tool


class Memory:
    """Remembers clean observations and the last write.

    Observations are kept as text: an agent may do what it likes with the objects that it is handed.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._reads: dict[str, list[str]] = {}
        self._last_write: tuple[Change, ...] = ()

    async def call(self, tool: Tool | None, name: str, arguments: JsonValue) -> tuple[Observation, Context]:
        """Make a call, and tell what was known before it."""
        may_write = tool is not None and tool.writes is not False
        before = self._session.state if may_write else None
        observation = await self._session.call(name, arguments)
        wrote = self._note_write(before) if before is not None else False
        if wrote or (tool is not None and tool.writes):
            return observation, Context(arguments=arguments)
        key = canonical_text([name, arguments])
        shown = self._reads.setdefault(key, [])
        context = Context([json.loads(text) for text in shown], self._last_write, arguments)
        text = json_text(observation.content)
        if not shown or shown[-1] != text:
            shown.append(text)
        return observation, context

    def _note_write(self, before: JsonObject) -> bool:
        after = self._session.state
        if after is None or before == after:
            return False
        self._last_write = changes(before, after)
        return True
