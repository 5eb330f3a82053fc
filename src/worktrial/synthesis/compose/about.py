"""Records that a case is about, and what follows from them: whatever its decision may rest on."""

from collections.abc import Iterator, Mapping, Sequence

from worktrial.language import JsonObject, JsonValue
from worktrial.workplaces.conformance.values import ids, scalars
from worktrial.workplaces.executable.atoms import Situation


def records_about(case: Situation, state: JsonObject) -> dict[str, JsonValue]:
    """Records that a case plants, works on or reads, those that these name, and those that name these; by id."""
    records = {id: record for _, id, record in _records(state)}
    own = {part for place in case.records for part in place.split("/")} & records.keys()
    own |= {part for change in case.patch for part in str(change.get("path")).split("/")} & records.keys()
    own |= {one for step in case.steps for one in texts_in(step.get("with"))} & records.keys()
    named = {one for id in own for one in texts_in(records[id])} & records.keys()
    naming = {id for id, record in records.items() if not own.isdisjoint(texts_in(record))}
    return {id: records[id] for id in sorted(own | named | naming)}


def admitted(checks: Sequence[JsonObject], case: Situation, state: JsonObject) -> list[JsonObject]:
    """Checks of a case that admit every record of it where one of several has to be named, and no other record.

    What a decision rests on is a list of records, of which the clauses hardly ever say that it is this one and not
    that one. A check that names one record alone means it, and stays as it is.

    Args:
        checks: Those of the case; a `state_items` whose `one_of` has several ids is such a list.
        case: What is planted and done.
        state: As it is before the work, without distractors.
    """
    group = {id: name for name, id, _ in _records(state)}
    about = records_about(case, state)
    found = []
    for check in checks:
        listed = check.get("one_of") or ()
        if check.get("check") == "state_items" and len(listed) > 1 and all(one in group for one in listed):
            groups = {group[one] for one in listed}
            more = [id for id in about if group[id] in groups and id not in listed]
            check = {**check, "one_of": [*listed, *more], "none_else": True}
        found.append(check)
    return found


def texts_in(value: JsonValue) -> set[str]:
    """Every text at any depth of a value."""
    return {one for one in scalars(value) if isinstance(one, str)}


def numbers_of(records: Mapping[str, JsonValue]) -> list[float]:
    """Every number in records, once."""
    values = (value for record in records.values() for value in scalars(record))
    return sorted(
        {float(value) for value in values if isinstance(value, int | float) and not isinstance(value, bool)}
    )


def _records(state: JsonObject) -> Iterator[tuple[str, str, JsonValue]]:
    """Records of a state: the collection that holds it, id, content."""
    for name, part in state.items():
        if isinstance(part, dict):
            yield from ((name, id, record) for id, record in part.items() if isinstance(record, dict))
        elif isinstance(part, list):
            for record in part:
                own = next((id for _, id in ids(record)), None) if isinstance(record, dict) else None
                if own is not None:
                    yield name, own, record
