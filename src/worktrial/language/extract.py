"""Finding the JSON object in what a model wrote."""

import json

from worktrial.language.complete import JsonObject

_decoder = json.JSONDecoder()


class NotOneObject(ValueError):
    """The text does not hold exactly one JSON object; the message tells the model what to do better."""


def one_object(text: str) -> JsonObject:
    """The single JSON object in `text`: bare, in a code fence, in a tag, or with prose around it.

    What a model thinks aloud in a leading `<think>` block is not its reply, and often holds drafts of it.
    Two objects that say the same count as one; two that differ are ambiguous, never a choice of ours.

    Raises:
        NotOneObject: there is none, it is a list or a scalar, or there are several that differ.
    """
    stripped = _after_thinking(text.strip())
    if not stripped:
        raise NotOneObject("the reply is empty")
    try:
        value = json.loads(stripped)
    except (ValueError, RecursionError):
        pass
    else:
        if isinstance(value, dict):
            return value
        raise NotOneObject(f"the reply is a JSON {_kind(value)}, not a JSON object")
    found = list(_objects(stripped))
    if not found:
        raise NotOneObject("the reply holds no complete JSON object")
    if any(other != found[0] for other in found[1:]):
        raise NotOneObject(f"the reply holds {len(found)} different JSON objects")
    return found[0]


def _after_thinking(text: str) -> str:
    """The reply proper; "" when it broke off before the thinking ended."""
    return text.partition("</think>")[2].strip() if text.startswith("<think>") else text


def _objects(text: str) -> list[JsonObject]:
    """Outermost JSON objects in reading order; an object inside a top-level list does not count."""
    found: list[JsonObject] = []
    at = 0
    while at < len(text):
        if text[at] not in "{[":
            at += 1
            continue
        try:
            value, end = _decoder.raw_decode(text, at)
        except RecursionError as e:
            raise NotOneObject("the reply is nested too deeply") from e
        # Not only JSONDecodeError: a number of thousands of digits is refused by int().
        except ValueError:
            at += 1
            continue
        if isinstance(value, dict):
            found.append(value)
        at = end
    return found


def _kind(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int() | float():
            return "number"
        case str():
            return "string"
        case _:
            return "list"
