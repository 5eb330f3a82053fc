"""Answers beside a truth whose wording nobody could know: rules leave open how an error is put."""

from dataclasses import replace

from worktrial.language import JsonValue
from worktrial.workplaces.conformance.context import is_error
from worktrial.workplaces.fidelity.compare import Field, FieldStatus
from worktrial.workplaces.fidelity.truth import Kind, TrueCall


def compare_worded(true: TrueCall, simulated: JsonValue, rules: str) -> list[Field]:
    """The fields of both answers, less what only wording can make different.

    What a write puts down in words of its own is as free in its answer as it is in the state. Two errors are the
    same but for codes that the rules name.

    Args:
        true: The call and its true answer.
        simulated: The other answer; None for none.
        rules: The text that lays down what errors there are.
    """
    fields = replace(true, after=true.before).compare(simulated)
    if true.kind is not Kind.ERROR or not is_error(simulated):
        return fields
    return [f for f in fields if f.status in (FieldStatus.EQUAL, FieldStatus.FREE) or _is_code(f.truth, rules)]


def _is_code(value: JsonValue, rules: str) -> bool:
    return isinstance(value, str) and bool(value) and " " not in value and value in rules
