"""Prompts and pages that are files: Jinja2 templates."""

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Environment


@cache
def templates(folder: Path, *, keep_trailing_newline: bool = False, html: bool = False) -> "Environment":
    """Templates in `folder`, read and compiled once a process; a value that is not given is an error.

    Args:
        folder: Where they are.
        keep_trailing_newline: Whether a template, an included one too, keeps the line break at its end.
        html: Whether they are pages: everything that is filled in is escaped.
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(folder),
        undefined=StrictUndefined,
        # Prompts are plain text for a model; HTML escaping would corrupt them.
        autoescape=html,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=keep_trailing_newline,
        auto_reload=False,
    )
