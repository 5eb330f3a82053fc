"""Nodes of one YAML text, composed within bounds; what values they make is up to whoever reads them."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from yaml import SafeLoader
    from yaml.nodes import Node

_TROUBLE = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError)
"""Exceptions of PyYAML besides its own errors: `!!int ""`, `!!bool x`, `!!timestamp x`, impossible dates, …"""
_MERGE = "tag:yaml.org,2002:merge"
_INT = "tag:yaml.org,2002:int"
_MOST_DIGITS = 4300


class BadYaml(ValueError):
    """The text is no YAML, or more of it than anybody needs. The message says where and why."""

    def __init__(self, where: str, why: str, line: int | None = None) -> None:
        super().__init__(f"{where}: {why}")
        self.why = why
        self.line = line
        """1-based; None where no line is to blame."""


class OversizedYaml(BadYaml):
    """More YAML than one of the bounds allows."""


@dataclass(frozen=True, slots=True)
class YamlBounds:
    """Size above which a text is refused; aliases count as what they stand for."""

    chars: int
    depth: int
    """Collections within each other."""
    values: int
    """Keys, scalars and collections."""


class YamlNodes(NamedTuple):
    """A text's one document, not yet made values."""

    loader: "SafeLoader"
    root: "Node | None"
    """None for an empty text."""
    duplicates: list[str]
    """Keys that a mapping has more than once, as paths such as `steps[0].status`."""


@contextmanager
def composed(text: str, where: str, base: type, bounds: YamlBounds) -> Iterator[YamlNodes]:
    """Compose the one document of `text`, for as long as its values are constructed.

    Args:
        text: The YAML.
        where: Name of the text for errors.
        base: Loader of PyYAML's by which it is read.
        bounds: Size above which it is refused.

    Raises:
        BadYaml: it is no YAML, several documents, or beyond a bound; or whatever PyYAML raises within the block.
    """
    import yaml

    if len(text) > bounds.chars:
        raise OversizedYaml(where, f"{len(text)} characters, more than the {bounds.chars} that are read")
    try:
        loader = _counting(base)(text)
        loader.begin(where, bounds)
        try:
            root = loader.get_single_node()
            survey = _Survey(where, bounds)
            if root is not None:
                survey.visit(root, 1)
            yield YamlNodes(loader, root, survey.duplicates)
        finally:
            loader.dispose()
    except BadYaml:
        raise
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f" (line {mark.line + 1}, column {mark.column + 1})" if mark else ""
        said = f"{error.problem or error.context or 'not YAML'}{place}"
        raise BadYaml(where, said, mark.line + 1 if mark else None) from error
    except (yaml.YAMLError, *_TROUBLE) as error:
        said = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise BadYaml(where, f"not YAML: {said}") from error


@cache
def fast_loader() -> "type[SafeLoader]":
    """PyYAML's safe loader over libyaml, seven times as fast as its own; that one where it was built without."""
    import yaml

    return getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@cache
def _counting(base: Any) -> Any:
    """`base`, stopping as soon as a bound is passed: building nodes takes one level of the stack per level of text.

    PyYAML asks its resolver to descend into every node that is no alias, and to ascend again.
    """

    class Counting(base):  # type: ignore[misc]
        def begin(self, where: str, bounds: YamlBounds) -> None:
            self._where = where
            self._bounds = bounds
            # A scalar may stand within as many collections as are allowed.
            self._levels_left = bounds.depth + 1
            self._values_left = bounds.values

        def descend_resolver(self, current_node: Any, current_index: Any) -> None:
            self._levels_left -= 1
            self._values_left -= 1
            if self._levels_left < 0:
                raise _too_deep(self._where, self._bounds)
            if self._values_left < 0:
                raise _too_large(self._where, self._bounds)

        def ascend_resolver(self) -> None:
            self._levels_left += 1

    return Counting


def _too_deep(where: str, bounds: YamlBounds) -> OversizedYaml:
    return OversizedYaml(where, f"nested more than {bounds.depth} levels deep")


def _too_large(where: str, bounds: YamlBounds) -> OversizedYaml:
    return OversizedYaml(where, f"more than {bounds.values} values once its aliases are written out")


class _Survey:
    """Size and depth of a tree of nodes with every alias written out, and its duplicate keys."""

    def __init__(self, where: str, bounds: YamlBounds) -> None:
        from yaml import MappingNode, ScalarNode, SequenceNode

        self._scalar, self._sequence, self._mapping = ScalarNode, SequenceNode, MappingNode
        self.duplicates: list[str] = []
        self._where = where
        self._bounds = bounds
        self._path: list[str] = []
        # Node -> (values, levels) within it; None while its own content is being visited.
        self._known: dict[int, tuple[int, int] | None] = {}

    def visit(self, node: "Node", depth: int) -> tuple[int, int]:
        """(values, levels) of `node`, which is at level `depth`; visited once, however often aliased."""
        if isinstance(node, self._scalar):
            # Python bounds decimal numbers itself; the time for `1:59:59:…` grows with the square of its length.
            if len(node.value) > _MOST_DIGITS and node.tag == _INT:
                why = f"a number without end, of more than {_MOST_DIGITS} digits"
                raise BadYaml(self._where, why, node.start_mark.line + 1)
            return 1, 0
        key = id(node)
        if key in self._known:
            extent = self._known[key]
            if extent is None:
                raise BadYaml(self._where, "an alias that stands for a collection it is part of")
        else:
            self._known[key] = None
            extent = self._known[key] = self._within(node, depth)
        values, levels = extent
        if depth + levels - 1 > self._bounds.depth:
            raise _too_deep(self._where, self._bounds)
        if values > self._bounds.values:
            raise _too_large(self._where, self._bounds)
        return extent

    def _within(self, node: "Node", depth: int) -> tuple[int, int]:
        values, levels = 1, 0
        for label, child in self._children(node):
            self._path.append(label)
            inside, below = self.visit(child, depth + 1)
            self._path.pop()
            values += inside
            levels = max(levels, below)
            if values > self._bounds.values:
                raise _too_large(self._where, self._bounds)
        if isinstance(node, self._mapping):
            values += len(node.value)
        return values, levels + 1

    def _children(self, node: "Node") -> "list[tuple[str, Node]]":
        if isinstance(node, self._sequence):
            return [(f"[{n}]", child) for n, child in enumerate(node.value)]
        seen: set[str] = set()
        children = []
        for key, child in node.value:
            # A collection as a key makes no plain value; constructing says so.
            label = key.value if isinstance(key, self._scalar) else "?"
            if label in seen and key.tag != _MERGE:
                self.duplicates.append(_joined([*self._path, label]))
            seen.add(label)
            children.append((label, child))
        return children


def _joined(path: list[str]) -> str:
    return "".join(label if n == 0 or label.startswith("[") else f".{label}" for n, label in enumerate(path))
