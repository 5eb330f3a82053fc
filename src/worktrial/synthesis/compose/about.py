"""Records that a case is about, and what follows from them: whatever its decision may rest on."""

from collections.abc import Mapping, Sequence

from worktrial.grading.people import FREE_WORDS, people_in, records_in, texts_in
from worktrial.language import JsonObject, JsonValue
from worktrial.workplaces.executable.atoms import Situation
from worktrial.workplaces.values import scalars


def records_about(case: Situation, state: JsonObject) -> dict[str, JsonValue]:
    """Records that a case plants, works on or reads, those that these name, and those that name these; by id."""
    records = {id: record for _, id, record in records_in(state)}
    own = {part for place in case.records for part in place.split("/")} & records.keys()
    own |= {part for change in case.patch for part in str(change.get("path")).split("/")} & records.keys()
    own |= {one for step in case.steps for one in texts_in(step.get("with"))} & records.keys()
    named = {one for id in own for one in texts_in(records[id])} & records.keys()
    naming = {id for id, record in records.items() if not own.isdisjoint(texts_in(record))}
    return {id: records[id] for id in sorted(own | named | naming)}


def admitted(checks: Sequence[JsonObject], case: Situation, state: JsonObject) -> list[JsonObject]:
    """Checks of a case that let further records of it stand where one of several has to be named, and no other.

    What a decision rests on is a list of records, of which the clauses hardly ever say that it is this one and not
    that one: one that decides has to be there, and whatever else belongs to the case may stand beside it. A check
    that names one record alone means it, and stays as it is.

    Args:
        checks: Those of the case; a `state_items` whose `one_of` has several ids is such a list.
        case: What is planted and done.
        state: As it is before the work, without distractors.
    """
    known = {id for _, id, _ in records_in(state)}
    about = records_about(case, state)
    found: list[JsonObject] = []
    for check in checks:
        found.append(check)
        listed = check.get("one_of") or ()
        if check.get("check") == "state_items" and len(listed) > 1 and all(one in known for one in listed):
            beside = [*listed, *(id for id in about if id not in listed)]
            found.append(
                {"check": "state_items", "at": check["at"], "one_of": beside, "at_least": 0, "none_else": True}
            )
    return found


def numbers_of(records: Mapping[str, JsonValue]) -> list[float]:
    """Every number in records, once."""
    values = (value for record in records.values() for value in scalars(record))
    return sorted(
        {float(value) for value in values if isinstance(value, int | float) and not isinstance(value, bool)}
    )


def naming_nobody_else(cases: Sequence[Situation], state: JsonObject) -> list[JsonObject]:
    """The check that texts name nobody of other records, where the work writes some and records tell of several."""
    texts = (text for case in cases for step in case.steps for text in texts_in(step.get("with")))
    people: set[str] = set().union(*(people_in(record) for _, _, record in records_in(state)))
    is_needed = len(people) > 1 and any(len(text.split()) >= FREE_WORDS for text in texts)
    return [{"check": "names_nobody_else"}] if is_needed else []
