"""Policy for tool calls, as a user writes it in a file: rules that every call is held against, and a budget."""

import re
from collections.abc import Collection, Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, Protocol

import msgspec
from jsonpointer import JsonPointerException, resolve_pointer
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from worktrial.errors import DataError
from worktrial.language import JsonObject, JsonValue
from worktrial.outside.patterns import linear_search
from worktrial.outside.yaml_files import read_yaml

MOST_BYTES = 200_000
ANY_TOOL = "*"

_SHOWN = 60  # characters of a value in a sentence
_MISSING = object()


def _compiles(pattern: str) -> str:
    linear_search(pattern)
    return pattern


def _as_mapping(value: Any) -> Any:
    return {name: name for name in value} if isinstance(value, list) else value


Text = Annotated[str, Field(min_length=1, max_length=200)]
Pattern = Annotated[str, Field(max_length=500), AfterValidator(_compiles)]
Patterns = Annotated[dict[Text, Pattern], Field(max_length=20)]
"""Argument (a name, or a JSON Pointer) to the regular expression that is searched in its text."""


class Made(NamedTuple):
    """A call that was made and not refused."""

    tool: str
    arguments: JsonValue
    answer: JsonObject


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class _Rule(_Model):
    name: Text
    why: Annotated[str, Field(max_length=500)] = ""
    """Reason that the agent is told where the policy is enforced."""
    tool: Text
    """Tool that the rule is about; `*` is any."""

    def tools(self) -> tuple[str, ...]:
        """Tools that the rule names."""
        return () if self.tool == ANY_TOOL else (self.tool,)

    def is_about(self, tool: str) -> bool:
        return self.tool in (ANY_TOOL, tool)


class Forbid(_Rule):
    """A tool that must not be called, at all or with such arguments."""

    rule: Literal["forbid"]
    where: Patterns = {}
    """Arguments with which it is forbidden: all of them must match. Empty: with any."""

    def broken_by(self, arguments: JsonValue, made: Sequence[Made]) -> str | None:
        """Evidence that a call breaks the rule; None where it does not."""
        for path, pattern in self.where.items():
            if not _matches(_at(arguments, path), pattern):
                return None
        if not self.where:
            return "the tool is forbidden"
        return "; ".join(f"{path} is {_short(_at(arguments, path))}" for path in self.where)


class Require(_Rule):
    """Arguments that every call of a tool must have."""

    rule: Literal["require"]
    where: Annotated[Patterns, Field(min_length=1)]
    """Arguments that must be there and match."""

    def broken_by(self, arguments: JsonValue, made: Sequence[Made]) -> str | None:
        """Evidence that a call breaks the rule; None where it does not."""
        for path, pattern in self.where.items():
            found = _at(arguments, path)
            if found is _MISSING:
                return f"{path} is missing"
            if not _matches(found, pattern):
                return f"{path} is {_short(found)}, which does not match {pattern}"
        return None


class _After(_Rule):
    after: Text
    """Tool that must have been called before, and not in vain."""
    same: Annotated[dict[Text, Text], BeforeValidator(_as_mapping), Field(max_length=20)] = {}
    """Argument of this call to the argument of the earlier one that must have the same value; a list where both
    have the same names."""
    with_: Annotated[Patterns, Field(alias="with")] = {}
    """Arguments of the earlier call that must match."""
    answered: Patterns = {}
    """Fields of its answer that must match."""

    def tools(self) -> tuple[str, ...]:
        """Tools that the rule names."""
        return (*super().tools(), self.after)

    def _lacks(self, arguments: JsonValue, made: Sequence[Made]) -> str | None:
        if any(self._grants(arguments, call) for call in made):
            return None
        about = ", ".join(f"{name} {_short(_at(arguments, name))}" for name in self.same)
        return f"no {self.after}{f' for {about}' if about else ''} before it"

    def _grants(self, arguments: JsonValue, call: Made) -> bool:
        if call.tool != self.after:
            return False
        for mine, its in self.same.items():
            one, other = _at(arguments, mine), _at(call.arguments, its)
            if one is _MISSING or one != other:
                return False
        return all(_matches(_at(call.arguments, path), pattern) for path, pattern in self.with_.items()) and all(
            _matches(_at(call.answer, path), pattern) for path, pattern in self.answered.items()
        )


class Confirm(_After):
    """A tool that may be called only after another one."""

    rule: Literal["confirm"]

    def broken_by(self, arguments: JsonValue, made: Sequence[Made]) -> str | None:
        """Evidence that a call breaks the rule; None where it does not."""
        return self._lacks(arguments, made)


class FourEyes(_After):
    """A limit above which somebody else has to agree before."""

    rule: Literal["four_eyes"]
    argument: Text
    """Argument that holds the number."""
    above: float
    """Largest number for which nobody else is needed."""

    def broken_by(self, arguments: JsonValue, made: Sequence[Made]) -> str | None:
        """Evidence that a call breaks the rule; None where it does not."""
        value = _number(_at(arguments, self.argument))
        if value is None or value <= self.above:
            return None
        lacks = self._lacks(arguments, made)
        return lacks and f"{self.argument} is {value:g}, above {self.above:g}, with {lacks}"


Rule = Annotated[Forbid | Require | Confirm | FourEyes, Field(discriminator="rule")]


class TaskBudget(_Model):
    """Budget of a task, which is graded: work goes on beyond it, and has not kept to it."""

    tokens: Annotated[int, Field(ge=1)] | None = None
    """Tokens of the agent, in and out."""
    cost: Annotated[float, Field(gt=0)] | None = None
    """US dollars of the agent."""
    calls: Annotated[int, Field(ge=1)] | None = None
    """Calls of tools."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing is bounded."""
        return self.tokens is None and self.cost is None and self.calls is None


class Policy(_Model):
    """Rules for the calls of an agent, and a budget for each task."""

    name: Text
    mode: Literal["watch", "enforce"] = "watch"
    """watch: violations are recorded; enforce: such calls are refused, too."""
    rules: Annotated[tuple[Rule, ...], Field(max_length=200)] = ()
    budget: TaskBudget = TaskBudget()

    @model_validator(mode="after")
    def _says_something(self) -> "Policy":
        names = [rule.name for rule in self.rules]
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise ValueError(f"rules: the name {twice!r} is taken twice; give each rule its own")
        if not self.rules and self.budget.is_empty:
            raise ValueError("has neither a rule nor a budget; add one under rules or budget")
        return self

    @property
    def on_record(self) -> JsonObject:
        """Settings for the manifest: name and mode, and the SHA-256 of everything that the policy says."""
        said = msgspec.json.encode(self.model_dump(mode="json", by_alias=True), order="sorted")
        return {"policy": {"name": self.name, "mode": self.mode, "sha256": sha256(said).hexdigest()}}

    def broken_rules(
        self, tool: str, arguments: JsonValue, made: Sequence[Made]
    ) -> "Iterator[tuple[AnyRule, str]]":
        """Rules that a call breaks, each with its evidence.

        Args:
            tool: Tool that is called.
            arguments: Arguments as the agent gave them.
            made: Calls that were made before, and answered without an error.
        """
        for rule in self.rules:
            if rule.is_about(tool) and (evidence := rule.broken_by(arguments, made)) is not None:
                yield rule, evidence

    def strangers(self, tools: Collection[str]) -> list[str]:
        """Sentences on rules that name tools which are not in `tools`: they could never be kept, or broken."""
        return [
            f"rules[{index}] ({rule.name}): there is no tool {tool!r}"
            for index, rule in enumerate(self.rules)
            for tool in rule.tools()
            if tool not in tools
        ]


class AnyRule(Protocol):
    """A rule, as a session needs it."""

    name: str
    why: str
    rule: Any


def read_policy(path: Path) -> Policy:
    """The policy in a YAML file.

    Raises:
        DataError: it cannot be read, is too long, or a field cannot be used; names the field and the fix.
    """
    if path.is_file() and path.stat().st_size > MOST_BYTES:
        raise DataError(path, f"has more than {MOST_BYTES:,} bytes", "Split it, or shorten it")
    value = read_yaml(path)
    try:
        return Policy.model_validate(value)
    except ValidationError as e:
        said = "; ".join(f"{_place(error['loc'])}: {_said(error)}" for error in e.errors()[:5])
        raise DataError(path, said, "See the page *Duties and policies*") from None


def _said(error: Any) -> str:
    if error["type"] == "extra_forbidden":
        return "there is no such field; check its spelling, or leave it out"
    return str(error["msg"]).removeprefix("Value error, ")


def _place(location: tuple[int | str, ...]) -> str:
    # The kind of a rule stands in the place of a union; authors never wrote it there.
    kinds = ("forbid", "require", "confirm", "four_eyes")
    parts = [part for index, part in enumerate(location) if not (index == 2 and part in kinds)]
    path = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in parts)
    return path.lstrip(".") or "(the whole file)"


def _at(value: JsonValue, path: str) -> Any:
    """Value that a name, or a JSON Pointer, finds in arguments or in an answer; `_MISSING` where there is none."""
    if not path.startswith("/"):
        return value.get(path, _MISSING) if isinstance(value, dict) else _MISSING
    try:
        return resolve_pointer(value, path)
    except (JsonPointerException, TypeError):
        return _MISSING


def _matches(value: Any, pattern: str) -> bool:
    if value is _MISSING:
        return False
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    return linear_search(pattern)(text)


def _number(value: Any) -> float | None:
    """A number, written as one or as a text; None for anything else."""
    if isinstance(value, str) and re.fullmatch(r"\s*[-+]?[0-9][0-9,]{0,30}(\.[0-9]{1,30})?\s*", value):
        return float(value.replace(",", ""))
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _short(value: Any) -> str:
    if value is _MISSING:
        return "nothing"
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    return repr(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…")
