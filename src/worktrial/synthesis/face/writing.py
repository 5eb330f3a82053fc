"""Asking the author for a face."""

import ast

import msgspec

from worktrial.synthesis.artifacts import Slot, WorkplaceDraft
from worktrial.synthesis.author import Author
from worktrial.synthesis.face.refusal import MODULES, MOST_SOURCE, NOT_PYTHON, faults, parsed
from worktrial.synthesis.prompting import fenced, render
from worktrial.synthesis.stages.task import workplace_text


class FaceText(msgspec.Struct, kw_only=True, frozen=True):
    """A face as its author writes it; `work/drafts/<slot>/face.yaml`, which a person may change."""

    suitable: bool
    """Whether what the tools answer follows from state and arguments by fixed rules."""
    source: str = ""
    """Python, a function for each tool; "" where it is not suitable."""
    notes: list[str] = []
    """What was decided where the rules leave it open, or why it is not suitable."""


async def face_text(
    slot: Slot, workplace: WorkplaceDraft, author: Author, *, failed: str = "", earlier: str = ""
) -> FaceText:
    """A face for a workplace, or the author's word that it cannot have one.

    Args:
        slot: Whose.
        workplace: Its rules, tools and state.
        author: Writes it.
        failed: Why an earlier version is of no use; "" for the first.
        earlier: That version.

    Raises:
        Unusable: the author's replies cannot be used.
        InvalidSample: the model cannot be reached.
    """
    prompt = render(
        "face",
        workplace=fenced(workplace_text(workplace)),
        tool=workplace.tools[0].name,
        modules=", ".join(sorted(MODULES - {"__future__"})),
        most=MOST_SOURCE,
        failed=failed,
        earlier=fenced(earlier) if earlier else "",
    )
    salt = f"face/{slot.id}/{1 if failed else 0}"
    text = await author.write(prompt, FaceText, salt=salt, check=lambda text: problems(text, workplace))
    return msgspec.structs.replace(text, source=tidy(text.source))


def tidy(source: str) -> str:
    """The same code without blanks around it and at the ends of lines, so that YAML can show it as a block."""
    tidied = "\n".join(line.rstrip() for line in source.strip("\n").splitlines()) + "\n"
    try:
        same = ast.dump(parsed(tidied)) == ast.dump(parsed(source))
    except NOT_PYTHON:
        return source
    return tidied if same and source.strip() else source


def problems(text: FaceText, workplace: WorkplaceDraft) -> list[str]:
    """What shows without running it."""
    if text.suitable:
        return faults(text.source, workplace.tools)
    return [] if any(note.strip() for note in text.notes) else ["notes: say why it is not suitable"]
