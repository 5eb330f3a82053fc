"""`python -m lab generate`: a fictional archive of any size, with truth and questions."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

if TYPE_CHECKING:
    from lab.generate.generate import Progress


def generate(
    output: Annotated[Path, typer.Option("-o", "--output", help="A new or empty folder.", metavar="DIR")],
    pages: Annotated[int, typer.Option(help="Pages in all, from 15 to 200,000.", metavar="N")] = 200,
    seed: Annotated[int, typer.Option(help="The same seed and size make the same archive.", metavar="N")] = 1,
    style: Annotated[
        Literal["digital", "scanned", "both"],
        typer.Option(help="Characters, pictures of pages, or pictures for the oldest third of the issues."),
    ] = "digital",
    questions: Annotated[
        int | None, typer.Option(help="How many to ask; one a page, 20 to 200, unless given.", metavar="N")
    ] = None,
    workers: Annotated[int, typer.Option(help="Processes that make issues.", metavar="N")] = 1,
) -> None:
    """Make the PDFs of an invented statistical bulletin, the truth of every table, and questions with answers.

    No download, no licence, nothing that a model can have seen.

    Example: python -m lab generate -o bulletin --pages 200 --style both
    """
    from lab.generate import Plan, Style
    from lab.generate import generate as make

    began = time.perf_counter()
    plan = Plan(pages, seed, Style(style), questions)
    made = make(output, plan, workers=workers, progress=_say_how_far())
    seconds = time.perf_counter() - began
    typer.echo(
        f"{output}: {made.documents} documents, {made.pages:,} pages, {made.tables:,} tables, "
        f"{made.questions} questions in {seconds:.1f} s"
    )
    typer.echo(f"Next: worktrial archive build {output / 'pdfs'} -o {output}-archive")


def _say_how_far() -> "Progress":
    """A line on standard error every few seconds."""
    said = time.monotonic()

    def say(done: int, total: int) -> None:
        nonlocal said
        if time.monotonic() - said > 5:
            said = time.monotonic()
            typer.echo(f"  {done:,} of {total:,} pages", err=True)

    return say
