"""The dispatch desk's rules for every matter, and the words in which the others are said."""

from collections.abc import Callable, Iterator
from datetime import date
from typing import Any

from worktrial.language import JsonObject
from worktrial.workplaces import kit as wt
from worktrial.workplaces.people import Kind

from .state import Load, State

REPORT = "report"
CERTIFICATES = "certificates"
FIRST_WORD = 30
"""Minutes within which whoever asks for something hears of the desk at all (section 1.3)."""
_CIRCULARS = (
    "winter",
    "tunnel_ban",
    "frozen_last",
    "pass_heavy",
    "certified_only",
    "no_hazard_extension",
    "reserve_double",
)
_HEARD: tuple[Kind, ...] = ("tell", "escalate", "request", "refuse", "approve")
"""Kinds of message by which somebody hears what they have to know."""


def _plainly(state: State) -> None:
    """Take circulars and contracts out of a day."""
    for figure in _CIRCULARS:
        state.figures[figure] = False
    for customer in state.customers.values():
        customer.contract = "standard"


desk = wt.Desk(
    first_word=FIRST_WORD,
    because={
        "in_time": "1.2: by the time of its kind.",
        "told": "1.3: who asked is answered, and others who have to know are told.",
        "first_word": "1.3: whoever asks for something hears of the desk within thirty minutes.",
        "false_word": "1.3: who is granted what is not done, or refused what was due, acts on it.",
    },
    takes_back=("take_back",),
    without_exceptions=_plainly,
)


def contact_of(day: Any, load: Load) -> str:
    """Person who stands for a load's consignee today: section 6.3."""
    today = day.time.begins.date()
    contacts = day.sites[load.site].contacts
    found: str = next(c.person for c in contacts if c.until is None or date.fromisoformat(c.until) >= today)
    return found


def asked_for(kind: str) -> Callable[[Any], Iterator[wt.MatterRequest]]:
    """Function of the day that finds the messages with a kind of request."""

    def raised(day: Any) -> Iterator[wt.MatterRequest]:
        for event in day.coming():
            said = event.payload
            if said["fields"].get("request") == kind:
                yield wt.MatterRequest(said["about"], event.due, said["sender"], said["fields"])

    return raised


def heard_at(end: State, person: str, about: str, **fields: str) -> int | None:
    """Minute at which somebody was told what they have to know, where the last word on it is right.

    A time may carry its date.
    """
    found = None
    for message in end.mail.told(person, about, _HEARD):
        if fields and not message.fields.keys() & fields.keys():
            continue
        right = all(str(message.fields.get(name)).strip().endswith(value) for name, value in fields.items())
        found = (message.minute if found is None else found) if right else None
    return found


def word(person: str, about: str, **fields: str) -> wt.DueStep:
    """Word to somebody that is part of the outcome."""
    said: JsonObject = {"text": f"Please note about {about}.", "fields": dict(fields)}
    call = wt.act("send_message", to=person, kind="tell", about=about, **said)
    return wt.judged(call, lambda end: float(heard_at(end, person, about, **fields) is not None))


def know(person: str, **fields: Any) -> wt.Tell:
    """Word to somebody who has to know."""
    return wt.tell(person, *_HEARD, **fields)


def yes(asked: wt.MatterRequest) -> wt.Tell:
    """Word to whoever asked that it is done."""
    return wt.tell(asked.sender, "approve")


def refuse(
    asked: wt.MatterRequest,
    because: str,
    naive: wt.DueStep,
    *asks: wt.AnswerNeeded,
    helper: str = "",
    **more: Any,
) -> wt.Right:
    """Right end of what is refused; without word to who has to help it is half (1.3)."""
    words = [wt.way(word(helper, asked.about), without=0.5)] if helper else []
    return wt.right(
        *asks, *words, because=because, tell=[wt.tell(asked.sender, "refuse")], naive=naive,
        **{"unasked": bool(helper), **more},
    )  # fmt: skip


def before_departure(day: Any, due: int, *loads: Load) -> int:
    """Minute by which loads have to be dealt with: what has left is changed no more (section 1.2)."""
    leave: list[int] = [day.time.minute_of(load.departs) for load in loads]
    return min([due, *(minute - 1 for minute in leave)])
