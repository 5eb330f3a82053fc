"""Tools as Python functions: how authors mark them, and the schema read from signature and docstring."""

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple, TypeVar, get_type_hints

import msgspec

from worktrial.errors import DataError
from worktrial.language import JsonObject, JsonValue

Function = Callable[..., Any]
F = TypeVar("F", bound=Function)

_MARK = "__worktrial_tool__"
_CLAUSES = "__worktrial_clauses__"


class ToolError(Exception):
    """The workplace's rules forbid this call; the agent sees the reason and the state stays as it was."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message

    @property
    def observation(self) -> JsonObject:
        """Observation that the agent sees."""
        return {"error": {"type": self.code, "message": self.message}}


@dataclass(frozen=True, slots=True)
class Declaration:
    """Declaration of a function as a tool, by `@reads` or `@writes`."""

    writes: bool
    example: Mapping[str, JsonValue] | None
    """Arguments of a call that succeeds in the initial state; its result is the tool's example output. None for a
    tool that shows none."""
    described: bool = True
    """Whether every argument has to be described in the docstring."""


def reads(**example: JsonValue) -> Callable[[F], F]:
    """Mark a function as a tool that only looks.

    Args:
        example: Arguments of a call that succeeds in the initial state.
    """
    return _marker(Declaration(writes=False, example=example))


def writes(**example: JsonValue) -> Callable[[F], F]:
    """Mark a function as a tool that may change the state, which it does on success only.

    Args:
        example: Arguments of a call that succeeds in the initial state.
    """
    return _marker(Declaration(writes=True, example=example))


def cites(*clauses: str) -> Callable[[F], F]:
    """Name the clauses of the organisation's papers that a function carries out: a tool, a rule, a draw.

    Args:
        clauses: Their ids, such as `C-07`.
    """

    def citing(function: F) -> F:
        # Once more under another id adds to those before: decorators are read from the bottom.
        function.__dict__[_CLAUSES] = (*clauses, *cited(function))
        return function

    return citing


def cited(function: Function) -> tuple[str, ...]:
    """Ids of the clauses that `function` cites, in the order in which it names them."""
    found: tuple[str, ...] = getattr(function, _CLAUSES, ())
    return found


def declaration(function: Function) -> Declaration | None:
    """Declaration that the function was marked with; None when it is no tool."""
    found = getattr(function, _MARK, None)
    return found if isinstance(found, Declaration) else None


def marked(function: F, declared: Declaration) -> F:
    """`function` as a tool, so declared."""
    function.__dict__[_MARK] = declared
    return function


def _marker(declared: Declaration) -> Callable[[F], F]:
    return lambda function: marked(function, declared)


_SECTION = re.compile(r"^(Args|Returns|Raises|Notes?|Examples?):\s*$")
_ARGUMENT = re.compile(r"^ {4}(\w+):\s*(.*)$")


class Doc(NamedTuple):
    """The parts of a Google-style docstring that a model needs."""

    summary: str
    """The text before the first section, line breaks folded."""
    arguments: dict[str, str]


class Signature(NamedTuple):
    """Parameters of a tool function."""

    state_type: Any
    """The annotation of its first parameter."""
    arguments: type[msgspec.Struct]
    """The other parameters as a record that checks and converts what the agent sent."""
    parameters: JsonObject
    """The same as JSON Schema 2020-12, without references."""


def read_doc(function: Callable[..., Any]) -> Doc:
    """The description of a tool and of its arguments, from the function's docstring."""
    summary: list[str] = []
    arguments: dict[str, str] = {}
    section = last = ""
    for line in (inspect.getdoc(function) or "").splitlines():
        if heading := _SECTION.match(line):
            section = heading[1]
        elif not section:
            summary.append(line.strip())
        elif section == "Args":
            if found := _ARGUMENT.match(line):
                last = found[1]
                arguments[last] = found[2].strip()
            elif last and line.strip():
                arguments[last] = f"{arguments[last]} {line.strip()}".strip()
    return Doc(" ".join(" ".join(summary).split()), arguments)


def read_signature(function: Callable[..., Any], where: str, *, described: bool = True) -> Signature:
    """The state type, argument record and argument schema of a tool function.

    Args:
        function: Takes the state first, then keyword arguments; every parameter is annotated.
        where: Names the function in messages.
        described: Whether every argument has to be described under `Args:` in the docstring.

    Raises:
        DataError: an annotation or a description is missing, or a type has no JSON form.
    """
    try:
        hints = get_type_hints(function, include_extras=True)
    except NameError as e:
        fix = "Declare types at the top of the module, not inside a function"
        raise DataError(where, f"an annotation cannot be read: {e}", fix) from e
    state, *given = inspect.signature(function).parameters.values()
    descriptions = read_doc(function).arguments
    for parameter in (state, *given):
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise DataError(where, f"takes *{parameter.name}", "A tool names each of its arguments.")
        if parameter.name not in hints:
            raise DataError(where, f"the parameter {parameter.name!r} has no type annotation")
    names = [parameter.name for parameter in given]
    if described and (missing := [name for name in names if not descriptions.get(name)]):
        raise DataError(where, f"no description of {', '.join(missing)} under Args: in the docstring")
    if extra := sorted(set(descriptions) - set(names)):
        raise DataError(where, f"the docstring describes {', '.join(extra)}, which the function does not take")
    arguments = msgspec.defstruct(
        f"{function.__name__}_arguments",
        [_field(parameter, hints[parameter.name], descriptions.get(parameter.name)) for parameter in given],
        kw_only=True,
        forbid_unknown_fields=True,
    )
    try:
        parameters = _flat_schema(arguments)
    except TypeError as e:
        raise DataError(where, f"an argument's type has no JSON form ({e})") from e
    # msgspec lets a type it does not know pass when there is a description: "anything" to a model.
    if vague := [
        name for name, part in parameters["properties"].items() if not part.keys() & {"type", "anyOf", "enum"}
    ]:
        raise DataError(where, f"the type of {', '.join(vague)} has no JSON form")
    return Signature(hints[state.name], arguments, parameters)


def refuse_lost_defaults(state_type: Any, where: str) -> None:
    """Refuse a state whose fields would vanish where they are left out.

    msgspec leaves a plain dataclass's defaults to the class, so that the state as JSON lacks them.

    Raises:
        DataError: it is, or holds, a plain dataclass with a default.
    """
    seen: set[int] = set()
    waiting: list[Any] = [msgspec.inspect.type_info(state_type)]
    while waiting:
        part = waiting.pop()
        if isinstance(part, tuple):
            waiting += part
        if not isinstance(part, msgspec.inspect.Type | msgspec.inspect.Field) or id(part) in seen:
            continue
        # Types may hold themselves.
        seen.add(id(part))
        waiting += (getattr(part, name) for name in part.__struct_fields__)
        if isinstance(part, msgspec.inspect.DataclassType) and part.cls.__dictoffset__:
            lost = [field.name for field in part.fields if field.default is not msgspec.NODEFAULT]
            if lost:
                what = f"the state's type {part.cls.__qualname__} would lose the default of {', '.join(lost)}"
                raise DataError(where, what, "Make it a msgspec.Struct, or write @dataclass(slots=True)")


def _field(parameter: inspect.Parameter, hint: Any, description: str | None) -> Any:
    annotated = Annotated[hint, msgspec.Meta(description=description)] if description else hint
    if parameter.default is parameter.empty:
        return (parameter.name, annotated)
    return (parameter.name, annotated, parameter.default)


def _flat_schema(arguments: type[msgspec.Struct]) -> JsonObject:
    (top,), components = msgspec.json.schema_components([arguments], ref_template="{name}")

    def resolve(schema: JsonValue) -> JsonValue:
        if isinstance(schema, list):
            return [resolve(item) for item in schema]
        if not isinstance(schema, dict):
            return schema
        if "$ref" in schema:
            target = {key: value for key, value in components[schema["$ref"]].items() if key != "title"}
            rest = {key: value for key, value in schema.items() if key != "$ref"}
            return resolve(target | rest)
        return {key: resolve(value) for key, value in schema.items()}

    flat: JsonObject = resolve(top)
    return flat
