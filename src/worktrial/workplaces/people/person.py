"""A counterpart: what a directory says of them, and what only they know."""

import msgspec

from worktrial.language import JsonObject, JsonValue
from worktrial.workplaces.people.mail import Kind


class Fact(msgspec.Struct, kw_only=True):
    """Something that a person holds for true, rightly or not."""

    value: JsonValue
    text: str = ""
    """Their words for it; "" has the standard ones."""


class Person(msgspec.Struct, kw_only=True):
    """A counterpart as a state machine. The first five fields are public; the rest shows in how they answer."""

    id: str
    name: str
    role: str
    hours: str = ""
    """Times at which they can be reached, as the directory writes them."""
    decides: str = ""
    """Authority, as the directory writes it."""

    delay: tuple[int, int] = (5, 15)
    """Fewest and most minutes until they answer."""
    patience: int = 3
    """Questions about one matter after which they stop answering and complain to `superior`."""
    superior: str | None = None
    arrives: int = 0
    """Minute from which on they answer; what came earlier waits."""
    leaves: int | None = None
    """Minute from which on they do not answer any more."""
    facts: dict[str, dict[str, Fact]] = {}
    """Reference to topic to fact."""
    forgets: list[str] = []
    """References about which they do not answer until they are reminded."""
    refers: dict[str, str] = {}
    """Topic to the id of the person who knows it."""
    grants: dict[str, float] = {}
    """Name of a request's amount to the most that they may grant."""
    asked: dict[str, int] = {}
    """Reference to number of messages that wanted an answer."""

    @property
    def public(self) -> JsonObject:
        """Entry in the directory."""
        return {"id": self.id, "name": self.name, "role": self.role, "hours": self.hours, "decides": self.decides}


class Response(msgspec.Struct, kw_only=True):
    """Answer of a person, before it is delivered."""

    kind: Kind
    text: str
    fields: JsonObject = {}
