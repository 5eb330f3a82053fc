"""A language model as the voice of people: it words what they say and reads what they are told. It decides nothing.

What cannot be read, or does not say what it must, leaves the standard wording and the structured form as they are,
and is counted.
"""

from pathlib import Path

import msgspec

from worktrial.language import Complete, JsonObject, JsonValue, NotOneObject, one_object
from worktrial.language.templates import templates
from worktrial.workplaces.people.mail import Message
from worktrial.workplaces.people.person import Person

_PROMPTS = Path(__file__).parent / "prompts"
_MOST_TEXT = 2_000
_LANGUAGES = {"en": "English", "ko": "Korean"}


class VoiceHealth(msgspec.Struct):
    """Counts of what a voice was asked, and of what could not be used."""

    worded: int = 0
    """Messages that it worded."""
    unworded: int = 0
    """Messages that kept their standard wording, because its own lost a fact or was none."""
    read: int = 0
    """Messages of the agent that it read."""
    unread: int = 0
    """Messages of the agent that it could not read."""


class Voice:
    """A model that lends people its words."""

    def __init__(self, complete: Complete, language: str) -> None:
        """Lend a voice.

        Args:
            complete: The model.
            language: `en` or `ko`.
        """
        self._complete = complete
        self._language = _LANGUAGES[language]
        self.health = VoiceHealth()

    async def word(self, person: Person, message: Message) -> str:
        """The message of `person` in words of their own; the standard wording where the model's loses a fact.

        Raises:
            InvalidSample: the model cannot be reached.
        """
        facts = [value for value in message.fields.values() if isinstance(value, str | int | float)]
        prompt = _render(
            "word", person=person, text=message.text, fields=", ".join(map(str, facts)), language=self._language
        )
        said = await self._ask(prompt, _object({"text": {"type": "string"}}))
        text = said.get("text")
        if (
            isinstance(text, str)
            and 0 < len(text.strip()) <= _MOST_TEXT
            and all(str(fact) in text for fact in facts)
        ):
            self.health.worded += 1
            return text.strip()
        self.health.unworded += 1
        return message.text

    async def read(self, person: Person, message: Message) -> JsonObject:
        """Fields that the agent's free text holds; {} where it holds none that `person` knows.

        Raises:
            InvalidSample: the model cannot be reached.
        """
        topics = sorted({*person.facts.get(message.about, {}), *person.refers})
        amounts = sorted(person.grants) if message.kind == "request" else []
        if not topics and not amounts:
            return {}
        prompt = _render("read", person=person, message=message, topics=topics, amounts=amounts)
        number: JsonObject = {"type": ["number", "null"]}
        schema = _object({"topic": {"enum": [*topics, None]}, **dict.fromkeys(amounts, number)})
        said = await self._ask(prompt, schema)
        found: dict[str, JsonValue] = {}
        if said.get("topic") in topics:
            found["topic"] = said["topic"]
        for name in amounts:
            value = said.get(name)
            if isinstance(value, int | float) and not isinstance(value, bool):
                found[name] = value
        if found:
            self.health.read += 1
        else:
            self.health.unread += 1
        return found

    async def _ask(self, prompt: str, schema: JsonObject) -> JsonObject:
        completion = await self._complete([{"role": "user", "content": prompt}], schema=schema)
        try:
            return one_object(completion.text)
        except NotOneObject:
            return {}


def _object(properties: JsonObject) -> JsonObject:
    return {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}


def _render(name: str, **values: object) -> str:
    return templates(_PROMPTS).get_template(f"{name}.j2").render(**values).strip()
