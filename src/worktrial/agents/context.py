"""Context of an agent that is a model: what of a long conversation is sent again, and what makes room."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import msgspec

from worktrial.language import Completion, JsonObject, JsonValue, Message
from worktrial.language.message import tool_spec
from worktrial.workplaces.trajectory import ContextUse, Trajectory

Keeping = Literal["keep", "trim", "summarise"]

# Bound where nobody knows what the model can hold.
USUAL_CONTEXT = 32_000
# Number of the rules below; runs under other rules do not compare.
CONTEXT_VERSION = 1

# Bytes of a token at least, as JSON in English or Korean has them; most tokenizers do with fewer tokens.
_TOKEN = 3
_PICTURE = 2_000  # tokens of a picture, of which its bytes tell nothing
# Shares of the bound: where dropping begins, where it waits no longer for notes, and what it leaves.
_NEAR, _FULL, _LEFT = 0.75, 0.875, 0.5
_NOTES = 0.125  # what one's own notes may take of it
_ARGUMENTS_SHOWN = 120  # characters

_REMINDER = (
    "This conversation nears its bound. After your next message the results of earlier calls are dropped. Write "
    "down with `{tool}` what of them you still need."
)
_ABOUT_NOTES = (
    "Keep notes for yourself. When this conversation grows long, the results of earlier calls are dropped, and "
    "your notes are shown again. `write` replaces all notes, `append` adds to them."
)


@dataclass(frozen=True, slots=True)
class ContextKeeping:
    """Rule by which a model's conversation is kept within what the model can hold."""

    keeping: Keeping = "keep"
    """`keep` everything; `trim`: drop the oldest results of tools behind a stub; `summarise`: as trim, with a tool
    for notes that stay."""
    tokens: int = USUAL_CONTEXT
    """Bound: tokens of the conversation and the next answer together."""
    given: int | None = None
    """Bound as the user gave it; None where it is what the model is known to hold."""

    @property
    def on_record(self) -> JsonObject:
        """Settings for the manifest; {} where everything is kept."""
        if self.keeping == "keep":
            return {}
        rule = {"keeping": self.keeping, "tokens": self.given, "version": CONTEXT_VERSION}
        return {"context": rule, "context_tokens": self.tokens}


@dataclass(slots=True)
class _Results:
    """Results of one message's calls, where they stand in the conversation."""

    first: int
    completion: Completion
    texts: Sequence[str]
    pictures: bool = False
    dropped: bool = False


class Conversation:
    """A conversation: whole on record, and as it is sent to the model.

    What is sent has a result for every call, assistant messages verbatim, and the same number and kinds of messages
    as the record; only the content of results is replaced. Bounds are counts of tokens: what the endpoint reported
    of the last request, and `_TOKEN` bytes a token for what came after.
    """

    def __init__(self, rule: ContextKeeping, trajectory: Trajectory, tools: Sequence[JsonObject]) -> None:
        self._rule = rule
        self._record = trajectory
        self._bound = rule.tokens
        self._sent: list[Message] = []
        self._results: list[_Results] = []
        self._reported = 0
        self._bytes = 0
        self._reminded = False
        self._notes = ""
        self.tools = list(tools)
        """Tools on offer: those of the workplace, and the one for notes."""
        self.notes_tool: str | None = None
        """Name of the tool for notes; None where there is none."""
        if rule.keeping == "keep":
            return
        trajectory.context = ContextUse()
        if rule.keeping == "summarise":
            self.notes_tool = _free_name([tool["function"]["name"] for tool in tools])
            self.tools.append(tool_spec(self.notes_tool, _ABOUT_NOTES, _NOTES_SCHEMA))
        self._bytes = sum(map(_size, self.tools))

    @property
    def sent(self) -> list[Message]:
        """Messages to send."""
        return self._record.messages if self._rule.keeping == "keep" else self._sent

    @property
    def tokens(self) -> int:
        """Tokens of what would be sent, from above."""
        return self._reported + -(-self._bytes // _TOKEN)

    def add(self, *messages: Message) -> None:
        """Put messages on record, and send them from now on."""
        self._record.messages += messages
        if self._rule.keeping != "keep":
            self._sent += messages
            self._bytes += sum(map(_size, messages))

    def hear(self, completion: Completion) -> None:
        """Put the model's message on record exactly as it came: providers hide reasoning in unknown fields."""
        self._record.words[len(self._record.messages)] = completion.text
        self.add(completion.message)
        if completion.usage.tokens:
            self._reported, self._bytes = completion.usage.tokens, 0

    def answer(self, completion: Completion, texts: Sequence[str], pictures: Message | None) -> None:
        """Tell the model what its calls returned.

        Args:
            completion: The message that made the calls.
            texts: The result of each, as JSON.
            pictures: A message with the pictures that they returned, if any.
        """
        self._results.append(_Results(len(self._record.messages), completion, texts, pictures is not None))
        self.add(*completion.answered(texts), *([] if pictures is None else [pictures]))

    def make_room(self) -> None:
        """Drop the oldest results, down to half the bound, where the conversation nears it.

        Who takes notes is reminded first, and has a message's time to write them.
        """
        if self._rule.keeping == "keep" or self.tokens < self._bound * _NEAR:
            return
        if self.notes_tool and not self._reminded and self._results:
            self._reminded = True
            self.add({"role": "user", "content": _REMINDER.format(tool=self.notes_tool)})
            if self.tokens < self._bound * _FULL:
                return
        self._drop(self._results[:-1], down_to=self._bound * _LEFT)

    def make_more_room(self) -> bool:
        """Drop all results but those of the last message, else these, too; the endpoint has refused the length.

        Returns:
            Whether anything was left to be dropped.
        """
        if self._record.context is None:
            return False
        self._record.context.overflows += 1
        # It holds less than was thought.
        self._bound = min(self._bound, self.tokens)
        return self._drop(self._results[:-1]) or self._drop(self._results[-1:])

    def write_note(self, arguments: JsonValue) -> JsonObject:
        """Carry out a call of the tool for notes; returns what the model sees."""
        given = arguments if isinstance(arguments, dict) else {}
        action, text = given.get("action"), given.get("text")
        if action not in ("write", "append") or not isinstance(text, str):
            message = f"{self.notes_tool}: action is write or append, and text is a text"
            return {"error": {"type": "invalid_arguments", "message": message}}
        notes = f"{self._notes}\n{text}" if action == "append" and self._notes else text
        size, most = len(notes.encode(errors="replace")), int(self._rule.tokens * _NOTES * _TOKEN)
        if size > most:
            message = f"Notes may have {most:,} bytes, and these would have {size:,}. Write shorter ones."
            return {"error": {"type": "too_long", "message": message}}
        self._notes = self._record.notes = notes
        if self._record.context is not None:
            self._record.context.notes += 1
        return {"bytes": size, "of": most}

    def _drop(self, candidates: Iterable[_Results], down_to: float = 0.0) -> bool:
        use, dropped = self._record.context, 0
        for results in candidates:
            if self.tokens <= down_to:
                break
            if not results.dropped:
                dropped += self._drop_one(results)
        if not dropped or use is None:
            return False
        use.trims += 1
        use.dropped += dropped
        self._reminded = False
        self._show_notes()
        return True

    def _drop_one(self, results: _Results) -> int:
        """Put stubs in place of what is longer than they are; return how many results are dropped."""
        results.dropped = True
        calls = results.completion.tool_calls
        stubs = [_stub(call) for call in calls]
        texts = [min(stub, text, key=len) for stub, text in zip(stubs, results.texts, strict=True)]
        messages = results.completion.answered(texts)
        if results.pictures:
            messages.append({"role": "user", "content": "(The pictures that these calls returned were dropped.)"})
        for place, message in enumerate(messages, results.first):
            self._replace(place, message)
        return sum(stub is text for stub, text in zip(stubs, texts, strict=True)) or int(results.pictures)

    def _show_notes(self) -> None:
        """Show the notes below the instruction, where no wire minds them."""
        place = next(i for i, message in enumerate(self._record.messages) if message["role"] == "user")
        instruction = self._record.messages[place]
        if self._notes:
            text, said = f"Your own notes so far:\n{self._notes}", instruction["content"]
            shown = f"{said}\n\n{text}" if isinstance(said, str) else [*said, {"type": "text", "text": text}]
            self._replace(place, {**instruction, "content": shown})

    def _replace(self, place: int, message: Message) -> None:
        self._bytes += _size(message) - _size(self._sent[place])
        self._sent[place] = message


_NOTES_SCHEMA: JsonObject = {
    "type": "object",
    "properties": {
        "action": {"type": "string", "enum": ["write", "append"]},
        "text": {"type": "string"},
    },
    "required": ["action", "text"],
    "additionalProperties": False,
}


def _free_name(taken: Sequence[str]) -> str:
    """Name of the tool for notes that no tool of the workplace has."""
    name = "notes"
    while name in taken:
        name = f"own_{name}"
    return name


def _stub(call: JsonObject) -> str:
    function = call.get("function")
    function = function if isinstance(function, dict) else {}
    given = function.get("arguments")
    arguments = given if isinstance(given, str) else msgspec.json.encode(given).decode()
    if len(arguments) > _ARGUMENTS_SHOWN:
        arguments = f"{arguments[:_ARGUMENTS_SHOWN]}…"
    said = f"The result of {function.get('name')}({arguments}) was dropped to make room. The call itself was made."
    return msgspec.json.encode({"dropped": said}).decode()


def _size(message: JsonObject) -> int:
    """Bytes of a message on the wire; of a picture, those of the tokens that it takes."""
    content = message.get("content")
    parts = content if isinstance(content, list) else []
    pictures = [part for part in parts if isinstance(part, dict) and part.get("type") == "image_url"]
    if not pictures:
        return len(msgspec.json.encode(message))
    rest = [part for part in parts if part not in pictures]
    return len(msgspec.json.encode({**message, "content": rest})) + _PICTURE * _TOKEN * len(pictures)
