"""YAML files that say what JSON could say: of suites, workplaces, policies, jobs."""

import math
from functools import cache
from pathlib import Path
from typing import Any

from worktrial.errors import DataError
from worktrial.language import JsonValue
from worktrial.outside.files import MOST_LEVELS, as_text, read_bytes
from worktrial.outside.yaml_nodes import BadYaml, YamlBounds, composed, fast_loader

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
            value = None if nodes.root is None else nodes.loader.construct_document(nodes.root)
    except BadYaml as e:
        raise DataError(where, f"is not the YAML we read: {e.why}", "Mend it") from None
    return _json(value, where, "")


@cache
def _json_loader() -> type:
    import yaml

    base: Any = fast_loader()

    class Loader(base):  # type: ignore[misc]
        """YAML that reads as JSON does: no dates, no silent overwriting of a key."""

        def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
            self.flatten_mapping(node)
            seen: set[str] = set()
            for key, _ in node.value:
                said = self.construct_object(key, deep=True)
                if not isinstance(said, str):
                    raise yaml.constructor.ConstructorError(
                        None, None, f"the key {str(said)[:60]} is not text; put it in quotes", key.start_mark
                    )
                if said in seen:
                    raise yaml.constructor.ConstructorError(
                        None, None, f"the key {said[:60]!r} appears twice", key.start_mark
                    )
                seen.add(said)
            mapping: dict[Any, Any] = super().construct_mapping(node, deep)
            return mapping

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
