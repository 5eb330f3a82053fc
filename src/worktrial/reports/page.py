"""The frame that all pages of a report share, and the data within them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from markupsafe import Markup

from worktrial.language.templates import templates
from worktrial.reports.links import HOME, SAMPLES, TASKS
from worktrial.reports.report import Report
from worktrial.version import __version__

if TYPE_CHECKING:
    from jinja2 import Template

# Within an HTML script element the parser looks for tags and comments; as escapes of JSON these cannot occur.
_ESCAPES = {ord(c): f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"}


def script_json(value: Any) -> str:
    """JSON that means the same within a script element and within a script."""
    return msgspec.json.encode(value).decode().translate(_ESCAPES)


def embedded(name: str, value: Any) -> Markup:
    """A block of data that a script finds by its id; the browser runs nothing in it."""
    return Markup('<script type="application/json" id="{}">{}</script>').format(name, Markup(script_json(value)))


_TEMPLATES = Path(__file__).with_name("templates")

# From file:// as well as over http, 'self' lets through what lies in the report's folder and nothing inline.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'"
)

STYLES = ("site.css",)
SCRIPTS = ("tables.js", "site.js")
_PAGES = ((HOME, "Overview"), (TASKS, "Tasks"), (SAMPLES, "Samples"))


@dataclass(frozen=True, slots=True)
class PageFrame:
    """Surroundings that all pages share."""

    pages: Sequence[tuple[str, str]] = _PAGES
    """Addresses and names of the pages to lead to."""
    policy: str = POLICY
    """Content security policy: what the pages may load, and where they may send to."""
    more: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Scripts and style sheets of pages beside those of a site, by the page's address."""


def render_page(
    title: str,
    body: Markup,
    *,
    scripts: Sequence[str],
    styles: Sequence[str],
    current: str,
    report: Report,
    frame: "PageFrame | None" = None,
) -> str:
    """A whole page.

    Args:
        title: Of the page; the report's title follows it where it is another.
        body: What goes into `<main>`; it brings its own `<h1>`.
        scripts: Names of files in `assets/` beside those that every page has, run in order once the page is read;
            style sheets may be among them.
        styles: Names of style sheets in `assets/` beside the common one.
        current: The page's own address, to mark it in the navigation; one of `links`.
        report: Whose page it is.
        frame: What differs where a server has the pages; None: a site's.
    """
    around = frame or PageFrame()
    more = (*scripts, *around.more.get(current, ()))
    return template("base.html").render(
        title=title,
        body=body,
        scripts=(*SCRIPTS, *(name for name in more if name.endswith(".js"))),
        styles=(*STYLES, *styles, *(name for name in more if name.endswith(".css"))),
        current=current,
        pages=around.pages,
        home=HOME,
        policy=around.policy,
        report_title=report.title,
        version=__version__,
    )


def template(name: str) -> "Template":
    """A template of ours; what is filled in is escaped."""
    return templates(_TEMPLATES, html=True).get_template(name)
