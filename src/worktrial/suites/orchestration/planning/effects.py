"""Classes of tools: those that change something, and those that only read."""

from functools import cache
from pathlib import Path
from typing import Any

from worktrial.suites.orchestration.planning.cards import Team

_LIST = Path(__file__).with_name("effects.yaml")


def only_reads(team: Team, agent: str, tool: str) -> bool:
    """Whether a call of the agent's tool leaves nothing behind; False for a tool that nobody has classed.

    What the card says goes before the shipped list (`effects.yaml`, which says how it was made).
    """
    known = team[agent].tool_by_name.get(tool) if agent in team else None
    if known is not None and known.reads_only is not None:
        return known.reads_only
    return tool in _classes()["reading"].get(agent, ())


@cache
def _classes() -> dict[str, Any]:
    import yaml

    classes: dict[str, Any] = yaml.safe_load(_LIST.read_text(encoding="utf-8"))
    return classes
