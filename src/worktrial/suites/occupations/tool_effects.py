"""Effects of the release's 2,089 tools, judged by reading; `tool_effects.json` says how.

The release does not say which of its tools only look. The list holds for a workplace whose tools are those that
were read: another release with other tools falls back to the rules of `worktrial.workplaces.effects`.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

import msgspec

from worktrial.workplaces import Tool, Workplace
from worktrial.workplaces.effects import ToolEffect
from worktrial.workplaces.simulator.json_text import canonical_text

LIST = Path(__file__).parent / "tool_effects.json"


class JudgedWorkplace(msgspec.Struct, frozen=True):
    """Judged effects of one workplace's tools."""

    tools: str
    """Digest of the tools that were read, see `tools_digest`."""
    read: tuple[str, ...] = ()
    write: tuple[str, ...] = ()
    volatile: tuple[str, ...] = ()

    def effect(self, tool: str) -> ToolEffect | None:
        """Judged effect of a tool; None where the list does not name it."""
        named = {ToolEffect.READ: self.read, ToolEffect.WRITE: self.write, ToolEffect.VOLATILE: self.volatile}
        return next((effect for effect, tools in named.items() if tool in tools), None)


class _List(msgspec.Struct):
    about: str
    workplaces: dict[str, JudgedWorkplace]


@cache
def judged_effects() -> Mapping[str, JudgedWorkplace]:
    """The list, by the name of the workplace."""
    return msgspec.json.decode(LIST.read_bytes(), type=_List).workplaces


def tools_digest(workplace: Workplace) -> str:
    """Digest of everything that an effect was judged by: names, descriptions and arguments."""
    read = [[tool.name, tool.description, tool.parameters] for tool in workplace.tools]
    return hashlib.sha256(canonical_text(read).encode(errors="surrogatepass")).hexdigest()[:12]


def with_judged_effects(workplace: Workplace) -> Workplace:
    """The workplace with its tools' effects as judged; as it is where the list does not know these tools."""
    judged = judged_effects().get(workplace.name)
    if judged is None or judged.tools != tools_digest(workplace):
        return workplace
    return replace(workplace, tools=tuple(_judged(tool, judged.effect(tool.name)) for tool in workplace.tools))


def _judged(tool: Tool, effect: ToolEffect | None) -> Tool:
    match effect:
        case ToolEffect.READ:
            return replace(tool, writes=False, volatile=False)
        case ToolEffect.WRITE:
            return replace(tool, writes=True)
        case ToolEffect.VOLATILE:
            # A poll may move what it looks at, so nothing is said of `writes`.
            return replace(tool, volatile=True)
    return tool
