"""The published score of one step of a domain agent."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from worktrial.language import JsonObject, JsonValue, Message
from worktrial.suites.orchestration.scoring.calls.published_calls import (
    Calls,
    Refusal,
    Undecidable,
    Unscorable,
    gold,
    predicted,
)
from worktrial.suites.orchestration.scoring.calls.published_values import ValueScore, compare, set_f1


class ConfusionCell(StrEnum):
    """Combinations of what a step was and what the agent made of it."""

    CALLED = "called"
    """Gold calls, and so does the agent; or it gives neither call nor tag."""
    REFUSED = "refused"
    """Gold refuses, and so does the agent, for whatever reason."""
    OVERACTED = "overacted"
    """Gold refuses, the agent calls, or gives neither call nor tag."""
    UNDERACTED = "underacted"
    """Gold calls, the agent refuses."""
    LOST_CALL = "lost_call"
    """Gold calls, and the request failed for good: no decision, and nothing right."""
    LOST_REFUSAL = "lost_refusal"
    """Gold refuses, and the request failed for good."""


@dataclass(frozen=True, slots=True)
class PublishedStepScore:
    """The published score of one step."""

    step: str
    cell: ConfusionCell | None
    """Null where the published program raises."""
    type_mismatch: bool = False
    """Both refuse, for different reasons."""
    name: float | None = None
    """F1 of the sets of tools called, 0-1; null unless both call. So are the next two."""
    key: float | None = None
    """F1 of the sets of argument names, pooled over all calls."""
    values: ValueScore | None = None
    """Null also where the published program cannot compare the values, for which `undecidable` says why."""
    undecidable: str | None = None
    error: str | None = None
    """The class of the exception that the published program raises on this step."""
    detail: str = ""
    """Trouble with the step, or why the request failed."""


def score_step(
    step: Message, label: Mapping[str, Message], schemas: Mapping[str, JsonObject]
) -> PublishedStepScore:
    """Score one answer of a domain agent.

    Args:
        step: the answer in the published layout (`step_id`, `content`, `tool_calls`), with a `trouble` of our own
            where the request failed for good.
        label: gold messages by step, calls of step N at `N-1`.
        schemas: `parameters` of the team's tools by name.
    """
    step_id = str(step["step_id"])
    try:
        wanted = gold(label, step_id)
        if step.get("trouble"):
            lost = ConfusionCell.LOST_REFUSAL if isinstance(wanted, Refusal) else ConfusionCell.LOST_CALL
            zero = None if lost is ConfusionCell.LOST_REFUSAL else 0.0
            return PublishedStepScore(step_id, lost, name=zero, key=zero, detail=str(step["trouble"]))
        given = predicted(step)
        if isinstance(given, Refusal):
            if isinstance(wanted, Refusal):
                return PublishedStepScore(step_id, ConfusionCell.REFUSED, type_mismatch=given.type != wanted.type)
            return PublishedStepScore(step_id, ConfusionCell.UNDERACTED)
        if isinstance(wanted, Refusal):
            return PublishedStepScore(step_id, ConfusionCell.OVERACTED)
        return _both_call(step_id, wanted, given, schemas)
    except Unscorable as error:
        return PublishedStepScore(step_id, None, error=error.kind, detail=str(error))


def _both_call(step_id: str, wanted: Calls, given: Calls, schemas: Mapping[str, JsonObject]) -> PublishedStepScore:
    # Without a call the one name is empty, which is what makes an empty gold list differ from it.
    name = set_f1(_names(wanted.names), _names(given.names or ("",)))
    key = set_f1(wanted.arguments.keys(), given.arguments.keys())
    try:
        values = compare(wanted, given, schemas, context=_asked(wanted))
    except Undecidable as error:
        return PublishedStepScore(step_id, ConfusionCell.CALLED, name=name, key=key, undecidable=str(error))
    return PublishedStepScore(step_id, ConfusionCell.CALLED, name=name, key=key, values=values)


def _names(names: tuple[JsonValue, ...]) -> frozenset[object]:
    try:
        return frozenset(tuple(name) if isinstance(name, list) else name for name in names)
    except TypeError as error:
        raise Unscorable("TypeError", f"a tool's name is no text: {names!r:.40}") from error


def _asked(wanted: Calls) -> str:
    queries = wanted.arguments.get("refinedQuery", [])
    return " ".join(q for q in queries if isinstance(q, str)) if isinstance(queries, list) else ""
