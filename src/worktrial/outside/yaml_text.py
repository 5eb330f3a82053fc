"""YAML from people and from models, read within bounds."""

from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING

from worktrial.language import JsonValue
from worktrial.outside.yaml_nodes import YamlBounds, composed, fast_loader

if TYPE_CHECKING:
    from yaml import SafeLoader
    from yaml.nodes import Node, ScalarNode

MAX_CHARS = 1_000_000
MAX_DEPTH = 64
MAX_VALUES = 100_000


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
    bounds = YamlBounds(max_chars, max_depth, max_values)
    with composed(text, where, _reference_loader() if reference else fast_loader(), bounds) as nodes:
        if nodes.root is None:
            return YamlText(None)
        return YamlText(_plain(nodes.loader, nodes.root), tuple(nodes.duplicates))


def _plain(loader: "SafeLoader", node: "Node") -> JsonValue:
    """Value of `node`; recursive, because `composed` has bounded the depth and found no cycle."""
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
    value = loader.construct_object(node, deep=True)
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int) and -(2**63) <= value < 2**64:
        return value
    if isinstance(value, float) and isfinite(value):
        return value
    return node.value


def _reference_loader() -> "type[SafeLoader]":
    import yaml

    return yaml.SafeLoader
