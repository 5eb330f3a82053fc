"""State that every desk has; a desk's own state adds its records."""

import msgspec

from worktrial.language import JsonObject, JsonValue
from worktrial.workplaces.people import Kind, Mail, Person
from worktrial.workplaces.time import Event, Timeline

MESSAGE = "message"
"""Kind of the event that brings a message."""


class Act(msgspec.Struct, frozen=True):
    """One call in the audit log."""

    minute: int
    """Minute at which it took effect."""
    tool: str
    arguments: JsonObject
    writes: bool
    refused: str | None = None
    """Code of the rule that forbade it; None where it was carried out."""

    def names(self, reference: str) -> bool:
        """Whether one of its arguments is, or in a list or an object holds, `reference`."""
        return reference in self.references

    @property
    def references(self) -> set[str]:
        """Texts among its arguments, those in a list or an object included."""
        found: set[str] = set()
        for value in self.arguments.values():
            inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else (value,)
            found.update(text for text in inside if isinstance(text, str))
        return found


class DeskState(msgspec.Struct, kw_only=True):
    """Clock, mail, people and audit log of one shift. All of it is data: a stored state can be judged again."""

    seed: str = ""
    """Name of the draw, from which everything that is still open is drawn; set by whoever draws."""
    time: Timeline
    mail: Mail = msgspec.field(default_factory=Mail)
    people: dict[str, Person]
    """Id to person."""
    figures: dict[str, JsonValue] = {}
    """The day's figures, which the handbook's papers are filled in with."""
    language: str = "en"
    log: list[Act] = []
    """Every call, in order."""

    def expect(
        self,
        due: int,
        sender: str,
        about: str,
        subject: str,
        text: str,
        kind: Kind = "request",
        fields: JsonObject | None = None,
    ) -> None:
        """Let a person write to the agent at a time to come.

        Args:
            due: Minutes since the shift began.
            sender: Id of the person.
            about: Reference that it concerns, as the sender gives it.
            subject: Heading of the message in lists.
            text: Its words.
            kind: Its purpose.
            fields: Its contents in structured form.
        """
        said = {"sender": sender, "kind": kind, "about": about, "subject": subject, "text": text}
        self.time.add(due, MESSAGE, **said, fields=fields or {})

    def expected(self) -> list[Event]:
        """Messages that are still to come, as events, in order."""
        return sorted(event for event in self.time.waiting if event.kind == MESSAGE)

    def acts(self, *tools: str, about: str | None = None) -> list[Act]:
        """Calls that were carried out.

        Args:
            tools: Only of these tools; none for all.
            about: Only those that name this reference.
        """
        return [
            act
            for act in self.log
            if act.refused is None and (not tools or act.tool in tools) and (about is None or act.names(about))
        ]
