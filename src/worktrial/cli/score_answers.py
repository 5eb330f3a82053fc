"""`worktrial score answers`: scores for answers that lie in a file, with no run and no model."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from worktrial.language import JsonObject


def answers(
    file: Annotated[Path, typer.Argument(help="One JSON object a line.", metavar="FILE.jsonl")],
    mode: Annotated[
        Literal["published", "ours", "official", "strict"],
        typer.Option(help="published: as the published OfficeQA scorer does. ours: by typed values."),
    ] = "ours",
    tolerance: Annotated[
        float, typer.Option(help="Allowed relative error of rows that name none.", min=0.0, max=1.0)
    ] = 0.0,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Where the scored rows go. Default: standard output.")
    ] = None,
) -> None:
    """Score answers against gold ones: numbers, dates, texts and lists.

    A row has ground_truth and predicted (strings), and may have tolerance and unit (that the question asks for;
    ours only). Each becomes one row, in order: score (1 or 0), why, error (null, or why there is no score).

    Example: worktrial score answers answers.jsonl --mode published -o scored.jsonl
    """
    from worktrial.cli.score import _score_file
    from worktrial.suites.documents.choices import AnswerMode
    from worktrial.suites.documents.scoring import score_answer_row

    def score(row: JsonObject) -> JsonObject:
        return score_answer_row(row, AnswerMode(mode), tolerance)

    _score_file(file, output, score, {"score": None, "why": None})
