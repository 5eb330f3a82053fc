"""Checks widened to two ends of a task that the rules both allow, as far as checks can say both."""

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

_REPORTED = ("amount", "date", "number", "ids")
MOST = 2
"""Times that the checks of one task are widened."""


class NotWidened(Exception):
    """No checks say both ends of a task; the message says which does not."""


def widened(
    draft: ComposedTask, task: ExecutableTask, author: End, solver: End, failed: Sequence[str]
) -> ComposedTask:
    """The task with checks that both ends pass.

    Values, lists of values and lines of the report may be either's, also in a record that only one of them changes.
    A record or an item that only one of them has, and a call that only one made, are more: no check says both.

    Args:
        draft: The task as it is composed.
        task: The same, ready to be worked on.
        author: End of the plan.
        solver: End of the second worker, which the rules allow too.
        failed: Checks that the second worker fails, in words.

    Raises:
        NotWidened: the ends differ in more, or the task has been widened too often.
    """
    if draft.widened >= MOST:
        raise NotWidened(f"its checks have been widened {MOST} times already")
    ends = [Facts(task.initial_state, end.state, reporting(end.report)) for end in (author, solver)]
    checks: list[JsonObject] = []
    cases: list[int] = []
    of = draft.case_of_check or [-1] * len(draft.checks)
    for given, check, case in zip(draft.checks, task.checks, of, strict=True):
        result = check.run(ends[1])
        chosen: list[JsonObject] | None = [given]
        if result.check in failed:
            ways = _wider(given, check, ends)
            chosen = next((way for way in ways if all(_passes(one, ends) for one in way)), None)
        if chosen is None:
            raise NotWidened(f"no check says both of: {result.check} (the other end: {result.why})")
        checks += chosen
        cases += [case] * len(chosen)
    return msgspec.structs.replace(draft, checks=checks, case_of_check=cases, widened=draft.widened + 1)


def _passes(check: JsonObject, ends: Sequence[Facts]) -> bool:
    (made,) = CHECKS.validate_python([check])
    return all(made.run(end).passed for end in ends)


def _wider(given: JsonObject, check: AnyCheck, ends: Sequence[Facts]) -> Iterator[list[JsonObject]]:
    """Checks in place of one that may hold at both ends, the closest first."""
    cited: Mapping[str, JsonValue] = {"clauses": given["clauses"]} if "clauses" in given else {}
    if isinstance(check, StateEquals | StateNumber | StateOneOf):
        found = [at(end.final_state, check.at) for end in ends]
        if all(map(_is_value, found)):
            known = list(check.values) if isinstance(check, StateOneOf) else [check.value]
            yield [{"check": "state_one_of", "at": check.at, "values": [*known, found[1]], **cited}]
    elif isinstance(check, OnlyChanged):
        allowed = (*check.at, *check.open)
        changed = changed_pointers(ends[1].initial_state, ends[1].final_state)
        stray = [place for place in changed if not any(under(place, one) for one in allowed)]
        places = list(dict.fromkeys(_whole(place, ends[1].final_state) for place in stray))
        values = [[at(end.final_state, place) for end in ends] for place in places]
        if all(_is_value(value) for pair in values for value in pair):
            # What may be changed is held to the two ends.
            either = [
                {"check": "state_one_of", "at": place, "values": pair, **cited}
                for place, pair in zip(places, values, strict=True)
            ]
            yield [*either, {**given, "open": [*given.get("open", []), *places]}]
    elif isinstance(check, ReportLine):
        asked = [name for name in _REPORTED if given.get(name) is not None]
        for line in handed_in(ends[1].trajectory) or ():
            if line["case"] in check.case:
                yield [{**given, "outcome": [*check.outcome, line["outcome"]]}]
                other = {name: line[name] for name in ("outcome", *asked) if line.get(name) is not None}
                yield [{**given, "others": [*given.get("others", []), other]}]
    elif isinstance(check, StateItems):
        if check.one_of:
            lists = [at(end.final_state, check.at) for end in ends]
            others = [one for found in lists if isinstance(found, list) for one in found if _is_scalar(one)]
            yield [{**given, "one_of": [*check.one_of, *(one for one in others if one not in check.one_of)]}]
        place = _added(check.at, ends)
        for name in check.matching:
            less = {**given, "matching": {key: value for key, value in check.matching.items() if key != name}}
            values = [at(end.final_state, f"{place}/{name}") for end in ends]
            held = place and all(map(_is_scalar, values))
            both = {"check": "state_one_of", "at": f"{place}/{name}", "values": values, **cited}
            yield [less, both] if held else [less]


def _added(pointer: str, ends: Sequence[Facts]) -> str:
    """Place of the one item that both ends have more than the beginning; "" where there is not just one."""
    before, *after = (at(state, pointer) for state in (ends[0].initial_state, *(end.final_state for end in ends)))
    if not isinstance(before, list) or not all(isinstance(found, list) for found in after):
        return ""
    return f"{pointer}/{len(before)}" if all(len(found) == len(before) + 1 for found in after) else ""


def _whole(place: str, state: JsonObject) -> str:
    """The list of values that a place is an item of, else the place itself."""
    parent = place.rpartition("/")[0]
    found = at(state, parent)
    return parent if isinstance(found, list) and _is_value(found) else place


def _is_value(found: JsonValue) -> bool:
    """Whether it is a value or a list of values, and no record."""
    return all(map(_is_scalar, found)) if isinstance(found, list) else _is_scalar(found)


def _is_scalar(found: JsonValue) -> bool:
    return found is not ABSENT and not isinstance(found, dict | list)
