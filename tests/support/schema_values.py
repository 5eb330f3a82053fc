"""Values that satisfy a JSON Schema, quickly and the same each time."""

import math
import re
import re._parser as sre_parser  # type: ignore[import-not-found]  # what `re` itself compiles with; the standard library has no public one
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

Schema = Mapping[str, Any]


class CannotFill(ValueError):
    """The schema uses something that this generator does not know, or nothing can satisfy it."""


_FORMATS = {
    "date": "2026-01-{:02}",
    "date-time": "2026-01-{:02}T09:00:00Z",
    "time": "09:{:02}:00Z",
    "email": "person{}@example.org",
    "uri": "https://example.org/{}",
    "uuid": "00000000-0000-4000-8000-{:012}",
}


def value_for(schema: Any, variant: int = 0) -> Any:
    """A value for `schema`: objects get their required properties only.

    Args:
        schema: A JSON Schema 2020-12; `not`, `contains` and conditions are not understood, of patterns simple ones.
        variant: Another number gives another value where the schema leaves room (enum, branch, text, number).

    Raises:
        CannotFill: no value is known that satisfies the schema.
    """
    return _value(schema, variant, schema if isinstance(schema, Mapping) else {})


def _value(schema: Any, variant: int, root: Schema) -> Any:
    if schema is True:
        return {}
    if schema is False:
        raise CannotFill("nothing satisfies the schema `false`")
    if "$ref" in schema:
        return _value(_resolve(schema["$ref"], root), variant, root)
    if "const" in schema:
        return schema["const"]
    if schema.get("enum"):
        return schema["enum"][variant % len(schema["enum"])]
    if "default" in schema:
        return schema["default"]
    for keyword in ("oneOf", "anyOf"):
        if schema.get(keyword):
            rest = {k: v for k, v in schema.items() if k != keyword}
            return _branch(rest, schema[keyword], variant, root)
    if schema.get("allOf"):
        whole: Any = {k: v for k, v in schema.items() if k != "allOf"}
        for part in schema["allOf"]:
            whole = merged(whole, _target(part, root))
        return _value(whole, variant, root)
    if "pattern" in schema:
        return _matching(schema["pattern"])
    match _type(schema):
        case "object":
            return _object(schema, variant, root)
        case "array":
            return _array(schema, variant, root)
        case "string":
            return _string(schema, variant)
        case "integer":
            return _number(schema, variant, whole=True)
        case "number":
            return _number(schema, variant, whole=False)
        case "boolean":
            return variant % 2 == 0
        case "null":
            return None
        case other:
            raise CannotFill(f"unknown type {other!r}")


def _branch(rest: Schema, branches: Sequence[Any], variant: int, root: Schema) -> Any:
    for n in range(len(branches)):
        branch = _target(branches[(variant + n) % len(branches)], root)
        try:
            return _value(merged(rest, branch), variant, root)
        except CannotFill:
            if n == len(branches) - 1:
                raise
    raise CannotFill("no branch is given")


def merged(one: Any, two: Any) -> Any:
    """Both schemas in one, as far as their properties and required names go; else the second wins."""
    if isinstance(two, bool):
        return one if two else False
    if one is False:
        return False
    both = {**one, **two}
    if "properties" in one and "properties" in two:
        both["properties"] = {**one["properties"], **two["properties"]}
    if "required" in one and "required" in two:
        both["required"] = [*one["required"], *(n for n in two["required"] if n not in one["required"])]
    return both


def _type(schema: Schema) -> str:
    kind = schema.get("type")
    if isinstance(kind, list):
        return next((k for k in kind if k != "null"), "null")
    if kind is not None:
        return str(kind)
    if "items" in schema or "prefixItems" in schema or "minItems" in schema:
        return "array"
    if "minimum" in schema or "maximum" in schema or "multipleOf" in schema:
        return "number"
    return "string" if "minLength" in schema or "maxLength" in schema else "object"


def _object(schema: Schema, variant: int, root: Schema) -> dict[str, Any]:
    properties = schema.get("properties", {})
    others = schema.get("additionalProperties", True)
    free = {"type": "string"} if others is True else others
    made = {name: _value(properties.get(name, free), variant, root) for name in schema.get("required", ())}
    for name in properties:
        if len(made) >= schema.get("minProperties", 0):
            break
        made.setdefault(name, _value(properties[name], variant, root))
    extra = 0
    while len(made) < schema.get("minProperties", 0):
        made[f"extra_{extra}"] = _value(free, variant, root)
        extra += 1
    return made


def _array(schema: Schema, variant: int, root: Schema) -> list[Any]:
    heads = schema.get("prefixItems", [])
    length = min(max(schema.get("minItems", 0), len(heads), 1), schema.get("maxItems", math.inf))
    rest = schema.get("items", True)
    if rest is False:
        length = min(length, len(heads))
    step = 1 if schema.get("uniqueItems") else 0
    return [_value(heads[i] if i < len(heads) else rest, variant + step * i, root) for i in range(int(length))]


def _string(schema: Schema, variant: int) -> str:
    shape = _FORMATS.get(schema.get("format", ""))
    if shape is not None:
        return shape.format(variant % 28 + 1)
    # The number comes first, so that a cut text still differs between variants.
    text = f"{variant} sample"
    return text.ljust(schema.get("minLength", 0), "x")[: schema.get("maxLength", None)]


def _number(schema: Schema, variant: int, *, whole: bool) -> float:
    step: float = schema.get("multipleOf", 1)
    low: float = schema.get("minimum", -math.inf)
    high: float = schema.get("maximum", math.inf)
    above: float = schema.get("exclusiveMinimum", -math.inf)
    below: float = schema.get("exclusiveMaximum", math.inf)

    def fits(n: float) -> bool:
        return bool(low <= n <= high and above < n < below)

    floor = max(low, above)
    ceiling = min(high, below)
    start = 1 if fits(1) else floor if floor > -math.inf else ceiling if ceiling < 1 else 1
    first = math.ceil(start / step) * step
    # A range closed on one side only by an exclusive or an upper limit may need a neighbour of its edge.
    starts = (first + variant % 5 * step, first, first + step, first - step)
    for n in starts:
        if fits(n) and (not whole or float(n).is_integer()):
            return int(n) if whole else n
    if not whole and "multipleOf" not in schema:
        for n in (floor, ceiling, (floor + ceiling) / 2):
            if fits(n):
                return n
    raise CannotFill(f"no number found for {dict(schema)}")


def _target(schema: Any, root: Schema) -> Any:
    return _resolve(schema["$ref"], root) if isinstance(schema, Mapping) and "$ref" in schema else schema


def _resolve(reference: str, root: Schema) -> Any:
    if not reference.startswith("#"):
        raise CannotFill(f"cannot follow the reference {reference!r} outside the schema")
    found: Any = root
    for part in reference.removeprefix("#").strip("/").split("/"):
        if part:
            found = found[part.replace("~1", "/").replace("~0", "~")]
    return found


def _matching(pattern: str) -> str:
    """Shortest text, in a way, that `pattern` matches."""
    try:
        made = "".join(_first(sre_parser.parse(pattern)))
    except (re.error, KeyError, IndexError) as e:
        raise CannotFill(f"cannot make text for the pattern {pattern!r}") from e
    if re.search(pattern, made) is None:
        raise CannotFill(f"cannot make text for the pattern {pattern!r}")
    return made


def _first(parts: Iterable[tuple[Any, Any]]) -> Iterator[str]:
    """First text of each part of a parsed pattern."""
    for kind, value in parts:
        match str(kind):
            case "LITERAL":
                yield chr(value)
            case "ANY":
                yield "a"
            case "RANGE":
                yield chr(value[0])
            case "CATEGORY":
                yield {"CATEGORY_DIGIT": "1", "CATEGORY_WORD": "a", "CATEGORY_SPACE": " "}[str(value)]
            case "IN":
                yield from _first(value[:1])
            case "MAX_REPEAT" | "MIN_REPEAT":
                yield from [*_first(value[2])] * value[0]
            case "SUBPATTERN":
                yield from _first(value[-1])
            case "BRANCH":
                yield from _first(value[1][0])
