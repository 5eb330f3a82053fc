"""JSON Schemas of somebody else: nothing is fetched for them, and no check takes longer than its bound.

A schema can name addresses, patterns that backtrack for minutes, and parts that refer to each other until the check
of one value takes years. Here references are followed within the schema alone, patterns are searched by an engine
without backtracking, items are compared once each, and every check has so many steps.
"""

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import islice
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import UnknownType, ValidationError, best_match
from jsonschema.validators import extend
from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]
from referencing import Registry
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012

from worktrial.language import JsonValue
from worktrial.outside.patterns import BadPattern, linear_search

MOST_STEPS = 200_000
"""Keywords that one check may look at, those of long lists and texts counted several times."""
MOST_MISFITS = 100
"""Misfits of one value that are told."""

_STEP = 1_000  # characters or items of a value that count as one more keyword
_SHORT = 20
_VALUES = frozenset({"const", "default", "enum", "example", "examples"})
"""Keywords that hold values, not schemas."""
_REFERENCES = ("$ref", "$dynamicRef")


class Uncheckable(ValueError):
    """A schema cannot say whether a value fits, through a fault of its own; the message says why."""


class SchemaCheck:
    """Validator of one schema of JSON Schema 2020-12."""

    def __init__(self, schema: JsonValue) -> None:
        """Take a schema, valid or not; see `schema_fault`."""
        schema = _without_dialects(schema)
        self._validator = _bounded()(schema, registry=_registry())
        self._fault = _evaluation_fault(schema)

    def accepts(self, value: JsonValue) -> bool:
        """Whether `value` fits.

        Raises:
            Uncheckable: a reference leads nowhere or round and round, a pattern is none, or it takes too long.
        """
        return not self.misfits(value, most=1)

    def misfits(
        self, value: JsonValue, *, part: JsonValue = None, most: int = MOST_MISFITS
    ) -> list[ValidationError]:
        """Misfits of `value`, the first so many.

        Args:
            value: The value.
            part: Part of the schema that it has to fit; None is the whole.
            most: Misfits to look for.

        Raises:
            Uncheckable: see `accepts`.
        """
        if self._fault is not None:
            raise Uncheckable(self._fault)
        validator = self._validator
        if part is not None:
            validator = validator.evolve(schema=_without_dialects(part))
        _steps.left = MOST_STEPS
        try:
            first = next(errors := validator.iter_errors(value), None)
            return [] if first is None else [first, *islice(errors, most - 1)]
        except Unresolvable as e:
            raise Uncheckable(f"refers to {e.ref!r}, and there is nothing of that name in it") from None
        except BadPattern as e:
            raise Uncheckable(f"the pattern {e}") from None
        except RecursionError:
            raise Uncheckable("refers to itself without end, or the value nests too deeply") from None
        # A schema that is none, such as `{"minimum": "x"}`, or a number beyond all bounds.
        except (UnknownType, TypeError, AttributeError, KeyError, ArithmeticError) as e:
            said = " ".join(str(e).split())[:200]
            raise Uncheckable(f"is no valid schema ({type(e).__name__}: {said})") from None

    def best(self, value: JsonValue, *, part: JsonValue = None) -> ValidationError | None:
        """Misfit that says most; None where `value` fits.

        Raises:
            Uncheckable: see `accepts`.
        """
        found: ValidationError | None = best_match(self.misfits(value, part=part))
        return found


def schema_fault(schema: JsonValue) -> str | None:
    """Why a schema cannot be used, as half a sentence; None where it can."""
    try:
        misfit = _metaschema().best(schema)
    except Uncheckable:
        return "is too large, or nests too deeply, to be checked"
    if misfit is not None:
        return f"is not valid JSON Schema 2020-12: {misfit.message[:500]}"
    for key, value in _keywords(schema):
        if key in _REFERENCES and isinstance(value, str) and not value.startswith("#"):
            named = {said for word, said in _keywords(schema) if word == "$id"}
            if not any(isinstance(said, str) and value.startswith(said) for said in named):
                return f"refers to {value[:200]!r}, outside of it, which is not fetched"
        patterns = [value] if key == "pattern" else value if key == "patternProperties" else ()
        for pattern in patterns if isinstance(patterns, list | dict) else ():
            try:
                if isinstance(pattern, str):
                    linear_search(pattern)
            except BadPattern as e:
                return f"has the pattern {e}"
    return _evaluation_fault(schema)


def _evaluation_fault(schema: JsonValue) -> str | None:
    """Fault of schemas with both keywords: the library searches their patterns by an engine that backtracks."""
    keys = {key for key, _ in _keywords(schema)}
    if {"patternProperties", "unevaluatedProperties"} <= keys:
        return "has patternProperties and unevaluatedProperties, which are not checked together"
    return None


def _keywords(schema: JsonValue) -> Iterator[tuple[str, Any]]:
    """Keys and their values wherever a schema may stand, those under names that nobody knows as well."""
    left = [schema]
    while left:
        part = left.pop()
        if isinstance(part, dict):
            yield from part.items()
            left += [value for key, value in part.items() if key not in _VALUES]
        elif isinstance(part, list):
            left += part


def _without_dialects(schema: Any) -> Any:
    """A schema without the names of dialects: for a part that has one, the library takes a validator of its own."""
    if not any(key == "$schema" for key, _ in _keywords(schema)):
        return schema
    if isinstance(schema, list):
        return [_without_dialects(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {key: value for key, value in schema.items() if key != "$schema" or not isinstance(value, str)}
    return {key: value if key in _VALUES else _without_dialects(value) for key, value in kept.items()}


class _Steps(threading.local):
    """Steps that are left of the check that is under way."""

    left = MOST_STEPS


_steps = _Steps()


@cache
def _registry() -> Registry[Any]:
    """The metaschema and its vocabularies, and nothing that is fetched."""
    known = [uri for uri in REGISTRY if uri.startswith("https://json-schema.org/draft/2020-12/")]
    return Registry().with_resources(
        (uri, DRAFT202012.create_resource(_without_dialects(REGISTRY[uri].contents))) for uri in known
    )


@cache
def _metaschema() -> SchemaCheck:
    return SchemaCheck(Draft202012Validator.META_SCHEMA)


@cache
def _bounded() -> Any:
    own = {
        "additionalProperties": _additional,
        "pattern": _pattern,
        "patternProperties": _pattern_properties,
        "properties": _properties,
        "required": _required,
        "type": _type,
        "uniqueItems": _unique,
    }
    checks = {**Draft202012Validator.VALIDATORS, **own}
    counted = {name: _counted(name, check) for name, check in checks.items()}
    return extend(Draft202012Validator, counted)  # type: ignore[no-untyped-call]


def _counted(name: str, check: Callable[..., Any]) -> Callable[..., Any]:
    # These compare every item with all others.
    squared = name in ("unevaluatedItems", "unevaluatedProperties")
    # To look a reference up takes as long as several keywords do.
    usual = 5 if name in _REFERENCES else 1

    def counted(validator: Any, value: Any, instance: Any, schema: Any) -> Any:
        taken = usual
        kind, of = type(instance), type(value)
        # Nearly all that comes by is short, and counts as one.
        if (kind is str or kind is list or kind is dict) and (size := len(instance)) > _SHORT:
            taken += (size * size if squared else size) // _STEP
        if (of is list or of is dict) and len(value) > _SHORT:
            taken += len(value) // 10
        _steps.left = left = _steps.left - taken
        if left < 0:
            raise Uncheckable(f"takes more than {MOST_STEPS:,} steps to check this value")
        return check(validator, value, instance, schema)

    return counted


def _pattern(validator: Any, pattern: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
    if isinstance(instance, str) and not linear_search(pattern)(instance):
        yield ValidationError(f"{instance!r} does not match {pattern!r}")


def _pattern_properties(validator: Any, patterns: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
    if isinstance(instance, dict):
        for pattern, inner in patterns.items():
            matches = linear_search(pattern)
            for name in filter(matches, instance):
                yield from validator.descend(instance[name], inner, path=name, schema_path=pattern)


_TYPES = {
    "array": (list,),
    "boolean": (bool,),
    "integer": (int,),
    "null": (type(None),),
    "number": (int, float),
    "object": (dict,),
    "string": (str,),
}
_SAYS_NOTHING = frozenset({"default", "description", "example", "examples", "title"})


def _type(validator: Any, types: Any, instance: Any, schema: Any) -> Iterable[ValidationError]:
    if type(types) is str and type(instance) in _TYPES.get(types, ()):
        return ()
    return Draft202012Validator.VALIDATORS["type"](validator, types, instance, schema)  # type: ignore[no-any-return]


def _required(validator: Any, names: Any, instance: Any, schema: Any) -> Iterable[ValidationError]:
    if type(instance) is dict and type(names) is list and all(name in instance for name in names):
        return ()
    return Draft202012Validator.VALIDATORS["required"](  # type: ignore[no-any-return]
        validator, names, instance, schema
    )


def _properties(validator: Any, properties: Any, instance: Any, schema: Any) -> Iterable[ValidationError]:
    if not isinstance(instance, dict):
        return ()
    doubtful = [
        name for name, inner in properties.items() if name in instance and not _plainly_fits(instance[name], inner)
    ]
    return _misfits_of(validator, properties, instance, doubtful) if doubtful else ()


def _misfits_of(validator: Any, properties: Any, instance: Any, names: Sequence[str]) -> Iterator[ValidationError]:
    for name in names:
        yield from validator.descend(instance[name], properties[name], path=name, schema_path=name)


def _plainly_fits(value: Any, schema: Any) -> bool:
    """Whether `value` fits by a look at its type and at a short list of texts, which most values do."""
    if type(schema) is not dict:
        return False
    for key, wanted in schema.items():
        if key == "type":
            if type(wanted) is not str or type(value) not in _TYPES.get(wanted, ()):
                return False
        elif key == "enum":
            if type(value) is not str or type(wanted) is not list or value not in wanted[:_SHORT]:
                return False
        elif key not in _SAYS_NOTHING:
            return False
    return True


def _additional(validator: Any, inner: Any, instance: Any, schema: Any) -> Iterable[ValidationError]:
    if not isinstance(instance, dict):
        return ()
    named = schema.get("properties", ())
    extra = [name for name in instance if name not in named]
    if extra and "patternProperties" in schema:
        searches = [linear_search(pattern) for pattern in schema["patternProperties"]]
        extra = [name for name in extra if not any(search(name) for search in searches)]
    return _misfits_beyond(validator, inner, instance, extra) if extra else ()


def _misfits_beyond(validator: Any, inner: Any, instance: Any, extra: Sequence[str]) -> Iterator[ValidationError]:
    if isinstance(inner, dict):
        for name in extra:
            yield from validator.descend(instance[name], inner, path=name)
    elif not inner:
        names = ", ".join(repr(name) for name in sorted(extra))
        said = "was" if len(extra) == 1 else "were"
        yield ValidationError(f"Additional properties are not allowed ({names} {said} unexpected)")


def _unique(validator: Any, wanted: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
    if wanted and isinstance(instance, list):
        seen = set()
        for item in instance:
            key = _comparable(item)
            if key in seen:
                yield ValidationError(f"{instance!r} has non-unique elements")
                return
            seen.add(key)


def _comparable(value: JsonValue) -> object:
    """`value` as something that is equal for equal JSON: 1 is 1.0, and not true."""
    if isinstance(value, bool):
        return "bool", value
    if isinstance(value, list):
        return "list", tuple(map(_comparable, value))
    if isinstance(value, dict):
        return "dict", frozenset((key, _comparable(inner)) for key, inner in value.items())
    return value
