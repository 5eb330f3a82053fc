"""Asking an author for a piece of Python, and having it mended with the errors at hand."""

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import msgspec

from worktrial.language import Complete
from worktrial.synthesis.author import UnusableReplies, mended

MENDS = 4
"""Times that a piece of code may be mended."""
_PROBLEM = 600
_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})[ \t]*(\w*)[^\n]*\n(.*?)^[ \t]*\1[ \t]*$", re.DOTALL | re.MULTILINE)

CodeCheck = Callable[[str], Awaitable[Sequence[str]]]
"""Reasons why a piece of code cannot be used; none where nothing speaks against it."""


class CodeAuthor(Protocol):
    """Protocol of an author that is talked to in plain text."""

    @property
    def model(self) -> str:
        """Its name, for the provenance."""
        ...

    def bound(self, salt: str) -> Complete:
        """The model, its answers cached under `salt`."""
        ...


class AuthoringStep(msgspec.Struct, kw_only=True, frozen=True):
    """One step of the authoring; a line of `work/authoring.jsonl`."""

    step: str
    """`types`, `draw`, `rules`, `tools 2`, `kit`, `atoms 3` or `expectations`."""
    model: str
    rounds: int
    """Replies that it took, or that were of no use."""
    problems: list[str]
    """The first reason for each round of mending."""
    usable: bool


class UnusableCode(UnusableReplies):
    """A step that came to no code that can be used; the message names the step and the last reasons."""

    def __init__(self, record: AuthoringStep, problems: Sequence[str]) -> None:
        said = "; ".join(problem[:_PROBLEM] for problem in problems[:3])
        super().__init__(
            f"{record.step}: {record.model} wrote no code that can be used in {record.rounds} tries. "
            f"The last: {said}"
        )
        self.record = record


@dataclass(frozen=True, slots=True)
class WrittenCode:
    """A piece of code that passed its check."""

    source: str
    record: AuthoringStep


async def ask_for_code(author: CodeAuthor, prompt: str, *, step: str, salt: str, check: CodeCheck) -> WrittenCode:
    """A piece of Python as `prompt` asks for it.

    Args:
        author: Writes it.
        prompt: What to write; the reply is read as one block of code.
        step: Name of the step, for the record.
        salt: Names the step and its version, so that a resumed session finds the same answers in the cache.
        check: Says what is wrong with it, in words that the author can use.

    Raises:
        UnusableCode: no version passed its check in `MENDS` rounds of mending.
        InvalidSample: the model cannot be reached.
    """

    async def take(text: str) -> tuple[str, Sequence[str]]:
        source = code_in(text)
        if not source.strip():
            return "", ["the reply holds no code; send one ```python block"]
        return source, await check(source)

    said = "Send the whole code again with this put right, in one ```python block."
    source, told = await mended(author.bound(salt), prompt, take, MENDS + 1, said)
    first = [problems[0][:_PROBLEM] for problems in told]
    usable = source is not None
    record = AuthoringStep(step=step, model=author.model, rounds=len(told) + usable, problems=first, usable=usable)
    if source is None:
        raise UnusableCode(record, told[-1])
    return WrittenCode(source, record)


def code_in(text: str) -> str:
    """The code of a reply: its fenced blocks of Python one after the other, or all of it where none is fenced."""
    blocks = [found[3] for found in _FENCE.finditer(text) if found[2].lower() in ("", "py", "python", "python3")]
    if blocks:
        return "\n\n".join(blocks)
    # A fence that was never closed: the reply broke off, or its end was forgotten.
    _, opened, rest = text.partition("```python\n")
    return rest if opened else text
