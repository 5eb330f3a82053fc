"""YAML files that say what JSON could say: of suites, workplaces, policies, jobs."""

import math
from functools import cache
from pathlib import Path
from typing import Any

from worktrial.errors import DataError
from worktrial.language import JsonValue
from worktrial.outside.files import MOST_LEVELS, as_text, read_bytes
from worktrial.outside.yaml_nodes import BadYaml, YamlBounds, composed, fast_loader

_TEXT, _SEQUENCE, _MAPPING = (f"tag:yaml.org,2002:{name}" for name in ("str", "seq", "map"))
_BOUNDS = YamlBounds(chars=16_000_000, depth=MOST_LEVELS, values=500_000)


def read_yaml(path: Path, *, within: Path | None = None) -> JsonValue:
    """The one YAML document in `path` as JSON: dates stay text, keys are text and never repeat.

    Args:
        path: The file.
        within: Folder that the file was found in; see `read_bytes`.

    Raises:
        DataError: it cannot be read, is not YAML, is beyond a bound, or holds what JSON cannot say.
    """
    return json_of_yaml(as_text(read_bytes(path, within=within), path), path)


def json_of_yaml(text: str, where: object) -> JsonValue:
    """The one YAML document in `text` as JSON; see `read_yaml`.

    Raises:
        DataError: it is not YAML, is beyond a bound, or holds what JSON cannot say.
    """
    try:
        with composed(text, str(where), _json_loader(), _BOUNDS) as nodes:
            made = _Values(nodes.loader)
            value = None if nodes.root is None else made.of(nodes.root)
    except BadYaml as e:
        raise DataError(where, f"is not the YAML we read: {e.why}", "Mend it") from None
    return _json(value, where, "") if made.has_others else value


class _Values:
    """Values of the nodes of one text: those of JSON at once, others as the loader makes them."""

    def __init__(self, loader: Any) -> None:
        from yaml import MappingNode, ScalarNode, SequenceNode
        from yaml.constructor import ConstructorError

        self._scalar, self._sequence, self._mapping = ScalarNode, SequenceNode, MappingNode
        self._error = ConstructorError
        self._loader = loader
        self.has_others = False
        """Whether there may be a value that JSON cannot say."""

    def of(self, node: Any) -> Any:
        kind, tag = type(node), node.tag
        if kind is self._scalar and tag == _TEXT:
            return node.value
        if kind is self._mapping and tag == _MAPPING:
            return self._of_mapping(node)
        if kind is self._sequence and tag == _SEQUENCE:
            return [self.of(one) for one in node.value]
        value = self._loader.construct_object(node, deep=True)
        self.has_others |= not isinstance(value, bool | int | str | None) and not (
            isinstance(value, float) and math.isfinite(value)
        )
        return value

    def _of_mapping(self, node: Any) -> dict[str, Any]:
        if any(key.tag != _TEXT for key, _ in node.value):
            # There may be a `<<` among them.
            self._loader.flatten_mapping(node)
        made: dict[str, Any] = {}
        for key, value in node.value:
            said = key.value if key.tag == _TEXT else self._loader.construct_object(key, deep=True)
            if not isinstance(said, str):
                raise self._error(
                    None, None, f"the key {str(said)[:60]} is not text; put it in quotes", key.start_mark
                )
            if said in made:
                raise self._error(None, None, f"the key {said[:60]!r} appears twice", key.start_mark)
            made[said] = self.of(value)
        return made


@cache
def _json_loader() -> type:
    import yaml

    base: Any = fast_loader()

    class Loader(base):  # type: ignore[misc]
        """YAML that reads as JSON does: no dates."""

    Loader.yaml_implicit_resolvers = {
        first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }
    return Loader


def _json(value: object, where: object, field: str) -> JsonValue:
    match value:
        case dict():
            return {k: _json(v, where, f"{field}.{k}") for k, v in value.items()}
        case list():
            return [_json(v, where, f"{field}[{i}]") for i, v in enumerate(value)]
        case float() if not math.isfinite(value):
            raise DataError(where, f"{field.lstrip('.')} is {value}, which JSON cannot say", "Use a finite number")
        case None | bool() | int() | float() | str():
            return value
    raise DataError(where, f"{field.lstrip('.')} is a {type(value).__name__}", "Use plain YAML values")
