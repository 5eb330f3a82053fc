"""Calls in a workplace's rules."""

import re
from collections.abc import Iterator

from worktrial.synthesis.artifacts import Problem
from worktrial.synthesis.checks.case import Case, of_finding
from worktrial.synthesis.checks.names import CheckName
from worktrial.workplaces.lint import unknown_calls

# A record of the world may have a name, too.
_CALL = re.compile(r'"name"\s*:\s*"[^"]*"\s*,\s*"(?:arguments|parameters|args|input)"')


def prompt_calls(case: Case) -> Iterator[Problem]:
    """Rules that show a call of a tool that is not there."""
    finding = unknown_calls(" ".join(_CALL.findall(case.workplace.system_prompt)), case.tool_names)
    if finding is not None:
        yield of_finding(CheckName.PROMPT_CALLS, "workplace", finding)
