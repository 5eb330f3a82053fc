"""Sections read as a browser would, to see what is markup and what is text."""

import json
from collections.abc import Iterator
from html.parser import HTMLParser

from worktrial.reports.links import HOME, SAMPLES, TRAJECTORY
from worktrial.reports.report import Section

_VOID = {"br", "img", "input", "wbr", "line", "rect", "circle", "path", "polygon", "polyline"}
_OURS = (
    "a br button caption circle code dd desc details div dl dt em figcaption figure form h3 h4 input label li line "
    "ol option p path polygon polyline pre rect select small span strong summary svg table tbody td text th thead "
    "time title tr tspan ul"
)
_DATA = ("type", "application/json")
"""What makes a script a block of data that no browser runs."""


class Parsed(HTMLParser):
    """A section's elements and text.

    Raises:
        AssertionError: an element or attribute that no section of ours has, or elements that are not nested.
    """

    def __init__(self, section: Section) -> None:
        super().__init__(convert_charrefs=True)
        self.text = ""
        self.hrefs: list[str] = []
        self._open: list[str] = []
        self.feed(str(section.html))
        self.close()
        assert not self._open, f"{section.id}: never closed: {self._open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in _OURS.split() or (tag == "script" and _DATA in attrs), f"<{tag}>"
        for name, value in attrs:
            assert not name.startswith("on") and name not in ("style", "src", "srcdoc"), name
            if name == "href":
                assert value is not None and value.startswith((HOME, SAMPLES, TRAJECTORY, "section-", "#")), value
                self.hrefs.append(value)
        if tag not in _VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in _VOID:
            assert self._open and self._open.pop() == tag, f"</{tag}>"

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] == "script":
            json.loads(data)
        else:
            self.text += data + " "

    @property
    def words(self) -> str:
        """The text with single spaces."""
        return " ".join(self.text.split())


def all_of(sections: Iterator[Section | None] | list[Section | None]) -> dict[str, Parsed]:
    """The sections that have something to say, by id."""
    return {section.id: Parsed(section) for section in sections if section is not None}
