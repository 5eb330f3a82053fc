"""A workplace in one object: its records, its tools, and tasks whose right end is shown by doing them."""

import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cached_property, partial
from types import GenericAlias
from typing import Any, TypeVar, get_type_hints

import msgspec

from worktrial.errors import DataError
from worktrial.language import JsonObject
from worktrial.workplaces.executable.declare import Declaration, Function, ToolError, marked
from worktrial.workplaces.executable.describe import to_json
from worktrial.workplaces.executable.workplace import ExecutableWorkplace
from worktrial.workplaces.kit.recording import Do, Recording, record, where_is

F = TypeVar("F", bound=Function)
Shown = Callable[[Do], "Mapping[str, Any] | None"]
"""Function that does a task with `do`, and returns its report, if it asks for one."""

_CLOCK = "2026-01-05T09:00:00"
_NAME = re.compile(r"[^a-z0-9]+")
_NEAR = 5
_ALIKE = 0.5
"""Likeness from which on an id is named beside one that is not there: `P3` and `P2` have it."""


class Record(msgspec.Struct, forbid_unknown_fields=True):
    """Base of the records that a workplace keeps: typed fields, checked whenever a state is read."""


class Refused(ToolError):
    """What a tool raises where the rules forbid a call: the agent sees the reason, and nothing has changed."""

    def __init__(self, reason: str) -> None:
        """Give the reason, as the agent is told it."""
        super().__init__("refused", reason)


@dataclass(frozen=True, slots=True)
class TaskShown:
    """A task as its author shows it."""

    name: str
    wordings: tuple[str, ...]
    """Instructions that ask for the same."""
    shown: tuple[Shown, ...]
    """What is right; after the first, other ends that are right, too."""
    free: tuple[str, ...]
    """JSON Pointers of places that may end in any way; `*` stands for any key."""
    never: tuple[str, ...]
    """Names of tools that must not even be tried."""
    check: "Callable[[Any, Any, JsonObject], None] | None"
    """Function of the state before, the state after, and the report, with plain `assert`s."""
    begin: "Callable[[Any], None] | None"
    """Function that changes the first state before the task begins."""
    clauses: tuple[str, ...]

    @property
    def where(self) -> str:
        """File, line and name, for messages."""
        return where_is(self.shown[0])


@dataclass(frozen=True, slots=True)
class _Showing:
    """A task that was added, to which another right end can be added."""

    workplace: "Workplace"
    name: str

    def also(self, shown: Shown) -> Shown:
        """Show another end that is right, too."""
        tasks = self.workplace._tasks
        tasks[self.name] = replace(tasks[self.name], shown=(*tasks[self.name].shown, shown))
        return shown


class Workplace:
    """A workplace of your own, and the tasks in it. It is a suite wherever one can be named.

    Example:
        >>> shop = Workplace("parcel shop", parcels={"P1": Parcel(), "P2": Parcel()})
    """

    def __init__(
        self, title: str, /, *, rules: str = "", clock: str = _CLOCK, industry: str = "", **state: Any
    ) -> None:
        """Say what the workplace keeps.

        Args:
            title: Its name for people.
            rules: What every agent is told before its instruction.
            clock: Date and time at which tasks begin, ISO 8601.
            industry: Industry by which results can be grouped; "" for the title.
            **state: Collections and values by name, such as `parcels={"P1": Parcel()}`. A type in place of a value,
                such as `parcels=dict[str, Parcel]`, begins empty.

        Raises:
            DataError: a value has no type that a state can keep.
        """
        self.title = title
        self.name = _NAME.sub("-", title.casefold()).strip("-")
        self.rules = rules
        self.industry = industry or title
        self._where = _caller()
        if not self.name or not self.name[0].isalpha():
            raise DataError(self._where, f"title: {title!r} does not begin with a letter")
        self.state_type = _state_type({"clock": clock, **state}, self._where)
        self._tools: list[tuple[Function, bool]] = []
        self._tasks: dict[str, TaskShown] = {}

    def reads(self, function: F) -> F:
        """Mark a function as a tool that only looks; its first argument is the state."""
        return self._add(function, writes=False)

    def writes(self, function: F) -> F:
        """Mark a function as a tool that may change the state, which it does only where it raises nothing."""
        return self._add(function, writes=True)

    def task(
        self,
        *wordings: str,
        free: Sequence[str] = (),
        never: Sequence[Function] = (),
        check: Callable[[Any, Any, JsonObject], None] | None = None,
        begin: Callable[[Any], None] | None = None,
        clauses: Sequence[str] = (),
    ) -> "Callable[[Shown], _Showing]":
        """Add a task by a function that does it: its calls of `do` are right, and what it returns is the report.

        Args:
            *wordings: Instruction; several ask for the same in other words.
            free: JSON Pointers of places that may end in any way, such as `/parcels/*/note`.
            never: Tools that must not even be tried.
            check: Function of the state before, the state after and the report, where nothing else will do. A
                failed `assert` fails the work, with its message as the reason.
            begin: Function that changes the first state before the task begins.
            clauses: Ids of the clauses that decide it.

        Raises:
            DataError: there is no instruction, or another task of this name.
        """

        def adding(shown: Shown) -> _Showing:
            name = shown.__name__.strip("_").replace("_", "-").lower()
            where = where_is(shown)
            if not wordings or not all(isinstance(one, str) and one.strip() for one in wordings):
                raise DataError(where, "has no instruction", f'Write @{self.name}.task("…")')
            if name in self._tasks:
                raise DataError(where, f"the task {name} is there already", "Give the function another name")
            self._tasks[name] = TaskShown(
                name, wordings, (shown,), tuple(free), tuple(one.__name__ for one in never), check, begin,
                tuple(clauses),
            )  # fmt: skip
            return _Showing(self, name)

        return adding

    @property
    def tasks(self) -> Sequence[TaskShown]:
        """Tasks in the order in which they were added."""
        return list(self._tasks.values())

    @property
    def tools(self) -> "Sequence[tuple[Function, bool]]":
        """Tools as they were written, each with whether it may change the state."""
        return self._tools

    @property
    def where(self) -> str:
        """File and line in which it was made, for messages."""
        return self._where

    @cached_property
    def home(self) -> ExecutableWorkplace:
        """Tools as functions over the typed state, that of the report included.

        Raises:
            DataError: it has no tools, or one that cannot be described.
        """
        return self._home({})

    def _home(self, report: Mapping[str, Any]) -> ExecutableWorkplace:
        functions = [_tool(function, writes, self.state_type) for function, writes in self._tools]
        if report:
            functions.append(_report_tool(report, self.state_type))
        return ExecutableWorkplace.build(
            self.name, functions, system_prompt=self.rules or f"You work at the {self.title}.",
            initial_state=to_json(self.state_type()),
            state_description=_described(self.state_type), source=self._where,
        )  # fmt: skip

    def first_state(self, task: TaskShown) -> JsonObject:
        """State in which a task begins.

        Raises:
            DataError: its `begin` raises, or leaves what does not fit the state's type.
        """
        state = self.state_type()
        if task.begin is not None:
            try:
                task.begin(state)
                msgspec.convert(msgspec.to_builtins(state), self.state_type)
            except Exception as e:
                raise DataError(where_is(task.begin), f"{task.name}: {type(e).__name__}: {e}") from e
        first: JsonObject = to_json(state)
        return first

    def recordings(self) -> "tuple[ExecutableWorkplace, dict[str, list[Recording]]]":
        """Workplace with the tool of the report, where a task asks for one; and by task every right end as shown.

        Raises:
            DataError: what is shown cannot be done: a tool refuses it, an argument does not fit, or it raises.
        """
        if not self._tasks:
            raise DataError(self._where, "has no task", f'Write @{self.name}.task("…") above a function of `do`')
        found = {
            task.name: [record(self.home, self.first_state(task), shown) for shown in task.shown]
            for task in self.tasks
        }
        fields: dict[str, Any] = {}
        for task in self.tasks:
            for one in found[task.name]:
                for name, value in (one.report or {}).items():
                    kind = _kind_of(value)
                    if fields.setdefault(name, kind) != kind:
                        raise DataError(task.where, f"reports {name} as another kind of value than another task")
        return (self._home(fields) if fields else self.home), found

    def _add(self, function: F, *, writes: bool) -> F:
        if any(known.__name__ == function.__name__ for known, _ in self._tools):
            raise DataError(where_is(function), f"the tool {function.__name__} is there already")
        self._tools.append((function, writes))
        self.__dict__.pop("home", None)
        return function


def _caller() -> str:
    """File and line outside of this page from which it was called."""
    frame = inspect.currentframe()
    while frame is not None and frame.f_code.co_filename == __file__:
        frame = frame.f_back
    return "" if frame is None else f"{frame.f_code.co_filename}:{frame.f_lineno}"


def _state_type(given: Mapping[str, Any], where: str) -> Any:
    """Type of the state: its fields begin as they were given."""
    fields: list[Any] = []
    for name, value in given.items():
        is_type = isinstance(value, type | GenericAlias)
        kind = value if is_type else _type_of(value, f"{where}: {name}")
        make: Callable[[], Any] = value if is_type else partial(deepcopy, value)
        fields.append((name, kind, msgspec.field(default_factory=make)))
    try:
        return msgspec.defstruct("State", fields, kw_only=True, forbid_unknown_fields=True)
    except TypeError as e:
        raise DataError(where, str(e)) from e


def _described(state_type: Any) -> JsonObject:
    """Meaning of the state's fields for whoever plays the workplace: what each of them holds."""
    hints = get_type_hints(state_type)
    kinds = {name: getattr(hint, "__args__", (hint,))[-1] for name, hint in hints.items()}
    return {
        name: (inspect.getdoc(kind) if issubclass(kind, Record) else None) or getattr(kind, "__name__", str(kind))
        for name, kind in kinds.items()
    }


def _type_of(value: Any, where: str) -> Any:
    """Type of a value that a state begins with; of a collection, with the one type of what is in it.

    Raises:
        DataError: things of several types are in one collection, or nothing is.
    """
    inside = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else None
    if inside is None:
        return type(value)
    kinds = list(dict.fromkeys(_type_of(one, where) for one in inside))
    if not kinds:
        raise DataError(where, "is empty, so that nobody knows what it holds", "Write its type: dict[str, Parcel]")
    if len(kinds) > 1:
        names = ", ".join(getattr(kind, "__name__", str(kind)) for kind in kinds)
        raise DataError(where, f"holds things of several types ({names})", "Keep each in a collection of its own")
    return dict[str, kinds[0]] if isinstance(value, dict) else list[kinds[0]]  # type: ignore[valid-type]


def _kind_of(value: Any) -> Any:
    """Type of a reported value; whole numbers and others are one kind."""
    if isinstance(value, bool):
        return bool
    if isinstance(value, int | float):
        return float
    return list[str] if isinstance(value, list) else str


def _tool(function: Function, writes: bool, state_type: Any) -> Function:
    """The function as a tool over the state's type: what it raises for an id that is not there is a refusal."""
    where = where_is(function)
    signature = inspect.signature(function)
    if not signature.parameters:
        raise DataError(where, "takes no state", f"Write def {function.__name__}(state, …)")
    state, *_ = signature.parameters
    try:
        hints = {**get_type_hints(function, include_extras=True), state: state_type}
    except NameError as e:
        raise DataError(where, f"an annotation cannot be read: {e}", "Declare types at the top of the file") from e

    def called(given: Any, **arguments: Any) -> Any:
        try:
            shown = function(given, **arguments)
        except LookupError as e:
            missing = e.args[0] if isinstance(e, KeyError) and e.args else None
            if not isinstance(missing, str) or missing not in [*_texts(list(arguments.values()))]:
                raise
            raise ToolError("not_found", _not_found(given, missing)) from e
        return shown if isinstance(shown, dict | msgspec.Struct) else {"done": True} if shown is None else {
            "result": shown
        }  # fmt: skip

    called.__name__, called.__qualname__ = function.__name__, function.__qualname__
    called.__doc__, called.__module__ = function.__doc__, function.__module__
    called.__annotations__ = hints
    called.__signature__ = signature  # type: ignore[attr-defined]
    return marked(called, Declaration(writes, None, described=False))


def _texts(value: Any) -> Iterator[str]:
    """Texts anywhere in a call's arguments."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list | tuple):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _texts(one)


def _not_found(state: Any, missing: str) -> str:
    """Words for an id that is not there, with those of the state that are near."""
    known = [key for kept in msgspec.structs.asdict(state).values() if isinstance(kept, dict) for key in kept]
    near = get_close_matches(missing, known, n=_NEAR, cutoff=_ALIKE)
    return f"There is no {missing}." + (f" Near are: {', '.join(near)}." if near else "")


def _report_tool(fields: Mapping[str, Any], state_type: Any) -> Function:
    """Tool by which an agent reports; a later report replaces an earlier one."""

    def hand_in_report(state: Any, **said: Any) -> JsonObject:
        """Report the outcome when all work is done. A later report replaces an earlier one: send it whole."""
        return {"reported": True}

    names = {name: inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None) for name in fields}
    first = inspect.Parameter("state", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    hand_in_report.__signature__ = inspect.Signature([first, *names.values()])  # type: ignore[attr-defined]
    hand_in_report.__annotations__ = {"state": state_type, **{name: kind | None for name, kind in fields.items()}}
    return marked(hand_in_report, Declaration(False, None, described=False))
