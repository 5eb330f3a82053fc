"""Facts of the end of a day: records, calls and messages, as right ends ask for them."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, get_args, get_type_hints

import msgspec

from worktrial.language import JsonObject, JsonValue
from worktrial.workplaces.desk import DeskState
from worktrial.workplaces.executable.describe import to_json
from worktrial.workplaces.kit.desk import Matter
from worktrial.workplaces.kit.right import DueStep, Right, Tell
from worktrial.workplaces.people import Message

_HALF_A_CENT = 0.005
_TIME_OF_DAY = re.compile(r"\d\d:\d\d")


def records_named(state: DeskState, step: DueStep) -> dict[tuple[str, str], JsonObject]:
    """Records that a step's arguments name, by collection and id: their fields, bookkeeping left out."""
    found = {}
    for collection, records in msgspec.structs.asdict(state).items():
        if not isinstance(records, dict):
            continue
        for value in step.arguments.values():
            record = records.get(value) if isinstance(value, str) else None
            if isinstance(record, msgspec.Struct):
                kept = _kept(type(record))
                found[collection, str(value)] = {name: to_json(getattr(record, name)) for name in kept}
    return found


@cache
def _kept(kind: type) -> list[str]:
    """Fields of a record's type on which a right end may depend."""
    hints = get_type_hints(kind, include_extras=True)
    return [name for name in kind.__struct_fields__ if not _is_bookkeeping(hints[name])]  # type: ignore[attr-defined]


def _is_bookkeeping(hint: Any) -> bool:
    metas = [one for one in get_args(hint) if isinstance(one, msgspec.Meta)]
    inside = [one for one in get_args(hint) if not isinstance(one, msgspec.Meta | str | int)]
    return any((meta.extra or {}).get("bookkeeping") for meta in metas) or any(map(_is_bookkeeping, inside))


def field(state: DeskState, collection: str, id: str, name: str) -> JsonValue:
    """A field of a record; None where the record is not there."""
    record = getattr(state, collection).get(id)
    return None if record is None else to_json(getattr(record, name))


def done_at(step: DueStep, end: DeskState) -> int | None:
    """Minute from which on a step's record stood as its last call left it: a call that says the same is none."""
    if step.tool == "send_message":
        fields = step.arguments.get("fields") or {}
        said = end.mail.told(str(step.arguments["to"]), str(step.arguments["about"]))
        return next((one.minute for one in said if not fields or one.fields.keys() & fields.keys()), None)
    key, value = next(iter(step.arguments.items()))
    calls = [call for call in end.acts(step.tool) if call.arguments.get(key) == value]
    minute = calls[-1].minute if calls else None
    for call in reversed(calls):
        if call.arguments != calls[-1].arguments:
            break
        minute = call.minute
    return minute


def handed_at(matter: Matter, end: DeskState) -> int | None:
    """Minute at which a matter was handed to whoever decides it, past the end where it was not; None if undue."""
    words = [words_to(one, matter, end) for one in matter.right.tell if one.deed]
    return max((said[0].minute if said else end.time.ends + 1 for said in words), default=None)


def left_by_ways(right: Right, minute: int, end: DeskState) -> float:
    """Share of an outcome that is left, by the calls that lead to it and were made up to a minute."""
    left = 1.0
    for step in right.steps:
        if step.without is None or step.without == 1:
            continue
        calls = [call for call in end.acts(step.tool) if call.arguments == step.arguments and call.minute <= minute]
        if not (calls if step.judge is None else step.judge(end)):
            left = min(left, step.without)
    return left


def is_told(due: Tell, matter: Matter, end: DeskState) -> bool:
    """Whether somebody was told of a matter as is due."""
    said = words_to(due, matter, end)
    return bool(said) and carries(said, due, end)


def words_to(due: Tell, matter: Matter, end: DeskState) -> list[Message]:
    """Messages by which somebody is told of a matter."""
    return [
        message
        for message in end.mail.sent
        if message.to == due.person and message.about in matter.references and message.kind in due.kinds
        if due.since <= message.minute and (due.by is None or message.minute <= due.by)
    ]


def carries(said: Sequence[Message], due: Tell, end: DeskState) -> bool:
    """Whether the last message that has any of the fields holds them all."""
    fields = due.carried(end.acts(), end.time.ends)
    if not fields:
        return True
    having = [message for message in said if message.fields.keys() & fields.keys()]
    return bool(having) and holds(having[-1], fields)


def holds(message: Message, fields: Mapping[str, JsonValue]) -> bool:
    """Whether a message has all these fields, with these values."""
    return all(_same(message.fields.get(name), value) for name, value in fields.items())


def _same(given: JsonValue, due: JsonValue) -> bool:
    if isinstance(due, bool) or not isinstance(due, int | float):
        said, wanted = str(given).strip().casefold(), str(due).casefold()
        # A time of day may carry its date.
        return said == wanted or (bool(_TIME_OF_DAY.fullmatch(wanted)) and said.endswith(f" {wanted}"))
    try:
        return abs(float(str(given).replace(",", "")) - due) < _HALF_A_CENT
    except ValueError:
        return False
