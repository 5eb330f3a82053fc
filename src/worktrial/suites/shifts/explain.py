"""A day as its author reads it: its matters in order, with what is right about each, what it is worth, and why."""

from collections.abc import Callable, Iterator, Mapping

from worktrial.language import JsonValue
from worktrial.suites.shifts.cases import Case
from worktrial.suites.shifts.trial import Shift
from worktrial.workplaces.executable.describe import encode
from worktrial.workplaces.kit.desk import Matter
from worktrial.workplaces.kit.right import DueStep, Tell

_ENVELOPE = ("sender", "about", "text", "fields")
"""Parts of a message that are told apart from the rest of what it says."""


def explained(shift: Shift) -> Iterator[str]:
    """Lines about a day.

    Raises:
        DataError: the day cannot be drawn, or a rule returns no right end.
    """
    start = shift.start()
    time, cases = start.time, shift.desk.cases(start)
    matters = {matter.slot: matter for matter in shift.desk.matters(start)}
    points = sum(case.reachable for case in cases)
    yield f"{shift.id}: {time.clock(0)} to {time.clock(time.ends)}, {len(cases)} matters, {points} points"
    for case in sorted(cases, key=lambda one: one.arrives):
        hard = [case.pattern, *(["grave"] if case.critical else []), *(["unasked"] if case.unasked else [])]
        yield ""
        yield f"{time.clock(case.arrives)} {case.id}: {case.title} ({', '.join(hard)})"
        for head, said in _about(case, matters[case.id], time.clock):
            yield f"  {head:<9}{said}"


def _about(case: Case, matter: Matter, at: Callable[[int], str]) -> Iterator[tuple[str, str]]:
    yield "request", _request(matter)
    if matter.looks:
        yield "reads", ", ".join(f"{look.collection} {look.id}" for look in matter.looks)
    for asked in matter.right.asks:
        yield "ask", f"{asked.person} about {asked.about}{_in_brackets(asked.fields)}"
    for step in matter.right.steps:
        yield "way" if step.without is not None else "right", _step(step, at)
    for fact in matter.right.standing:
        yield "stands", f"{fact.collection} {fact.id}: {_named({fact.field: fact.value})}"
    for due in matter.right.tell:
        yield "tell", _word(due, at)
    deeds = [*matter.right.steps, *matter.right.standing, *(due for due in matter.right.tell if due.deed)]
    if not deeds and not matter.right.report:
        yield "right", "nothing is done"
    if matter.right.as_it_went is not None:
        yield "or", "what others do meanwhile changes what is right"
    if matter.right.naive is not None:
        yield "believed", _step(matter.right.naive, at)
    for because in dict.fromkeys(part.because for part in case.parts):
        parts = [f"{part.name.replace('_', ' ')} {part.points}" for part in case.parts if part.because == because]
        yield "points", f"{', '.join(parts)}: {because}"
    early = f"not before {at(matter.earliest)}, " if matter.earliest > case.arrives else ""
    yield "times", f"{early}by {at(matter.right.by or 0)}"


def _request(matter: Matter) -> str:
    request = matter.request
    fields = request.fields.get("fields") or {}
    rest = {name: value for name, value in request.fields.items() if name not in _ENVELOPE and value}
    said = f"of {request.sender or 'nobody'} about {request.about}"
    said += _in_brackets({**rest, **(fields if isinstance(fields, Mapping) else {})})
    text = " ".join(str(request.fields.get("text", "")).split())
    return f"{said} “{text}”" if text else said


def _step(step: DueStep, at: Callable[[int], str]) -> str:
    said = f"{step.tool}({_named(step.arguments)})"
    said += f" from {at(step.earliest)}" if step.earliest else ""
    said += f", {step.wait} minutes after the step before" if step.wait else ""
    return said + (", or another end that is as good" if step.judge is not None else "")


def _word(due: Tell, at: Callable[[int], str]) -> str:
    said = f"{due.person}: {' or '.join(due.kinds)}{_in_brackets(due.fields)}"
    said += ", with figures as of sending" if due.figured is not None else ""
    return said + (f" by {at(due.by)}" if due.by is not None else "")


def _in_brackets(fields: Mapping[str, JsonValue]) -> str:
    return f" ({_named(fields)})" if fields else ""


def _named(fields: Mapping[str, JsonValue]) -> str:
    return ", ".join(f"{name}={encode(value).decode()}" for name, value in fields.items())
