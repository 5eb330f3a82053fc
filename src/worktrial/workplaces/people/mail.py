"""Messages between an agent and people, and the promises made in them."""

from typing import Literal

import msgspec

from worktrial.language import JsonObject

Kind = Literal["ask", "tell", "request", "approve", "refuse", "escalate", "remind", "promise"]
"""Purpose of a message: to want to know, to let know, to want something done, to grant, to decline, to hand to who
decides, to ask again, to give one's word."""

AGENT = "desk"
"""Address of the agent in its own mail."""


class Message(msgspec.Struct, kw_only=True):
    """One message, sent or received."""

    id: str
    minute: int
    """Minutes since the shift began at which it was delivered."""
    sender: str
    """Id of a person, or `desk` for the agent."""
    to: str
    kind: Kind
    about: str
    """Reference that it concerns, such as the number of a record; "" for none."""
    subject: str = ""
    text: str = ""
    fields: JsonObject = {}
    """Contents in structured form."""
    answers: str | None = None
    """Id of the message that it answers."""
    read: int | None = None
    """Minute at which the agent opened it; None if it never did."""


class Promise(msgspec.Struct, kw_only=True):
    """Word given to a person that something will be said by a time."""

    to: str
    about: str
    made: int
    """Minute at which it was given."""
    due: int
    """Minute by which it has to be kept."""
    kept: int | None = None
    """Minute of the message that kept it."""
    broken: bool = False


class Mail(msgspec.Struct, kw_only=True):
    """Everything that was written during a shift, in order of delivery."""

    inbox: list[Message] = []
    sent: list[Message] = []
    promises: list[Promise] = []

    @property
    def unread(self) -> int:
        """Number of messages that the agent has not opened."""
        return sum(message.read is None for message in self.inbox)

    def message(self, id: str) -> Message | None:
        """Received message of this id, or None."""
        return next((message for message in self.inbox if message.id == id), None)

    def deliver(
        self, minute: int, sender: str, kind: Kind, about: str, subject: str, text: str, **more: object
    ) -> Message:
        """Put a message into the inbox.

        Args:
            minute: Now.
            sender: Id of the person who writes.
            kind: Its purpose.
            about: Reference that it concerns.
            subject: Its heading in lists.
            text: Its words.
            more: `fields` and `answers` of the message.
        """
        values = {"minute": minute, "sender": sender, "to": AGENT, "kind": kind, "about": about}
        id = f"M-{len(self.inbox) + 101}"
        message = msgspec.convert({"id": id, **values, "subject": subject, "text": text, **more}, Message)
        self.inbox.append(message)
        return message

    def told(self, to: str, about: str, kinds: tuple[Kind, ...] = (), by: int | None = None) -> list[Message]:
        """Messages that the agent sent to a person about a reference.

        Args:
            to: Id of the person.
            about: The reference.
            kinds: Only of these kinds; () for any.
            by: Only those sent up to this minute.
        """
        return [
            message
            for message in self.sent
            if message.to == to
            and message.about == about
            and (not kinds or message.kind in kinds)
            and (by is None or message.minute <= by)
        ]

    def last_word(self, to: str, about: str, kinds: tuple[Kind, ...], since: int = 0) -> Message | None:
        """First message of those with which a person's last word about a reference is given; None where it differs.

        A later grant takes back a refusal, and the other way round: of what contradicts itself only the end counts.

        Args:
            to: Id of the person.
            about: The reference.
            kinds: Kinds that are the word. An `approve` or a `refuse` that is none of them takes it back.
            since: Only what was said from this minute on.
        """
        first = None
        for message in self.told(to, about, (*kinds, "approve", "refuse")):
            if message.minute >= since:
                first = (first or message) if message.kind in kinds else None
        return first
