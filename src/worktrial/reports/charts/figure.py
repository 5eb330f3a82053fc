"""The frame of a chart."""

from collections.abc import Sequence

from markupsafe import Markup

from worktrial.reports.html import Value, table

COLOURS = 8
"""How many series the style sheet can tell apart by colour; dashes and shapes tell further ones apart."""


def figure(title: str, content: Markup, *, kind: str) -> Markup:
    """A chart under its title. `kind` is a class for the style sheet."""
    return Markup('<figure class="chart {}">\n<figcaption>{}</figcaption>\n{}\n</figure>').format(
        kind, title, content
    )


def picture(title: str, description: str, height: int, content: Markup, *, view_box: str = "") -> Markup:
    """An SVG that screen readers announce as one picture.

    Without a view box its width is that of the page, and coordinates are in percent across and in pixels down,
    so that text keeps its size on a phone.
    """
    size = (
        Markup('viewBox="{}"').format(view_box) if view_box else Markup('width="100%" height="{}"').format(height)
    )
    return Markup('<svg {} role="img" focusable="false"><title>{}</title><desc>{}</desc>\n{}\n</svg>').format(
        size, title, description, content
    )


def nothing(title: str, *, kind: str) -> Markup:
    """In place of a chart without any data."""
    return figure(title, Markup('<p class="empty">There is nothing to draw.</p>'), kind=kind)


def numbers(title: str, headers: Sequence[str], rows: Sequence[Sequence[Value | str | Markup]]) -> Markup:
    """The chart's numbers, folded away."""
    return Markup('<details class="numbers"><summary>The numbers</summary>\n{}\n</details>').format(
        table(f"Numbers: {title}", headers, rows)
    )


def across(share: float) -> str:
    """A share of the picture's width as a coordinate."""
    return f"{share * 100:.2f}%"
