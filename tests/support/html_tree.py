"""HTML read strictly: whatever does not close, or closes what is not open, is an error."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

_VOID = frozenset({"meta", "link", "br", "hr", "img", "input"})


@dataclass
class Element:
    """An element with its attributes and what is in it."""

    name: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: list["Element | str"] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(child if isinstance(child, str) else child.text for child in self.children)

    def all(self, name: str | None = None, **attributes: str) -> Iterator["Element"]:
        """Everything below of this name, whose attributes are these; `class_` must be among its classes."""
        for child in self.children:
            if isinstance(child, Element):
                if name in (None, child.name) and all(child._has(k, v) for k, v in attributes.items()):
                    yield child
                yield from child.all(name, **attributes)

    def one(self, name: str | None = None, **attributes: str) -> "Element":
        found = list(self.all(name, **attributes))
        assert len(found) == 1, f"{len(found)} of {name} {attributes}"
        return found[0]

    def _has(self, name: str, value: str) -> bool:
        if name == "class_":
            return value in self.attributes.get("class", "").split()
        return self.attributes.get(name.replace("_", "-")) == value


class _Parser(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.root = Element("")
        self._open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), f"<{tag}> repeats an attribute: {names}"
        element = Element(tag, {name: value or "" for name, value in attrs})
        self._open[-1].children.append(element)
        if tag not in _VOID:
            self._open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in _VOID:
            self._open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self._open[-1].name == tag, f"</{tag}> closes <{self._open[-1].name}>"
        self._open.pop()

    def handle_data(self, data: str) -> None:
        self._open[-1].children.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data[:80]}")

    def finish(self) -> Element:
        self.close()
        assert self._open == [self.root], f"<{self._open[-1].name}> is never closed"
        return self.root


def parsed(html: str) -> Element:
    """The tree of a page or of a piece of one."""
    parser = _Parser()
    parser.feed(html)
    return parser.finish()
