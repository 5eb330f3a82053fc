"""Sums that letters of a task may name, and the words that say which of them is paid."""

from collections.abc import Iterable, Sequence

from pydantic import TypeAdapter

from worktrial.errors import DataError
from worktrial.grading.check import Facts
from worktrial.grading.state_checks import StateItems
from worktrial.grading.written.spelling import one_spelling
from worktrial.grading.written.sums import sums_in
from worktrial.language import JsonObject
from worktrial.synthesis.clauses.clause import Clause

_ITEMS: TypeAdapter[StateItems] = TypeAdapter(StateItems)


def amounts_of(clauses: Iterable[Clause]) -> list[float]:
    """Sums of money in the clauses that the agent can read, and numbers of theirs that count nothing else."""
    found: dict[float, None] = {}
    for clause in clauses:
        if not clause.private:
            found |= dict.fromkeys(float(value) for _, _, value in sums_in(one_spelling(clause.quote)))
            found |= dict.fromkeys(float(number.value) for number in clause.numbers if not number.unit)
    return sorted(found)


def with_sums(checks: Sequence[JsonObject], beside: Iterable[float], paying: Sequence[str]) -> list[JsonObject]:
    """Checks of sums that let letters name what they explain themselves with, and heed which sum is paid.

    Args:
        checks: Those of a case.
        beside: Sums of the procedure and of the records of the case.
        paying: Words that say of a sum that it is paid. Without any the checks stay as they are: whoever names
            another sum might say that this one is paid.

    Raises:
        DataError: what a check gives as `beside` are no sums.
    """
    known = set(beside)

    def wider(check: JsonObject) -> JsonObject:
        return {"paying": list(paying), **check, "beside": sorted({*_named(check), *known})}

    return [wider(check) if paying and check.get("stating") else check for check in checks]


def _named(check: JsonObject) -> list[float]:
    """Sums that a check lets letters name: a list, or lists by field as `stating` has them.

    Raises:
        DataError: they are something else.
    """
    given = check.get("beside", ())
    lists = list(given.values()) if isinstance(given, dict) else [given]
    try:
        return [float(one) for listed in lists for one in listed]
    except (TypeError, ValueError):
        what, fix = (
            f"a check has `beside` {given!r}, which are no sums",
            'Give a list of sums: `"beside": [250.08]`',
        )
        raise DataError("atoms.py", what, fix) from None


def told_otherwise(check: JsonObject, plan: Facts) -> JsonObject:
    """A check of sums that holds for the plan where its sums are not paid: due, but waiting for something.

    Args:
        check: As it is composed.
        plan: What the plan leaves.
    """
    if not check.get("paying") or "pending" in check:
        return check
    waiting = {**check, "pending": True}
    own, other = map(_ITEMS.validate_python, (check, waiting))
    return waiting if not own.run(plan).passed and other.run(plan).passed else check
