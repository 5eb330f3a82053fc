"""An archive as a workplace: its tools as a session, and pictures on their way to an agent that sees.

Everything made for workplaces, such as faults and records, holds here too.
"""

import base64
import hashlib
import io
import re
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Protocol

from worktrial.errors import InvalidReason, InvalidSample, WorktrialError
from worktrial.language import JsonObject, JsonValue
from worktrial.workplaces import Observation, Origin, Tool, Workplace, refusal

if TYPE_CHECKING:
    from PIL.Image import Image


_DATA = re.compile(r"data:image/[a-z+]+;base64,")


class Pictures:
    """Collects pictures until the agent is shown them, each once."""

    def __init__(self) -> None:
        self._waiting: list[str] = []
        self._handed_out = 0

    def add(self, picture: str) -> int:
        """Keep a picture (a `data:` address) for the agent; returns its number, from 1 on."""
        self._waiting.append(picture)
        return self._handed_out + len(self._waiting)

    def take(self) -> list[str]:
        """Hand out the pictures that have not been shown yet."""
        waiting, self._waiting = self._waiting, []
        self._handed_out += len(waiting)
        return waiting

    def taken_from(self, value: JsonObject) -> JsonObject:
        """`value` without pictures, which wait to be shown instead."""
        plain: JsonObject = _with_pictures(
            value, lambda picture: f"(picture {self.add(picture)}; it follows in the next message)"
        )
        return plain


def data_address(image: "Image") -> str:
    """A picture as a `data:` address; PNG, because JPEG blurs small figures."""
    buffer = io.BytesIO()
    image.save(buffer, "PNG", optimize=False)
    return f"data:image/png;base64,{base64.b64encode(buffer.getvalue()).decode()}"


def as_recorded(value: JsonValue) -> JsonValue:
    """`value` with its pictures replaced by their hashes: a record would grow by megabytes."""
    return _with_pictures(
        value,
        lambda picture: (
            f"data:image (sha256 {hashlib.sha256(picture.encode()).hexdigest()[:16]}, {len(picture):,} characters)"
        ),
    )


def _with_pictures(value: JsonValue, replaced: Callable[[str], str]) -> JsonValue:
    if isinstance(value, dict):
        return {key: _with_pictures(inner, replaced) for key, inner in value.items()}
    if isinstance(value, list):
        return [_with_pictures(inner, replaced) for inner in value]
    return replaced(value) if isinstance(value, str) and _DATA.match(value) else value


class ToolSource(Protocol):
    """Tools that can be called, without any agent; `worktrial.archive.toolbox` makes some."""

    @property
    def specs(self) -> Sequence[JsonObject]:
        """The tools in the chat-completions form."""
        ...

    async def call(self, name: str, arguments: JsonObject) -> JsonValue:
        """Carry out one call. What a caller can mend comes back as an `error`."""
        ...


class NoTools:
    """Source of no tools."""

    specs: Sequence[JsonObject] = ()

    async def call(self, name: str, arguments: JsonObject) -> JsonValue:
        """Refuse any call; never reached, because the session says that there is no such tool."""
        raise LookupError(name)


class ArchiveSession:
    """A `Session` over `ToolSource`. It changes nothing, so it has no state to show."""

    def __init__(self, tools: ToolSource, pictures: Pictures, *, without: Iterable[str] = ()) -> None:
        """Put a session over tools.

        Args:
            tools: What carries out the calls.
            pictures: Where pictures go that come back from a call.
            without: ToolSource that are not on offer.
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
        """No state: nobody can change an archive."""
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
    """Document and page of a text, as far as the call says."""
    return {name: arguments[name] for name in ("document", "page") if name in arguments}


def workplace_of(specs: Iterable[JsonObject]) -> Workplace:
    """ToolSource as a workplace has them; all of them only read."""
    functions = [spec["function"] for spec in specs]
    tools = (Tool(f["name"], f["description"], f["parameters"], writes=False) for f in functions)
    return Workplace("archive", "", tuple(tools), {})
