"""JSON and YAML as OpenAPI has them: YAML 1.2's plain values, keys that are numbers, errors with their line."""

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

from worktrial.errors import DataError
from worktrial.language import JsonObject, JsonValue

MOST_VALUES = 500_000
"""In one description, anchors written out: a few kilobytes of YAML can stand for gigabytes."""
_DEEPEST = 100
_MEND = "Mend the line"


def parse(text: str, path: Path) -> JsonObject:
    """The object that a description holds.

    Raises:
        DataError: it is not JSON or YAML, no object, or stands for more than can be kept.
    """
    is_json = path.suffix.lower() == ".json" or text.lstrip().startswith("{")
    value = _json(text, path) if is_json else _yaml(text, path)
    if not isinstance(value, dict):
        raise DataError(path, "holds no object", "An OpenAPI description begins with `openapi: 3.1.0`")
    copy: JsonObject = _Copy(path).of(value, 0)
    return copy


def _json(text: str, path: Path) -> JsonValue:
    try:
        return json.loads(text)
    except json.JSONDecodeError as e:
        raise DataError(f"{path}, line {e.lineno}", f"is not JSON: {e.msg} (column {e.colno})", _MEND) from None
    except RecursionError:
        raise _too_much(path) from None
    except ValueError as e:  # a number of thousands of digits
        raise DataError(path, f"is not JSON that can be read: {e}", "Mend it") from None


def _yaml(text: str, path: Path) -> Any:
    import yaml

    try:
        return yaml.load(text, Loader=_loader())
    except yaml.MarkedYAMLError as e:
        mark = e.problem_mark or e.context_mark
        where = f"{path}, line {mark.line + 1}" if mark else path
        raise DataError(where, f"is not YAML that can be read: {e.problem or e.context}", _MEND) from None
    except yaml.YAMLError as e:
        raise DataError(path, f"is not YAML that can be read: {' '.join(str(e).split())}", "Mend it") from None
    except RecursionError:
        raise _too_much(path) from None
    except ValueError as e:
        raise DataError(path, f"holds a value that cannot be read: {e}", "Mend it") from None


class _Copy:
    """Plain values without shared parts, as many as may be kept."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._left = MOST_VALUES

    def of(self, value: Any, depth: int) -> Any:
        self._left -= 1
        if self._left < 0 or depth > _DEEPEST:
            raise _too_much(self._path)
        if isinstance(value, dict):
            return {str(key): self.of(part, depth + 1) for key, part in value.items()}
        if isinstance(value, list):
            return [self.of(part, depth + 1) for part in value]
        if isinstance(value, float) and value - value != 0:
            raise DataError(self._path, f"holds {value}, which JSON cannot say", "Use a finite number")
        if value is None or isinstance(value, str | bool | int | float):
            return value
        raise DataError(self._path, f"holds a {type(value).__name__}", "Use plain YAML values")


def _too_much(path: Path) -> DataError:
    what = f"stands for more than {MOST_VALUES:,} values, or nests deeper than {_DEEPEST}"
    return DataError(path, what, "Give only the operations that the job needs")


@cache
def _loader() -> type:
    import yaml

    base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

    class Loader(base):  # type: ignore[misc]
        """`on` and `12:30` are texts, as in YAML 1.2; no key counts twice."""

        def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
            seen: set[str] = set()
            for key, _ in node.value:
                if not isinstance(key, yaml.ScalarNode):
                    raise yaml.constructor.ConstructorError(None, None, "a key is not text", key.start_mark)
                if key.value in seen and key.tag != "tag:yaml.org,2002:merge":
                    problem = f"the key {key.value!r} appears twice"
                    raise yaml.constructor.ConstructorError(None, None, problem, key.start_mark)
                seen.add(key.value)
            mapping: dict[Any, Any] = super().construct_mapping(node, deep)
            return mapping

    def whole(loader: Any, node: yaml.ScalarNode) -> int:
        return int(loader.construct_scalar(node))

    Loader.yaml_implicit_resolvers = {}
    for tag, pattern, first in (
        ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
        ("bool", r"true|True|TRUE|false|False|FALSE", list("tTfF")),
        ("int", r"[-+]?[0-9]+", list("-+0123456789")),
        ("float", r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?", list("-+.0123456789")),
        ("merge", r"<<", ["<"]),
    ):
        Loader.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(rf"^(?:{pattern})$"), first)
    Loader.add_constructor("tag:yaml.org,2002:int", whole)
    return Loader
