"""Our templates. Whatever is filled in is escaped: models, tools and documents wrote most of it."""

import base64
import hashlib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from worktrial.synthesis.review.text import pretty, visible

if TYPE_CHECKING:
    from jinja2 import Environment

_TEMPLATES = Path(__file__).with_name("templates")


def render(template: str, **values: Any) -> str:
    """A template with `values` filled in."""
    return _environment().get_template(template).render(values)


@cache
def style() -> str:
    """The style sheet, which is part of every page."""
    return (_TEMPLATES / "review.css").read_text("utf-8")


@cache
def policy() -> str:
    """The content security policy: no script, nothing from anywhere, and no style but ours."""
    digest = base64.b64encode(hashlib.sha256(style().encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    def shown(value: Any) -> Any:
        return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value

    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=shown,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.filters["pretty"] = pretty
    return environment
