"""How many tools there are, and that each has a name of its own."""

from collections import Counter
from collections.abc import Iterator

from worktrial.synthesis.artifacts import Problem
from worktrial.synthesis.checks.case import Case, problem
from worktrial.synthesis.checks.names import CheckName

TOOLS = (2, 10)
"""Fewest and most tools of a workplace. With one there is nothing to choose."""


def tool_count(case: Case) -> Iterator[Problem]:
    """Too few tools, or too many."""
    fewest, most = TOOLS
    count = len(case.workplace.tools)
    if not fewest <= count <= most:
        what = f"has {count} tool{'' if count == 1 else 's'}; a workplace has {fewest} to {most}"
        fix = (
            "Add the tools that the work needs" if count < fewest else "Keep those that the work needs, join others"
        )
        yield problem(CheckName.TOOL_COUNT, "tools", "tools", what, fix)


def duplicate_tools(case: Case) -> Iterator[Problem]:
    """Two tools of one name. Case and separators do not tell tools apart for a model."""
    counts = Counter(_spelt(tool.name) for tool in case.workplace.tools)
    for name, times in counts.items():
        if times > 1:
            alike = ", ".join(dict.fromkeys(t.name for t in case.workplace.tools if _spelt(t.name) == name))
            what = f"{times} tools are called {alike}"
            yield problem(CheckName.DUPLICATE_TOOLS, "tools", "tools", what, "Rename or remove all but one")


def _spelt(name: str) -> str:
    return name.lower().replace("_", "").replace("-", "")
