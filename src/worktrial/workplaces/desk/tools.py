"""Tools that every desk has: mail, directory, handbook, and waiting."""

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, TypeVar

from worktrial.language import JsonObject
from worktrial.workplaces.desk.state import DeskState
from worktrial.workplaces.executable.declare import Declaration, Function, ToolError, marked
from worktrial.workplaces.executable.paging import PAGE as PAGE
from worktrial.workplaces.executable.paging import Row
from worktrial.workplaces.executable.paging import list_rows as list_rows
from worktrial.workplaces.executable.paging import page_of as page_of
from worktrial.workplaces.handbook.tools import handbook_functions
from worktrial.workplaces.people import Kind, Message, receive
from worktrial.workplaces.people.mail import AGENT

if TYPE_CHECKING:
    from worktrial.workplaces.handbook import Handbook

MOST_TEXT = 4_000
Record = TypeVar("Record")
WAITS = frozenset({"wait_until", "wait_for_message"})
"""Tools that the session carries out itself, because they move the clock."""


def check_inbox(state: DeskState, page: int = 1, unread_only: bool = False) -> JsonObject:
    """List the messages in the inbox, newest first, 20 to a page, without their texts.

    Args:
        page: Number of the page, from 1.
        unread_only: Only messages that have not been opened.
    """
    found = [message for message in reversed(state.mail.inbox) if not (unread_only and message.read is not None)]
    return {
        "total": len(found),
        "page": page,
        "messages": [
            {
                "id": message.id,
                "received": state.time.clock(message.minute),
                "from": message.sender,
                "about": message.about,
                "subject": message.subject,
                "unread": message.read is None,
            }
            for message in page_of(found, page)
        ],
    }


def read_message(state: DeskState, message_id: str) -> JsonObject:
    """Open one message of the inbox.

    Args:
        message_id: For example M-101.
    """
    message = state.mail.message(message_id)
    if message is None:
        raise ToolError("unknown_message", f"There is no message {message_id} in the inbox.")
    if message.read is None:
        message.read = state.time.minute
    return {
        "id": message.id,
        "received": state.time.at(message.minute),
        "from": message.sender,
        "kind": message.kind,
        "about": message.about,
        "subject": message.subject,
        "text": message.text,
        "fields": message.fields,
        "answers": message.answers,
    }


def send_message(
    state: DeskState,
    to: str,
    kind: Kind,
    text: str,
    about: str = "",
    fields: dict[str, str | float | bool | None] | None = None,
) -> JsonObject:
    """Write to a person. Answers come later, as messages in the inbox.

    Args:
        to: Id of the person, as in the directory.
        kind: ask for a piece of information (name it in fields as topic), tell something, request something to be
            done or granted, approve or refuse what they asked for, escalate to who decides, remind of an unanswered
            message, promise to say something by a time (in fields as by, for example 14:30).
        text: The message in words.
        about: Reference that the message concerns, for example the number of a record.
        fields: The facts of the message in structured form, for example {"topic": "arrival"}.
    """
    person = state.people.get(to)
    if person is None:
        raise ToolError("unknown_person", f"There is nobody {to!r} in the directory. look_up_person finds ids.")
    if len(text) > MOST_TEXT:
        raise ToolError("too_long", f"A message has at most {MOST_TEXT} characters, and this one {len(text)}.")
    given: JsonObject = dict(fields or {})
    if kind == "promise":
        _check_promise(state, given)
    message = Message(
        id=f"S-{len(state.mail.sent) + 1}",
        minute=state.time.minute,
        sender=AGENT,
        to=to,
        kind=kind,
        about=about,
        text=text,
        fields=given,
    )
    state.mail.sent.append(message)
    receive(state, message)
    return {"id": message.id, "sent": state.time.clock(state.time.minute), "to": person.name}


def look_up_person(state: DeskState, query: str = "", page: int = 1) -> JsonObject:
    """Search the directory by name, role or id: who someone is, when they can be reached, what they may decide.

    Args:
        query: Words that all have to occur; empty lists everybody.
        page: Number of the page, from 1.
    """
    everybody = state.people.values()
    return search_rows("people", everybody, query, lambda p: f"{p.id} {p.name} {p.role}", page, lambda p: p.public)


def wait_until(state: DeskState, time: str) -> JsonObject:
    """Let time pass until a time of day. Whatever happens meanwhile happens.

    Args:
        time: For example 14:30.
    """
    raise NotImplementedError  # the session waits


def wait_for_message(state: DeskState, until: str) -> JsonObject:
    """Let time pass until a new message comes, at most until a time of day.

    Args:
        until: For example 14:30.
    """
    raise NotImplementedError  # the session waits


def standard_tools(handbook: "Handbook") -> list[Function]:
    """The tools that every desk has, its own handbook among them."""
    looks = (check_inbox, look_up_person)
    waits = (wait_until, wait_for_message)
    # Opening a message marks it, which is a write; but nothing that a clerk would call an act.
    return [
        *(marked(look, Declaration(writes=False, example=None)) for look in looks),
        *handbook_functions(handbook, DeskState, lambda state: state.figures),
        *(marked(wait, Declaration(writes=False, example=None)) for wait in waits),
        *(marked(write, Declaration(writes=True, example=None)) for write in (read_message, send_message)),
    ]


def record_of(records: Mapping[str, Record], id: str, kind: str) -> Record:
    """Record of an id that an agent names.

    Args:
        records: Those that there are, by id.
        id: The one that is meant.
        kind: Word for such a record.

    Raises:
        ToolError: there is none, `unknown_` and the word.
    """
    if id not in records:
        raise ToolError(f"unknown_{kind}", f"There is no {kind} {id}.")
    return records[id]


def search_rows(
    name: str,
    rows: Iterable[Row],
    text: str,
    words_of: Callable[[Row], str],
    page: int,
    shown: Callable[[Row], JsonObject],
) -> JsonObject:
    """Answer of a search tool: how many rows were found, and those on one page.

    Args:
        name: Field that holds the rows.
        rows: All that could be found, in the order of the answer.
        text: Words that all have to occur, in any case of letters; none finds every row.
        words_of: Function from a row to the text that is searched.
        page: Number of the page, from 1.
        shown: Function from a row to what the answer shows of it.

    Raises:
        ToolError: there is no such page.
    """
    words = text.casefold().split()
    found = (row for row in rows if not words or _has_all(words_of(row).casefold(), words))
    return list_rows(name, found, page, shown)


def _has_all(text: str, words: list[str]) -> bool:
    return all(word in text for word in words)


def _check_promise(state: DeskState, fields: JsonObject) -> None:
    by = fields.get("by")
    if not isinstance(by, str):
        raise ToolError("no_time", "A promise names its time in fields as by, for example 14:30.")
    try:
        due = state.time.minute_of(by)
    except ValueError as e:
        raise ToolError("no_time", f"by: {e}.") from None
    if due <= state.time.minute:
        raise ToolError("time_past", f"{by} is past; it is {state.time.now}.")
