"""Fidelity: a simulator's answers and states beside the true ones, field by field.

A field is a scalar, or an empty object or list. The rules, all meant to be fair to the simulator:

- Objects are compared key by key.
- Lists of objects are matched by a field that identifies each true item (an id first, then a name, then
  whatever is unique). Other lists are matched by their longest common part. So one missing item is one
  omission, not a list of wrong ones, and order does not count.
- Numbers are equal by value (`5` and `5.0`), texts but for spaces, times but for `:00` seconds.
- A free text, which the truth composes and nobody could know word for word, has only to be there.
- What stands in the place of a value of another kind (a text for an object) is extra, and the value missing.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from difflib import SequenceMatcher
from enum import StrEnum
from math import isclose

from worktrial.audits.observations import SimulatorFailure
from worktrial.errors import InvalidReason
from worktrial.language import JsonObject, JsonValue
from worktrial.workplaces.session import Session
from worktrial.workplaces.signals import is_error
from worktrial.workplaces.simulator.json_text import canonical_text, json_text
from worktrial.workplaces.tools import Tool
from worktrial.workplaces.values import below, id_name, is_keyed_by_id, leaves, names, scalars

IsFree = Callable[[str, str], bool]
"""Whether the true text at this pointer is free."""


class FieldStatus(StrEnum):
    """Outcome of comparing one field."""

    EQUAL = "equal"
    FREE = "free"
    WRONG = "wrong"
    MISSING = "missing"
    EXTRA = "extra"


@dataclass(frozen=True, slots=True)
class Field:
    """One field of the truth, or one that the truth does not have."""

    at: str
    """JSON Pointer into the truth; into the other answer where the field is extra."""
    status: FieldStatus
    truth: JsonValue = None
    simulated: JsonValue = None
    in_record: bool = False
    """Whether a whole item of a list, or a whole record, is missing or extra."""


def never_free(at: str, text: str) -> bool:
    """No text is free."""
    return False


def compare(truth: JsonValue, simulated: JsonValue, is_free: IsFree = never_free) -> list[Field]:
    """Every field of either answer once."""
    return list(_fields(truth, simulated, "", is_free))


def _fields(truth: JsonValue, simulated: JsonValue, at: str, is_free: IsFree) -> Iterator[Field]:
    if isinstance(truth, dict) and isinstance(simulated, dict) and (truth or simulated):
        yield from _object_fields(truth, simulated, at, is_free)
    elif isinstance(truth, list) and isinstance(simulated, list) and (truth or simulated):
        yield from _list_fields(truth, simulated, at, is_free)
    elif isinstance(truth, dict | list) or isinstance(simulated, dict | list):
        if type(truth) is type(simulated):
            yield Field(at, FieldStatus.EQUAL, truth, simulated)
        else:
            yield from _missing(truth, at)
            if simulated is not None:
                yield from _extra(simulated, at)
    elif isinstance(truth, str) and is_free(at, truth):
        told = isinstance(simulated, str) and bool(simulated.strip())
        yield Field(at, FieldStatus.FREE if told else FieldStatus.WRONG, truth, simulated)
    else:
        yield Field(at, FieldStatus.EQUAL if same(truth, simulated) else FieldStatus.WRONG, truth, simulated)


def _object_fields(truth: JsonObject, simulated: JsonObject, at: str, is_free: IsFree) -> Iterator[Field]:
    records = is_keyed_by_id(truth)
    for key, value in truth.items():
        if key in simulated:
            yield from _fields(value, simulated[key], below(at, key), is_free)
        else:
            yield from _missing(value, below(at, key), in_record=records)
    for key, value in simulated.items():
        if key not in truth:
            yield from _extra(value, below(at, key), in_record=records)


def _list_fields(truth: list[JsonValue], simulated: list[JsonValue], at: str, is_free: IsFree) -> Iterator[Field]:
    pairs = _pairs_by_key(truth, simulated) or _pairs_by_content(truth, simulated)
    for i, j in pairs:
        if j is None and i is not None:
            yield from _missing(truth[i], below(at, i), in_record=True)
        elif i is None and j is not None:
            yield from _extra(simulated[j], below(at, j), in_record=True)
        elif i is not None and j is not None:
            yield from _fields(truth[i], simulated[j], below(at, i), is_free)


_Pairs = list[tuple[int | None, int | None]]


def _pairs_by_key(truth: list[JsonValue], simulated: list[JsonValue]) -> _Pairs | None:
    """Items that belong together by an identifying field; None when there is no such field."""
    name = _identifying(truth)
    if name is None or not all(isinstance(item, dict) for item in simulated):
        return None
    where = {str(item[name]): i for i, item in enumerate(truth)}
    partner: dict[int, int] = {}
    stray: list[int] = []
    for j, item in enumerate(simulated):
        i = where.get(str(item.get(name)))
        if i is None or i in partner:
            stray.append(j)
        else:
            partner[i] = j
    if not partner:
        return None
    return [*((i, partner.get(i)) for i in range(len(truth))), *((None, j) for j in stray)]


def _identifying(items: list[JsonValue]) -> str | None:
    if not items or not all(isinstance(item, dict) for item in items):
        return None
    shared: list[str] = [name for name in items[0] if all(isinstance(item.get(name), str | int) for item in items)]
    for name in sorted(shared, key=lambda name: (not id_name(name), name != "name")):
        if len({str(item[name]) for item in items}) == len(items):
            return name
    return None


def _pairs_by_content(truth: list[JsonValue], simulated: list[JsonValue]) -> _Pairs:
    one, other = [canonical_text(item) for item in truth], [canonical_text(item) for item in simulated]
    pairs: _Pairs = []
    for tag, i1, i2, j1, j2 in SequenceMatcher(a=one, b=other, autojunk=False).get_opcodes():
        both = i2 - i1 if tag == "equal" else min(i2 - i1, j2 - j1)
        pairs += [(i1 + n, j1 + n) for n in range(both)]
        pairs += [(i, None) for i in range(i1 + both, i2)]
        pairs += [(None, j) for j in range(j1 + both, j2)]
    return pairs


def _missing(value: JsonValue, at: str, *, in_record: bool = False) -> Iterator[Field]:
    for pointer, leaf in leaves(value, at):
        yield Field(pointer, FieldStatus.MISSING, leaf, None, in_record)


def _extra(value: JsonValue, at: str, *, in_record: bool = False) -> Iterator[Field]:
    for pointer, leaf in leaves(value, at):
        yield Field(pointer, FieldStatus.EXTRA, None, leaf, in_record)


def same(truth: JsonValue, simulated: JsonValue) -> bool:
    """Whether two scalars say the same."""
    if isinstance(truth, bool) or isinstance(simulated, bool):
        return truth is simulated
    if isinstance(truth, int | float) and isinstance(simulated, int | float):
        return isclose(truth, simulated, rel_tol=1e-9, abs_tol=1e-12)
    if isinstance(truth, str) and isinstance(simulated, str):
        return " ".join(truth.split()) == " ".join(simulated.split()) or _same_time(truth, simulated)
    return type(truth) is type(simulated) and bool(truth == simulated)


def _same_time(truth: str, simulated: str) -> bool:
    if len(truth) < len("2026-01-15T09:00") or not truth[:4].isdigit():
        return False
    try:
        return datetime.fromisoformat(truth) == datetime.fromisoformat(simulated)
    except ValueError:
        return False


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
