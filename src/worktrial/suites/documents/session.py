"""One stay in an archive: the tools as a workplace, so that everything made for workplaces holds here too."""

from collections.abc import Iterable, Sequence
from typing import Protocol

from worktrial.errors import InvalidReason, InvalidSample, WorktrialError
from worktrial.language import JsonObject, JsonValue
from worktrial.suites.documents.pictures import Pictures
from worktrial.workplaces import Observation, Origin, Tool, Workplace, refusal


class Tools(Protocol):
    """What an agent can do, without any agent in it; `worktrial.archive.tools.ToolBox` is one."""

    @property
    def specs(self) -> Sequence[JsonObject]:
        """The tools in the chat-completions form."""
        ...

    async def call(self, name: str, arguments: JsonObject) -> JsonValue:
        """Carry out one call. What a caller can mend comes back as an `error`."""
        ...


class NoTools:
    """Nothing to call."""

    specs: Sequence[JsonObject] = ()

    async def call(self, name: str, arguments: JsonObject) -> JsonValue:
        """Never reached: there is no such tool, and the session says so."""
        raise LookupError(name)


class ArchiveSession:
    """A `Session` over `Tools`. It changes nothing, so it has no state to show."""

    def __init__(self, tools: Tools, pictures: Pictures, *, without: Iterable[str] = ()) -> None:
        """Open a stay.

        Args:
            tools: What carries out the calls.
            pictures: Where pictures go that come back from a call.
            without: Tools that are not on offer.
        """
        self._tools = tools
        self._pictures = pictures
        hidden = set(without)
        self.workplace = workplace_of([s for s in tools.specs if s["function"]["name"] not in hidden])

    @property
    def specs(self) -> list[JsonObject]:
        """The tools on offer, in the chat-completions form."""
        return self.workplace.tool_specs

    @property
    def state(self) -> None:
        """Nobody can change an archive."""
        return

    async def call(self, tool: str, arguments: JsonValue) -> Observation:
        """Carry out one call; see `Session.call`.

        Raises:
            InvalidSample: a tool failed in a way that it does not know.
        """
        refused = refusal(self.workplace, tool, arguments)
        if refused is not None:
            return refused
        try:
            answer = await self._tools.call(tool, arguments)
        except WorktrialError:
            raise
        except Exception as e:
            what = f"the tool {tool} raised {type(e).__name__}: {e}"
            raise InvalidSample(InvalidReason.INTERNAL, what) from e
        content = answer if isinstance(answer, dict) else {**_place(arguments), "text": answer}
        return Observation(self._pictures.taken_from(content), Origin.EXECUTABLE)


def _place(arguments: JsonObject) -> JsonObject:
    """What a text is of, as far as the call says."""
    return {name: arguments[name] for name in ("document", "page") if name in arguments}


def workplace_of(specs: Iterable[JsonObject]) -> Workplace:
    """Tools as a workplace has them; all of them only read."""
    functions = [spec["function"] for spec in specs]
    tools = (Tool(f["name"], f["description"], f["parameters"], writes=False) for f in functions)
    return Workplace("archive", "", tuple(tools), {})
