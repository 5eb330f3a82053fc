"""Calls in a workplace's rules."""

import re
from collections.abc import Collection

from worktrial.workplaces.lint.hazard import Finding, listed

_NAMED = re.compile(r'"name"\s*:\s*"([^"]*)"')


def unknown_calls(system_prompt: str, tools: Collection[str]) -> Finding | None:
    """The calls shown in the rules whose tool the workplace does not have, as one finding.

    A call is what the rules write as JSON with a `"name"`. An appendix that repeats state and tools is no part
    of the rules; reading the workplace cuts it off.
    """
    names = list(dict.fromkeys(name for name in _NAMED.findall(system_prompt) if name not in tools))
    if not names:
        return None
    return Finding(
        "system_prompt",
        f"the rules show a call of {listed(names)}, and there is no such tool",
        "Show a call of one of the workplace's own tools, or none",
    )
