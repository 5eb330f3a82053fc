"""Calls that are known to make sense, from expectations, examples and plans: others are made of them."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

from worktrial.errors import DataError
from worktrial.language import JsonObject, JsonValue
from worktrial.suites.executable.tasks import ExecutableTask
from worktrial.synthesis.gates.door import Door, Probe
from worktrial.synthesis.gates.expectations import Expectation, beginning
from worktrial.synthesis.gates.facts import of_same
from worktrial.synthesis.gates.work import Call, CarriedOut
from worktrial.workplaces.values import id_name, is_keyed_by_id, parts

MOST_OF_A_TOOL = 3
"""Known calls of one tool from which others are made; more of them would only repeat what is found."""


@dataclass(frozen=True, slots=True)
class KnownCall:
    """A call that succeeds, with what has to be done before it."""

    tool: str
    arguments: JsonObject
    state: JsonObject
    before: tuple[Call, ...] = ()

    def probe(self, calls: Iterable[Call] = ()) -> Probe:
        """Probe of what has to be done before, then of `calls`; of the call itself where none are given."""
        own = list(calls) or [(self.tool, self.arguments)]
        return Probe(self.state, [*self.before, *own])


def known_calls(
    door: Door,
    expectations: Sequence[Expectation] = (),
    starts: Mapping[str, JsonObject] = MappingProxyType({}),
    tasks: Sequence[ExecutableTask] = (),
    works: Sequence[CarriedOut] = (),
) -> list[KnownCall]:
    """Calls that are shown or expected to succeed or did so in a plan, each once.

    Args:
        door: The workplace.
        expectations: What is expected of calls.
        starts: Further initial states by name.
        tasks: Tasks in the workplace.
        works: What came of the plan of each.
    """
    found: dict[str, KnownCall] = {}
    default = door.artifact.initial_state

    def add(call: KnownCall, where: str) -> None:
        found.setdefault(f"{call.tool} {sorted(call.arguments.items(), key=str)} {where}", call)

    for tool, arguments in door.home.examples.items():
        add(KnownCall(tool, dict(arguments), default), "")
    for one in expectations:
        if one.expect == "ok":
            try:
                state = beginning(one, default, starts)
            except DataError:  # a finding of its own
                continue
            before = tuple((step.call, step.arguments) for step in one.before)
            add(KnownCall(one.call, dict(one.arguments), state, before), one.start or "")
    for task, work in zip(tasks, works, strict=True):
        earlier: list[Call] = []
        for (name, given), outcome in zip(work.calls, work.outcomes, strict=True):
            if outcome.error or not isinstance(given, dict):
                continue
            add(KnownCall(name, given, task.initial_state, tuple(earlier)), "")
            if outcome.changed:
                earlier.append((name, given))
    return list(found.values())


def few_of_each(calls: Sequence[KnownCall], most: int = MOST_OF_A_TOOL) -> list[KnownCall]:
    """The first few calls of each tool, those with most arguments before others."""
    by_tool: dict[str, list[KnownCall]] = defaultdict(list)
    for call in sorted(calls, key=lambda call: (-len(call.arguments), len(call.before))):
        by_tool[call.tool].append(call)
    return [call for tool in by_tool.values() for call in tool[:most]]


@of_same(64)
def records_of(state: JsonObject) -> "StateRecords":
    """Records of a state that nobody changes; those of the states that were looked at last are kept."""
    return StateRecords(state)


class StateRecords:
    """Ids of a state's records, grouped by the collection that holds them."""

    def __init__(self, state: JsonObject) -> None:
        self.groups: dict[str, list[str]] = {}
        for name, value in state.items():
            self._collect(f"/{name}", value)
        self._group_of: dict[str, str] = {}
        for group, ids in self.groups.items():
            for id in ids:
                self._group_of.setdefault(id, group)

    def _collect(self, place: str, value: JsonValue) -> None:
        if isinstance(value, dict):
            if is_keyed_by_id(value) or (value and all(isinstance(item, dict) for item in value.values())):
                self.groups.setdefault(place, []).extend(value)
                for item in value.values():
                    for key, inner in item.items():
                        self._collect(f"{place}/*/{key}", inner)
        elif isinstance(value, list):
            for item in value:
                if not isinstance(item, dict):
                    continue
                own = next((key for key in item if id_name(key) and isinstance(item[key], str)), None)
                if own is not None:
                    self.groups.setdefault(place, []).append(item[own])
                for key, inner in item.items():
                    self._collect(f"{place}/*/{key}", inner)

    @cached_property
    def ids(self) -> frozenset[str]:
        """Ids of all records."""
        return frozenset(self._group_of)

    def group_of(self, id: str) -> str:
        """Collection that holds a record; "" where none does."""
        return self._group_of.get(id, "")

    def neighbours(self, id: JsonValue) -> list[str]:
        """Other ids of the same collection, those that come after it first; none where it is no record's id."""
        if not isinstance(id, str) or id not in self._group_of:
            return []
        group = list(dict.fromkeys(self.groups[self._group_of[id]]))
        index = group.index(id)
        return group[index + 1 :] + group[:index]


def id_places(value: JsonValue, ids: Set[str], path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Paths within a call's arguments at which the id of a record stands."""
    if isinstance(value, str) and value in ids:
        yield path
    for key, item in parts(value):
        yield from id_places(item, ids, (*path, key))


def replaced(value: JsonValue, path: Sequence[str | int], new: JsonValue) -> JsonValue:
    """Copy of `value` with another value at a path."""
    if not path:
        return new
    first, *rest = path
    if isinstance(value, dict):
        return {key: replaced(item, rest, new) if key == first else item for key, item in value.items()}
    return [replaced(item, rest, new) if index == first else item for index, item in enumerate(value)]


def value_at(value: JsonValue, path: Sequence[str | int]) -> JsonValue:
    """Value at a path."""
    for part in path:
        value = value[part]
    return value
