"""What an agent is told; the texts are files."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from worktrial.language.templates import templates
from worktrial.suites.documents.setups import Setup
from worktrial.suites.fingerprint import files_fingerprint

_PROMPTS = Path(__file__).parent / "prompts"


class ShownPage(NamedTuple):
    """A page that comes with the question."""

    document: str
    number: int
    text: str | None
    """Markdown; None where the picture is shown."""


def system_prompt(setup: Setup, *, has_tools: bool, python: bool) -> str:
    """What comes before the question.

    Args:
        setup: What the agent is given.
        has_tools: Whether any tool is on offer.
        python: Whether it can compute with one.
    """
    template = templates(_PROMPTS).get_template("system.j2")
    return template.render(setup=setup.value, has_tools=has_tools, python=python).strip()


def with_pages(question: str, pages: Sequence[ShownPage]) -> str:
    """The question with the pages below it."""
    return templates(_PROMPTS).get_template("pages.j2").render(question=question, pages=pages).strip()


def prompts_fingerprint() -> str:
    """SHA-256 over the texts."""
    return files_fingerprint(_PROMPTS, (p for p in _PROMPTS.iterdir() if p.suffix in (".j2", ".yaml")))
