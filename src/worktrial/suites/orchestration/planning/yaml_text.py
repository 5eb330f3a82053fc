"""YAML from people and from models, read within bounds."""

from dataclasses import dataclass
from functools import cache
from math import isfinite
from typing import TYPE_CHECKING

from worktrial.language import JsonValue

if TYPE_CHECKING:
    from yaml import SafeLoader
    from yaml.nodes import Node, ScalarNode

MAX_CHARS = 1_000_000
MAX_DEPTH = 64
MAX_VALUES = 100_000
_MAX_DIGITS = 4300

_TROUBLE = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError)
"""Exceptions of PyYAML besides its own errors: `!!int ""`, `!!bool x`, `!!timestamp x`, impossible dates, …"""


class BadYaml(ValueError):
    """The text is no YAML, or more of it than anybody needs. The message says where and why."""

    def __init__(self, where: str, why: str) -> None:
        super().__init__(f"{where}: {why}")
        self.why = why


@dataclass(frozen=True, slots=True)
class YamlText:
    """Contents of a YAML text."""

    value: JsonValue
    """Values that JSON can hold; see `load_yaml`."""
    duplicates: tuple[str, ...] = ()
    """Keys that a mapping has more than once, as paths such as `steps[0].status`; the last one is in `value`."""


def load_yaml(
    text: str,
    *,
    where: str,
    max_chars: int = MAX_CHARS,
    max_depth: int = MAX_DEPTH,
    max_values: int = MAX_VALUES,
    reference: bool = False,
) -> YamlText:
    """The one document of `text`, as PyYAML's safe loader reads it, but for what JSON cannot hold.

    Dates and times, `!!binary`, `.inf` and `.nan`, and integers beyond 64 bits are the text as written; so are
    keys that are no strings (`5`, `yes`). Whole numbers, floats, booleans and nulls follow YAML 1.1, as in PyYAML.

    Args:
        text: the YAML.
        where: what to call the text in an error, such as `EN/scenario_data/85.yaml, step 8`.
        max_chars: length above which nothing is read.
        max_depth: nesting above which the text is refused; aliases count as what they stand for.
        max_values: keys, scalars and collections above which it is refused; aliases likewise.
        reference: parse with PyYAML's own parser instead of libyaml: ten times slower, and they disagree on tabs,
            byte order marks and question marks within brackets.

    Raises:
        BadYaml: the text is no YAML, several documents, has a tag or a key that makes no plain value, or is
            beyond one of the bounds (an anchors bomb is). No other exception escapes.
    """
    import yaml

    if len(text) > max_chars:
        raise BadYaml(where, f"{len(text)} characters, more than the {max_chars} that are read")
    try:
        loader_class = _loader_class(reference)
        _scan(text, loader_class, where, max_depth, max_values)
        loader = loader_class(text)
        try:
            root = loader.get_single_node()
            if root is None:
                return YamlText(None)
            survey = _Survey(where, max_depth, max_values)
            survey.visit(root, 1)
            return YamlText(_plain(loader, root), tuple(survey.duplicates))
        finally:
            loader.dispose()
    except BadYaml:
        raise
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f" (line {mark.line + 1}, column {mark.column + 1})" if mark else ""
        raise BadYaml(where, f"{error.problem or error.context or 'not YAML'}{place}") from error
    except (yaml.YAMLError, *_TROUBLE) as error:
        raise BadYaml(
            where, f"not YAML: {str(error).splitlines()[0] if str(error) else type(error).__name__}"
        ) from error


def _scan(text: str, loader_class: "type[SafeLoader]", where: str, max_depth: int, max_values: int) -> None:
    """Refuse what is too deep or too large before anything is built of it.

    The parser is told to stop as soon as a bound is passed, because its time grows with the square of the depth
    and building the nodes takes one level of the machine's stack per level of the text.
    """
    import yaml

    opening = (yaml.SequenceStartEvent, yaml.MappingStartEvent)
    closing = (yaml.SequenceEndEvent, yaml.MappingEndEvent)
    single = (yaml.ScalarEvent, yaml.AliasEvent)
    depth = values = 0
    for event in yaml.parse(text, Loader=loader_class):
        if isinstance(event, single):
            values += 1
        elif isinstance(event, opening):
            values += 1
            depth += 1
            if depth > max_depth:
                raise _too_deep(where, max_depth)
        elif isinstance(event, closing):
            depth -= 1
        if values > max_values:
            raise _too_large(where, max_values)


def _too_deep(where: str, bound: int) -> BadYaml:
    return BadYaml(where, f"nested more than {bound} levels deep")


def _too_large(where: str, bound: int) -> BadYaml:
    return BadYaml(where, f"more than {bound} values once its aliases are written out")


class _Survey:
    """Size and depth of a tree of nodes with every alias written out, and its duplicate keys."""

    def __init__(self, where: str, max_depth: int, max_values: int) -> None:
        self.duplicates: list[str] = []
        self._where = where
        self._max_depth = max_depth
        self._max_values = max_values
        self._path: list[str] = []
        # Node -> (values, levels) within it; None while its own content is being visited.
        self._known: dict[int, tuple[int, int] | None] = {}

    def visit(self, node: "Node", depth: int) -> tuple[int, int]:
        """(values, levels) of `node`, which is at level `depth`; visited once, however often aliased."""
        import yaml

        if isinstance(node, yaml.ScalarNode):
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
        if depth + levels - 1 > self._max_depth:
            raise _too_deep(self._where, self._max_depth)
        if values > self._max_values:
            raise _too_large(self._where, self._max_values)
        return extent

    def _within(self, node: "Node", depth: int) -> tuple[int, int]:
        import yaml

        values, levels = 1, 0
        for label, child in self._children(node):
            self._path.append(label)
            inside, below = self.visit(child, depth + 1)
            self._path.pop()
            values += inside
            levels = max(levels, below)
            if values > self._max_values:
                raise _too_large(self._where, self._max_values)
        if isinstance(node, yaml.MappingNode):
            values += len(node.value)
        return values, levels + 1

    def _children(self, node: "Node") -> "list[tuple[str, Node]]":
        import yaml

        if isinstance(node, yaml.SequenceNode):
            return [(f"[{n}]", child) for n, child in enumerate(node.value)]
        seen: set[str] = set()
        children = []
        for key, child in node.value:
            # A collection as a key makes no plain value; constructing says so.
            label = key.value if isinstance(key, yaml.ScalarNode) else "?"
            if label in seen and key.tag != "tag:yaml.org,2002:merge":
                self.duplicates.append(_joined([*self._path, label]))
            seen.add(label)
            children.append((label, child))
        return children


def _joined(path: list[str]) -> str:
    return "".join(label if n == 0 or label.startswith("[") else f".{label}" for n, label in enumerate(path))


def _plain(loader: "SafeLoader", node: "Node") -> JsonValue:
    """Value of `node`; recursive, because `_Survey` has bounded the depth and found no cycle."""
    import yaml

    if isinstance(node, yaml.ScalarNode):
        return _scalar(loader, node)
    if isinstance(node, yaml.SequenceNode) and node.tag == "tag:yaml.org,2002:seq":
        return [_plain(loader, child) for child in node.value]
    if isinstance(node, yaml.MappingNode) and node.tag == "tag:yaml.org,2002:map":
        loader.flatten_mapping(node)
        return {_key(loader, key): _plain(loader, child) for key, child in node.value}
    raise yaml.constructor.ConstructorError(None, None, f"the tag {node.tag} makes no plain value", node.start_mark)


def _key(loader: "SafeLoader", node: "Node") -> str:
    import yaml

    if not isinstance(node, yaml.ScalarNode):
        raise yaml.constructor.ConstructorError(None, None, "a collection as a key", node.start_mark)
    _scalar(loader, node)  # an impossible tag or number is as wrong in a key as elsewhere
    return str(node.value)


def _scalar(loader: "SafeLoader", node: "ScalarNode") -> JsonValue:
    import yaml

    if node.tag == "tag:yaml.org,2002:int" and ":" in node.value and len(node.value) > _MAX_DIGITS:
        # Python bounds decimal numbers itself; the time for `1:59:59:…` grows with the square of its length.
        raise yaml.constructor.ConstructorError(None, None, "a number without end", node.start_mark)
    value = loader.construct_object(node, deep=True)
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int) and -(2**63) <= value < 2**64:
        return value
    if isinstance(value, float) and isfinite(value):
        return value
    return node.value


@cache
def _loader_class(reference: bool) -> "type[SafeLoader]":
    import yaml

    # PyYAML may have been built without libyaml.
    return yaml.SafeLoader if reference else getattr(yaml, "CSafeLoader", yaml.SafeLoader)
