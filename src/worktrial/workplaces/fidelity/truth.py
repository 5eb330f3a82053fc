"""The truth beside a simulator: true calls, answers and states compared with it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from worktrial.errors import InvalidReason
from worktrial.language import JsonObject, JsonValue
from worktrial.workplaces.conformance import SimulatorFailure
from worktrial.workplaces.fidelity.compare import Field, FieldStatus, compare
from worktrial.workplaces.session import Session
from worktrial.workplaces.signals import is_error
from worktrial.workplaces.simulator.json_text import json_text
from worktrial.workplaces.tools import Tool
from worktrial.workplaces.values import id_name, names, scalars

# A shorter text is a word or a code, which a simulator can be expected to get right.
_FREE_WORDS = 4
UNUSABLE = frozenset(
    {InvalidReason.SIMULATOR_FORMAT, InvalidReason.SIMULATOR_PATCH, InvalidReason.CONTEXT_OVERFLOW}
)
"""Reasons that a model's own reply is to blame for; an endpoint that is down says nothing about the simulator."""


class CallKind(StrEnum):
    """Kind of answer that a call asks of a simulator."""

    READ = "read"  # every value of the answer stands in the state or among the arguments
    COMPUTED = "computed"  # a read with values that follow from the state and stand nowhere in it
    WRITE = "write"
    ERROR = "error"  # the rules forbid the call


@dataclass(frozen=True, slots=True)
class TrueCall:
    """A call and what the workplace really answers."""

    tool: Tool
    arguments: JsonValue
    content: JsonObject
    before: JsonObject
    """The state when the call was made."""
    after: JsonObject

    @property
    def kind(self) -> CallKind:
        """Kind of answer that the call asks of a simulator."""
        if is_error(self.content):
            return CallKind.ERROR
        if self.tool.writes:
            return CallKind.WRITE
        known = [v for v in (*scalars(self.before), *scalars(self.arguments)) if _is_substance(v)]
        texts = {v for v in known if isinstance(v, str)} | names(self.before)
        numbers = {float(v) for v in known if not isinstance(v, str)}
        told = [v for v in scalars(self.content) if _is_substance(v)]
        stands = all(v in texts if isinstance(v, str) else float(v) in numbers for v in told)
        return CallKind.READ if stands else CallKind.COMPUTED

    def compare(self, simulated: JsonValue) -> list[Field]:
        """The fields of the true answer beside those of `simulated`; None is no answer at all.

        A text is free when it has four words or more and stands neither in the state nor in the arguments; an
        error's message always is.
        """
        known = json_text([self.before, self.after, self.arguments])

        def is_free(at: str, text: str) -> bool:
            if at.startswith("/error/") and at.endswith("/message"):
                return True
            return len(text.split()) >= _FREE_WORDS and json_text(text)[1:-1] not in known

        return compare(self.content, simulated, is_free)

    def failures(self, simulated: JsonValue, fields: list[Field]) -> set[SimulatorFailure]:
        """Kinds of failure that the comparison shows.

        Inventing an error, or another error than the true one, is rule invention; success where the rules
        forbid the call fabricates a state. Otherwise: a missing item is an omission, a wrong value or an extra
        item a fabrication, a missing or extra field of an object a break of format.
        """
        if not isinstance(simulated, dict):
            return {SimulatorFailure.FORMAT_BREAK}
        in_error = is_error(self.content)
        if is_error(simulated) and not in_error:
            return {SimulatorFailure.RULE_INVENTION}
        if in_error and not is_error(simulated):
            return {SimulatorFailure.STATE_FABRICATION}
        return {failure for field in fields if (failure := _failure(field, in_error=in_error))}


async def true_call(session: Session, tool: Tool, arguments: JsonValue) -> TrueCall:
    """Carry out one call in an executable workplace."""
    before = session.state or {}
    observation = await session.call(tool.name, arguments)
    return TrueCall(tool, arguments, observation.content, before, session.state or {})


@dataclass(frozen=True, slots=True)
class StateFidelity:
    """A simulator's state beside the true one, after a call."""

    differing: int
    """Fields that are wrong, missing or extra."""
    changed: int
    """Fields that the true state has changed, added or lost since the start."""
    kept: int
    """Changes among them that the simulator's state has made in the same way."""


def state_fidelity(initial: JsonObject, true: JsonObject, simulated: JsonObject) -> StateFidelity:
    """Drift of a simulator's state from the true one."""
    off, extra = _astray(compare(true, simulated))
    changed, lost = _astray(compare(true, initial))
    return StateFidelity(len(off) + len(extra), len(changed) + len(lost), len(changed - off) + len(lost - extra))


def _astray(fields: Iterable[Field]) -> tuple[set[str], set[str]]:
    """Pointers of the true fields that are not met, and of the other's fields that are too many."""
    fields = list(fields)
    unmet = {f.at for f in fields if f.status in (FieldStatus.WRONG, FieldStatus.MISSING)}
    return unmet, {f.at for f in fields if f.status is FieldStatus.EXTRA}


def _failure(field: Field, *, in_error: bool) -> SimulatorFailure | None:
    if field.status in (FieldStatus.EQUAL, FieldStatus.FREE):
        return None
    if field.status is FieldStatus.WRONG:
        return SimulatorFailure.RULE_INVENTION if in_error else SimulatorFailure.STATE_FABRICATION
    if field.in_record:
        return (
            SimulatorFailure.ENTITY_OMISSION
            if field.status is FieldStatus.MISSING
            else SimulatorFailure.STATE_FABRICATION
        )
    return SimulatorFailure.FORMAT_BREAK


def _is_substance(value: JsonValue) -> bool:
    return isinstance(value, int | float | str) and not isinstance(value, bool) and value != ""


def with_unknown_ids(arguments: JsonValue) -> Iterator[JsonObject]:
    """`arguments` with one id after the other replaced by one that nobody has."""
    given = arguments if isinstance(arguments, dict) else {}
    for name, value in given.items():
        if id_name(name) and isinstance(value, str) and value:
            yield {**given, name: f"{value}9"}
