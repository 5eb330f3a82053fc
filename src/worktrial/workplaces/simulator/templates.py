"""The prompt templates, compiled once a process."""

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Template


def render(name: str, **values: object) -> str:
    """The prompt `name` with `values` filled in.

    Raises:
        jinja2.UndefinedError: the template uses a value that was not given.
    """
    return _template(name).render(**values).rstrip()


@cache
def _template(name: str) -> "Template":
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    # Prompts are plain text for a model; HTML escaping would corrupt them.
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "prompts"),
        undefined=StrictUndefined,
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.get_template(f"{name}.j2")
