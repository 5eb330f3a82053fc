"""Argument schemas with values that fit them, for property tests, and a check that nothing is without an end."""

from typing import Any

from hypothesis import strategies as st

from worktrial.language import JsonObject

NAMES = st.text("abcdefghijklmnopqrstuvwxyz_", min_size=1, max_size=8)

Pair = tuple[JsonObject, Any]
"""A schema, and a value that it accepts."""

_TEXTS = st.text(max_size=30)
_SCALARS: st.SearchStrategy[Pair] = st.one_of(
    st.tuples(st.just({"type": "string"}), _TEXTS),
    st.tuples(st.just({"type": "string", "minLength": 2, "maxLength": 40}), st.text(min_size=2, max_size=40)),
    st.tuples(st.just({"type": "integer"}), st.integers(-(10**9), 10**9)),
    st.tuples(st.just({"type": "integer", "minimum": 0.5, "exclusiveMaximum": 9}), st.integers(1, 8)),
    st.tuples(st.just({"type": "number", "minimum": -1}), st.floats(-1, 1e6)),
    st.tuples(st.just({"type": "boolean", "default": True}), st.booleans()),
    st.tuples(st.just({"type": ["string", "null"], "description": "maybe"}), st.none() | _TEXTS),
    st.tuples(st.just({"enum": ["a", 2, None]}), st.sampled_from(["a", 2, None])),
    st.tuples(st.just({"const": "only"}), st.just("only")),
    st.tuples(st.just({"type": "string", "pattern": "^A-\\d+$"}), st.integers(0, 99).map(lambda n: f"A-{n}")),
    st.tuples(st.just({"type": "string", "format": "date"}), st.dates().map(str)),
    st.tuples(st.just({}), st.one_of(_TEXTS, st.booleans(), st.lists(st.integers(-9, 9), max_size=4))),
    st.tuples(st.just(True), st.none()),
    st.tuples(st.just({"type": "object"}), st.dictionaries(NAMES, _TEXTS, max_size=3)),
)


def _lists(inner: st.SearchStrategy[Pair]) -> st.SearchStrategy[Pair]:
    return st.tuples(inner, st.integers(0, 3)).map(
        lambda drawn: (
            {"type": "array", "items": drawn[0][0], "uniqueItems": False},
            [drawn[0][1]] * drawn[1],
        )
    )


def _objects(inner: st.SearchStrategy[Pair]) -> st.SearchStrategy[Pair]:
    fields = st.dictionaries(NAMES, st.tuples(inner, st.booleans()), max_size=4)
    return fields.map(
        lambda drawn: (
            {
                "type": "object",
                "properties": {name: pair[0] for name, (pair, _) in drawn.items()},
                "required": [name for name, (_, given) in drawn.items() if given],
            },
            {name: pair[1] for name, (pair, given) in drawn.items() if given},
        )
    )


def _branches(inner: st.SearchStrategy[Pair]) -> st.SearchStrategy[Pair]:
    return st.tuples(st.lists(inner, min_size=1, max_size=3), st.sampled_from(["anyOf", "allOf"])).map(
        lambda drawn: (
            ({"anyOf": [pair[0] for pair in drawn[0]]}, drawn[0][-1][1])
            if drawn[1] == "anyOf"
            else ({"allOf": [drawn[0][0][0]]}, drawn[0][0][1])
        )
    )


PAIRS = st.recursive(_SCALARS, lambda inner: _lists(inner) | _objects(inner) | _branches(inner), max_leaves=6)

PARAMETERS = _objects(PAIRS)
"""What a tool takes, and arguments for it."""


def endless(schema: Any, where: str = "#") -> list[str]:
    """Places in a simplified schema where a text or list has no limit, or an unknown keyword stands."""
    known = {"anyOf", "enum", "const", "type", "properties", "required", "additionalProperties"}
    known |= {"items", "minItems", "maxItems", "minLength", "maxLength", "format", "minimum", "maximum"}
    found = [f"{where}: {k}" for k in schema if k not in known]
    if schema.get("type") == "string" and not {"maxLength", "format"} & schema.keys():
        found.append(f"{where}: text without end")
    if schema.get("type") == "array" and "maxItems" not in schema:
        found.append(f"{where}: list without end")
    if not schema.keys() & {"type", "anyOf", "enum", "const"}:
        found.append(f"{where}: anything goes")
    inner = {**schema.get("properties", {}), **dict(enumerate(schema.get("anyOf", [])))}
    inner |= {k: schema[k] for k in ("items", "additionalProperties") if isinstance(schema.get(k), dict)}
    return found + [problem for name, s in inner.items() for problem in endless(s, f"{where}/{name}")]
