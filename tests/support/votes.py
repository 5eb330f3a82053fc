"""Votes of scripted judges, with the code that each was asked for."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

_ASKED = re.compile(r'"code": "([0-9a-f]{8})"')
_DECISION = re.compile(r'\{(?=[^{}]*"(?:is_correct|same_meaning|feedback|reason)")')


def code_of(messages: Sequence[Mapping[str, Any]]) -> str | None:
    """The code that the last message asks for; None where it asks for none."""
    content = messages[-1].get("content")
    asked = _ASKED.findall(content.rstrip().rsplit("\n", 1)[-1]) if isinstance(content, str) else []
    return asked[-1] if asked else None


def with_code(said: Any, messages: Sequence[Mapping[str, Any]]) -> Any:
    """What a judge says, with the code of `messages` put first into each object that looks like a vote."""
    code = code_of(messages)
    if code is None or not isinstance(said, str):
        return said
    return _DECISION.sub(f'{{"code": {json.dumps(code)}, ', said)


def without_code(said: str) -> str:
    """What a judge says, without its codes."""
    return re.sub(r'"code": "[0-9a-f]{8}", ', "", said)


def without_code_line(messages: Sequence[Mapping[str, Any]]) -> str:
    """A question to a judge as JSON, its code left out."""
    code = code_of(messages)
    asked = json.dumps(messages)
    return asked if code is None else asked.replace(code, "")
