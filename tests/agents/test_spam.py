"""Agents that do no work: what each of them calls and says, and that it is bounded."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from worktrial.agents.assignment import Assignment
from worktrial.agents.spam import MOST_CALLS, SPAM
from worktrial.grading.answer_checks import MOST_CHARACTERS
from worktrial.language import JsonObject, tool_spec
from worktrial.workplaces import Observation, Origin, StopReason

TOLD = "Please lend book B-7 to M-3, and tell me its shelf."


def _tool(name: str, description: str = "", **arguments: Any) -> JsonObject:
    properties = {name: {"type": "string", **said} for name, said in arguments.items()}
    return tool_spec(name, description, {"type": "object", "properties": properties, "required": list(arguments)})


BOOK, MEMBER = {"description": "For example B-1."}, {"description": "For example M-1."}
TOOLS = [
    _tool("list_books", "List the books."),
    _tool("get_book", "Open a book.", book_id=BOOK),
    _tool("lend", "Lend a book to a member.", book_id=BOOK, member_id=MEMBER),
    _tool("decide", "Decide a request.", book_id=BOOK, decision={"enum": ["granted", "refused"]}),
]


class Library:
    """A library of a thousand books; it refuses to open the first."""

    state = None

    def __init__(self) -> None:
        self.calls: list[tuple[str, Any]] = []

    async def call(self, tool: str, arguments: Any) -> Observation:
        self.calls.append((tool, arguments))
        if tool == "list_books":
            return Observation({"books": [{"book_id": f"B-{n}"} for n in range(1_000)]}, Origin.EXECUTABLE)
        if arguments["book_id"] == "B-0":
            return Observation({"error": "lost", "message": "B-0 is lost."}, Origin.REFUSAL)
        return Observation({"book_id": arguments["book_id"], "shelf": "north"}, Origin.EXECUTABLE)


def _worked(name: str, told: str = TOLD) -> tuple[Library, Assignment]:
    library = Library()
    reads = frozenset({"list_books", "get_book"})
    work = Assignment(told, "2030-01-02T09:00", TOOLS, library)
    asyncio.run(replace(SPAM[name], reads=reads)(work))
    return library, work


@pytest.mark.parametrize("name", SPAM)
def test_each_answers_within_bounds_and_leaves_a_whole_record(name: str) -> None:
    library, work = _worked(name)
    assert 0 < len(work.trajectory.answer) <= MOST_CHARACTERS
    assert len(library.calls) <= 2 * MOST_CALLS
    assert [(call.tool, call.arguments) for call in work.trajectory.calls] == library.calls
    assert work.trajectory.stop_reason is StopReason.ANSWERED
    assert work.trajectory.messages[-1] == {"role": "assistant", "content": work.trajectory.answer}


@pytest.mark.parametrize(
    ("name", "calls"),
    [
        ("parrot", [("lend", {"book_id": "B-7", "member_id": "M-3"})]),
        ("approve-all", [("decide", {"book_id": "B-7", "decision": "granted"})]),
        ("refuse-all", [("decide", {"book_id": "B-7", "decision": "refused"})]),
        ("refuse-and-guess", [("decide", {"book_id": "B-7", "decision": "refused"})]),
        ("constant", []),
        ("acknowledge-all", []),
    ],
)
def test_what_each_does(name: str, calls: list[tuple[str, JsonObject]]) -> None:
    made = _worked(name)[0].calls
    assert made[:1] == calls
    # What comes after it is done to whatever else looks like the id of a book.
    assert {given.get("decision") for _, given in made} == {given.get("decision") for _, given in calls}


def test_one_acts_on_all_that_is_named() -> None:
    made = _worked("act-on-all")[0].calls
    assert ("lend", {"book_id": "B-7", "member_id": "M-3"}) in made
    assert {given["decision"] for tool, given in made if tool == "decide"} == {"granted", "refused"}


def test_a_dump_reads_on_from_what_it_saw_and_says_first_what_was_asked_about() -> None:
    library, work = _worked("dump-all")
    assert {tool for tool, _ in library.calls} == {"list_books", "get_book"}
    opened = [given["book_id"] for tool, given in library.calls if tool == "get_book"]
    assert "B-7" in opened and len(opened) > 5 and len(set(opened)) == len(opened)
    assert "book id B-7, shelf north" in work.trajectory.answer
    assert "lost" not in work.trajectory.answer


def test_the_strongest_makes_the_literal_call_and_dumps() -> None:
    library, work = _worked("spam")
    assert library.calls[0] == ("lend", {"book_id": "B-7", "member_id": "M-3"})
    assert {tool for tool, _ in library.calls} == {"lend", "list_books", "get_book"}
    assert work.trajectory.answer.startswith("book id B-7, shelf north")


def test_without_words_to_fill_from_nothing_is_called() -> None:
    assert _worked("parrot", "Do what is right.")[0].calls == []
