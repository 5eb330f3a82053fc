"""Checks widened to two ends of a task that the rules both allow, where the ends differ in single values alone."""

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from worktrial.grading.check import Facts
from worktrial.grading.facts import ABSENT, at, changed_pointers, under
from worktrial.grading.report_checks import ReportLine
from worktrial.grading.state_checks import AnyCheck, OnlyChanged, StateEquals, StateItems, StateNumber, StateOneOf
from worktrial.language import JsonObject, JsonValue
from worktrial.suites.executable.tasks import ExecutableTask
from worktrial.synthesis.compose.composer import CHECKS, ComposedTask
from worktrial.synthesis.gates.report import reporting
from worktrial.synthesis.proving.truth import End
from worktrial.workplaces.executable.report_form import handed_in

MOST = 2
"""Times that the checks of one task are widened."""


def widened(
    draft: ComposedTask, task: ExecutableTask, author: End, solver: End, failed: Sequence[str]
) -> ComposedTask | None:
    """The task with checks that both ends pass; None where they differ in more than single values.

    A record or an item that only one of them has, a record that only one changes, a call that only one made, and
    a sum or a day that only one reports are more than values: no check says both. Of outcomes it does.

    Args:
        draft: The task as it is composed.
        task: The same, ready to be worked on.
        author: End of the plan.
        solver: End of the second worker, which the rules allow too.
        failed: Checks that the second worker fails, in words.
    """
    if draft.widened >= MOST:
        return None
    ends = [Facts(task.initial_state, end.state, reporting(end.report)) for end in (author, solver)]
    checks: list[JsonObject] = []
    for given, check in zip(draft.checks, task.checks, strict=True):
        if check.run(ends[1]).check not in failed:
            checks.append(given)
            continue
        wider = next((one for one in _wider(given, check, ends) if _passes(one, ends)), None)
        if wider is None:
            return None
        checks.append(wider)
    return msgspec.structs.replace(draft, checks=checks, widened=draft.widened + 1)


def _passes(check: JsonObject, ends: Sequence[Facts]) -> bool:
    (made,) = CHECKS.validate_python([check])
    return all(made.run(end).passed for end in ends)


def _wider(given: JsonObject, check: AnyCheck, ends: Sequence[Facts]) -> Iterator[JsonObject]:
    """Versions of a check that may hold at both ends, the closest first."""
    cited: Mapping[str, JsonValue] = {"clauses": given["clauses"]} if "clauses" in given else {}
    if isinstance(check, StateEquals | StateNumber | StateOneOf):
        found = [at(end.final_state, check.at) for end in ends]
        if all(_is_value(value) for value in found):
            known = list(check.values) if isinstance(check, StateOneOf) else [check.value]
            yield {"check": "state_one_of", "at": check.at, "values": [*known, found[1]], **cited}
    elif isinstance(check, OnlyChanged):
        allowed = (*check.at, *check.open)
        changed = changed_pointers(ends[1].initial_state, ends[1].final_state)
        stray = [place for place in changed if not any(under(place, one) for one in allowed)]
        records = {place.rpartition("/")[0] for place in check.at}
        beside = all(place.rpartition("/")[0] in records for place in stray)
        if beside and all(_is_value(at(end.final_state, place)) for place in stray for end in ends):
            yield {**given, "open": [*given.get("open", []), *stray]}
    elif isinstance(check, ReportLine):
        lines = handed_in(ends[1].trajectory) or ()
        codes = [line["outcome"] for line in lines if line["case"] in check.case]
        yield {**given, "outcome": [*check.outcome, *codes]}
    elif isinstance(check, StateItems):
        if check.one_of:
            lists = [at(end.final_state, check.at) for end in ends]
            others = [one for found in lists if isinstance(found, list) for one in found if _is_value(one)]
            yield {**given, "one_of": [*check.one_of, *(one for one in others if one not in check.one_of)]}
        for name in check.matching:
            yield {**given, "matching": {key: value for key, value in check.matching.items() if key != name}}


def _is_value(found: JsonValue) -> bool:
    return found is not ABSENT and not isinstance(found, dict | list)
