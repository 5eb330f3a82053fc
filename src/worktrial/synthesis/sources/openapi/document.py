"""Description of an interface: JSON or YAML as OpenAPI has them, and what its references stand for."""

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from jsonpointer import EndOfList, JsonPointerException, resolve_pointer

from worktrial.errors import DataError
from worktrial.language import JsonObject, JsonValue
from worktrial.outside.files import MOST_BYTES, MOST_LEVELS
from worktrial.outside.yaml_nodes import BadYaml, OversizedYaml, YamlBounds, composed, fast_loader

_BUNDLE = "Bundle the description into one file first, for example with `redocly bundle`"


@dataclass(frozen=True, slots=True)
class Document:
    """A parsed description."""

    path: Path
    root: JsonObject

    @property
    def version(self) -> str:
        """Version of the standard, as `3.1`."""
        return ".".join(str(self.root.get("openapi", "")).split(".")[:2])

    def error(self, where: str, what: str, fix: str = "Correct the description") -> DataError:
        """An error that names a place in the description."""
        return DataError(self.path, f"{where}: {what}" if where else what, fix)

    def follow(self, reference: JsonValue, where: str) -> JsonValue:
        """Value that a `$ref` points to.

        Raises:
            DataError: it points out of the file, or to nothing.
        """
        if not isinstance(reference, str):
            raise self.error(where, "its $ref is not a text")
        if not reference.startswith("#"):
            raise self.error(where, f"refers to {reference!r}, outside this file, which is not fetched", _BUNDLE)
        try:
            found = resolve_pointer(self.root, unquote(reference[1:]))
        except JsonPointerException:
            what = f"refers to {reference!r}, and there is nothing of that name"
            raise self.error(where, f"{what}; only paths such as #/components/… are followed") from None
        # What a pointer calls the place behind the last item of a list is no value.
        return None if isinstance(found, EndOfList) else found

    def object_at(self, value: JsonValue, where: str) -> JsonObject:
        """`value`, or what it refers to, which must be an object.

        Raises:
            DataError: it is not, or refers to itself.
        """
        seen: set[str] = set()
        while isinstance(value, dict) and "$ref" in value:
            reference = str(value["$ref"])
            if reference in seen:
                raise self.error(where, f"refers to itself by {reference!r}")
            seen.add(reference)
            value = self.follow(value["$ref"], where)
        if not isinstance(value, dict):
            raise self.error(where, "is not an object")
        return value


MOST_VALUES = 500_000
"""Most values in one description, anchors written out: a few kilobytes of YAML can stand for gigabytes."""
_DEEPEST = MOST_LEVELS
# A key counts for YAML, and not for us.
_BOUNDS = YamlBounds(chars=MOST_BYTES, depth=_DEEPEST, values=2 * MOST_VALUES)
_MEND = "Mend the line"


def read_document(text: str, path: Path) -> Document:
    """Read the description in a text; `path` is for messages.

    Raises:
        DataError: it is not JSON or YAML, stands for more than can be kept, or is no OpenAPI 3.
    """
    document = Document(path, _parse(text, path))
    _check_version(document)
    return document


def _check_version(document: Document) -> None:
    if "swagger" in document.root:
        what = f"is a Swagger {document.root['swagger']} description; OpenAPI 3 is read"
        fix = "Convert it first, for example with `swagger2openapi` or the Swagger editor"
        raise DataError(document.path, what, fix)
    if "openapi" not in document.root:
        what = "has no field `openapi`, so it is no OpenAPI description"
        raise DataError(document.path, what, "Save other documents as Markdown (.md) or text (.txt)")
    if document.version not in ("3.0", "3.1", "3.2"):
        what = f"openapi: the version {document.root['openapi']!r} is not known"
        raise DataError(document.path, what, "Give a description in OpenAPI 3.0 or 3.1")


def _parse(text: str, path: Path) -> JsonObject:
    is_json = path.suffix.lower() == ".json" or text.lstrip().startswith("{")
    value = _json(text, path) if is_json else _yaml(text, path)
    if not isinstance(value, dict):
        raise DataError(path, "holds no object", "An OpenAPI description begins with `openapi: 3.1.0`")
    plain: JsonObject = _plain(value, path, count(1))
    return plain


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
    try:
        with composed(text, str(path), _loader(), _BOUNDS) as nodes:
            return None if nodes.root is None else nodes.loader.construct_document(nodes.root)
    except OversizedYaml:
        raise _too_much(path) from None
    except BadYaml as e:
        where = path if e.line is None else f"{path}, line {e.line}"
        raise DataError(where, f"is not YAML that can be read: {e.why}", _MEND) from None


def _plain(value: Any, path: Path, seen: Iterator[int], depth: int = 0) -> Any:
    """Copy of a value without shared parts, of as many values as may be kept; `seen` counts them."""
    if next(seen) > MOST_VALUES or depth > _DEEPEST:
        raise _too_much(path)
    if isinstance(value, dict):
        return {str(key): _plain(part, path, seen, depth + 1) for key, part in value.items()}
    if isinstance(value, list):
        return [_plain(part, path, seen, depth + 1) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        raise DataError(path, f"holds {value}, which JSON cannot say", "Use a finite number")
    if value is None or isinstance(value, str | bool | int | float):
        return value
    raise DataError(path, f"holds a {type(value).__name__}", "Use plain YAML values")


def _too_much(path: Path) -> DataError:
    what = f"stands for more than {MOST_VALUES:,} values, or nests deeper than {_DEEPEST}"
    return DataError(path, what, "Give only the operations that the job needs")


@cache
def _loader() -> type:
    import yaml

    base: Any = fast_loader()

    class _Loader(base):  # type: ignore[misc]
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

    _Loader.yaml_implicit_resolvers = {}
    for tag, pattern, first in (
        ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
        ("bool", r"true|True|TRUE|false|False|FALSE", list("tTfF")),
        ("int", r"[-+]?[0-9]+", list("-+0123456789")),
        ("float", r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?", list("-+.0123456789")),
        ("merge", r"<<", ["<"]),
    ):
        _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(rf"^(?:{pattern})$"), first)
    _Loader.add_constructor("tag:yaml.org,2002:int", whole)
    return _Loader
