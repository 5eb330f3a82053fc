"""Reading a judge's reply, strictly."""

from dataclasses import dataclass

from worktrial.language import Completion, JsonObject, NotOneObject, one_object

# Feedback comes first, so that a model states its grounds before it decides.
SCHEMA: JsonObject = {
    "type": "object",
    "properties": {
        "feedback": {"type": "string", "maxLength": 1200},
        "is_correct": {"type": "boolean"},
    },
    "required": ["feedback", "is_correct"],
    "additionalProperties": False,
}


class Unreadable(ValueError):
    """The reply is no vote; the message tells the judge what to do better."""


@dataclass(frozen=True, slots=True)
class Ballot:
    """A judge's reply. Other keys are tolerated, other types are not: "false" and 0 are no booleans."""

    is_correct: bool
    feedback: str | None = None


def read_ballot(reply: Completion) -> Ballot:
    """The vote in `reply`.

    Raises:
        Unreadable: there is not exactly one JSON object, or it lacks a boolean `is_correct`.
    """
    import msgspec

    try:
        return msgspec.convert(one_object(reply.text), Ballot)
    except (NotOneObject, msgspec.ValidationError) as e:
        cut = "; it was cut off at the output limit, so be briefer" if reply.stop_reason == "length" else ""
        raise Unreadable(f"{e}{cut}") from e
