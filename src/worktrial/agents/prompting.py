"""Prompt that a model is told before its instruction."""

from functools import cache
from importlib.resources import files
from typing import Any


@cache
def standard_prompt() -> str:
    """Template of what every model in a workplace is told, unless the user says otherwise."""
    return files("worktrial.agents").joinpath("prompts", "system.j2").read_text(encoding="utf-8")


def render_prompt(template: str, clock: str) -> str:
    """A prompt's text.

    Args:
        template: Jinja2; `{{ clock }}` stands for the date and time in the workplace.
        clock: That date and time, ISO 8601.
    """
    return str(_template(template).render(clock=clock))


@cache
def _template(text: str) -> Any:
    from jinja2 import StrictUndefined
    from jinja2.sandbox import SandboxedEnvironment

    return SandboxedEnvironment(undefined=StrictUndefined, autoescape=False).from_string(text)
