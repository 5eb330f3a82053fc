"""Reading a judge's reply, strictly."""

from typing import TypeVar

from worktrial.language import Completion, JsonObject, NotOneObject, one_object

Ballot = TypeVar("Ballot")


class Unreadable(ValueError):
    """The reply is no vote; the message tells the judge what to do better."""


def ballot_schema(grounds: str, decision: str, *, longest: int) -> JsonObject:
    """The JSON Schema of a ballot: a text of up to `longest` characters, then a yes or no.

    The grounds come first, so that a model states them before it decides.
    """
    return {
        "type": "object",
        "properties": {
            grounds: {"type": "string", "maxLength": longest},
            decision: {"type": "boolean"},
        },
        "required": [grounds, decision],
        "additionalProperties": False,
    }


def read_ballot(reply: Completion, kind: type[Ballot]) -> Ballot:
    """The vote in `reply`, as the dataclass `kind`.

    Other keys are tolerated, other types are not: "false" and 0 are no booleans.

    Raises:
        Unreadable: there is not exactly one JSON object, or it is no `kind`.
    """
    import msgspec

    try:
        return msgspec.convert(one_object(reply.text), kind)
    except (NotOneObject, msgspec.ValidationError) as e:
        cut = "; it was cut off at the output limit, so be briefer" if reply.stop_reason == "length" else ""
        raise Unreadable(f"{e}{cut}") from e
