"""Prompts that are files: Jinja2 templates."""

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Environment


@cache
def templates(folder: Path) -> "Environment":
    """The templates in `folder`, read and compiled once a process; a value that is not given is an error."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(folder),
        undefined=StrictUndefined,
        # Prompts are plain text for a model; HTML escaping would corrupt them.
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
