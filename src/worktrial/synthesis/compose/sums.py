"""Sums that letters and reports of a task may name, and the words that say which of them is paid."""

import ast
from collections.abc import Iterable, Mapping, Sequence

from pydantic import TypeAdapter

from worktrial.grading.answer_checks import AnswerSums
from worktrial.grading.check import Facts
from worktrial.grading.state_checks import StateItems
from worktrial.grading.written.spelling import one_spelling
from worktrial.grading.written.sums import sums_in
from worktrial.language import JsonObject
from worktrial.synthesis.clauses.clause import Clause
from worktrial.workplaces.executable.source_rules import parsed

PAYING = "PAYING"
"""Name of the constant of a workplace's rules that holds its words of paying."""


def paying_words(sources: Mapping[str, str]) -> tuple[str, ...] | None:
    """Words of paying that a workplace's rules declare; None where none of its modules does.

    Args:
        sources: Python by file name.
    """
    for source in sources.values():
        for node in reversed(parsed(source).body):
            if isinstance(node, ast.Assign) and [getattr(one, "id", "") for one in node.targets] == [PAYING]:
                try:
                    given = ast.literal_eval(node.value)
                except ValueError:
                    return None
                return tuple(given) if _is_words(given) else None
    return None


def _is_words(given: object) -> bool:
    return isinstance(given, list | tuple) and all(isinstance(word, str) and word.strip() for word in given)


def amounts_of(clauses: Iterable[Clause]) -> list[float]:
    """Sums of money in the clauses that the agent can read, and numbers of theirs that count nothing else."""
    found: dict[float, None] = {}
    for clause in clauses:
        if not clause.private:
            found |= dict.fromkeys(float(value) for _, _, value in sums_in(one_spelling(clause.quote)))
            found |= dict.fromkeys(float(number.value) for number in clause.numbers if not number.unit)
    return sorted(found)


def with_sums(
    checks: Sequence[JsonObject],
    of: Sequence[int],
    own: Sequence[Sequence[float]],
    common: Sequence[float],
    paying: Sequence[str],
) -> list[JsonObject]:
    """Checks of sums that let prose name what it explains itself with, and heed which sum is said to be paid.

    Args:
        checks: Those of a task.
        of: Case of each.
        own: Sums of the records of each case.
        common: Sums of the procedure.
        paying: Words that say of a sum that it is paid. Without any the checks stay as they are: whoever names
            another sum might say that this one is paid.
    """
    if not paying:
        return list(checks)
    due = [[*map(float, check["values"])] for check in checks if check.get("check") == "answer_sums"]
    asked = [sum(values) for values in due if any(values)]
    total = {"total": round(sum(asked), 2)} if len(asked) > 1 else {}
    found = []
    for check, case in zip(checks, of, strict=True):
        if check.get("check") == "answer_sums":
            check = {**total, "paying": list(paying), **check, "beside": _wider(check, own[case], common)}
        elif check.get("stating"):
            check = {"paying": list(paying), **check, "beside": _wider(check, own[case], common)}
        found.append(check)
    return found


def told_otherwise(check: JsonObject, plan: Facts) -> JsonObject:
    """A check of sums that holds for the plan where its sums are not paid: due, but waiting for something.

    Args:
        check: As it is composed.
        plan: What the plan leaves and reports.
    """
    if not check.get("paying") or "pending" in check:
        return check
    waiting = {**check, "pending": True}
    own, other = (TypeAdapter(AnswerSums | StateItems).validate_python(one) for one in (check, waiting))
    return waiting if not own.run(plan).passed and other.run(plan).passed else check


def _wider(check: JsonObject, own: Sequence[float], common: Sequence[float]) -> list[float]:
    return sorted({*map(float, check.get("beside", ())), *own, *common})
