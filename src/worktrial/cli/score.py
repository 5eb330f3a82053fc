"""`worktrial score …`: scores for what other programs produced, with no run and no model."""

import contextlib
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import IO, Annotated, Literal

import typer

from worktrial.errors import SettingError
from worktrial.language import JsonObject
from worktrial.suites.orchestration.options import Gold

app = typer.Typer(no_args_is_help=True, help="Score plans, tool calls and whole runs that lie on disk.")


_File = Annotated[Path, typer.Argument(help="One JSON object a line.", metavar="FILE.jsonl")]
_Mode = Annotated[
    Literal["published", "ours", "sound"],
    typer.Option(help="published: as the published program does. ours: exact and without its defects."),
]
_Output = Annotated[
    Path | None, typer.Option("--output", "-o", help="Where the scored rows go. Default: standard output.")
]
_Seconds = Annotated[float, typer.Option(help="Bound on one search for an edit distance.", min=0.001)]


@app.command("workflow")
def workflow(file: _File, mode: _Mode = "ours", output: _Output = None, seconds: _Seconds = 1.0) -> None:
    """Score predicted plans against gold ones.

    A row has gold_workflow and predicted_workflow (objects), or gold_text and predicted_text (strings, to be
    parsed). Each becomes one row, in order: score, structure, components (similarities, 0-1), exact (whether the
    bound was not hit), error (null, or why there is no score).

    Example: worktrial score workflow plans.jsonl --mode published -o scored.jsonl
    """
    from worktrial.suites.orchestration.options import Scoring
    from worktrial.suites.orchestration.scoring.rows import score_workflow

    def score(row: JsonObject) -> JsonObject:
        return score_workflow(row, Scoring(mode), seconds=seconds).row()

    _score_file(file, output, score, {"score": None, "structure": None, "components": None, "exact": True})


_Data = Annotated[
    Path | None,
    typer.Option(
        help="The data that was run: a folder with EN/ and KO/. Default: the worked example.", metavar="DIR"
    ),
]


@app.command("toolcalls")
def toolcalls(file: _File, data: _Data = None, mode: _Mode = "ours", output: _Output = None) -> None:
    """Score domain agents' answers against gold calls and refusals, without judges.

    A row has label (gold messages by step id, as a stored run of the published program has them), step (the answer:
    step_id, content, tool_calls) and lang (EN or KO; EN where it is missing). Each becomes one row, in order: score
    (the mean of name, key and value; null where there is no call to score), decision, name, key, value, open (the
    arguments that only a judge can compare; they count as wrong), error.

    Example: worktrial score toolcalls steps.jsonl --data orchestrationbench -o scored.jsonl
    """
    from worktrial.grading.bad_row import BadRow
    from worktrial.suites.orchestration.example import example_folder
    from worktrial.suites.orchestration.options import Scoring
    from worktrial.suites.orchestration.planning.cards import Team, load_team
    from worktrial.suites.orchestration.planning.scenario import Language
    from worktrial.suites.orchestration.scoring.rows import score_toolcalls

    @cache
    def team(language: Language) -> Team:
        return load_team(data or example_folder(), language)

    def score(row: JsonObject) -> JsonObject:
        said = row.get("lang", Language.EN)
        if said not in list(Language):
            raise BadRow(f"lang: {said!r} is none of {', '.join(Language)}")
        return score_toolcalls(row, team(Language(said)), Scoring(mode))

    nothing = dict.fromkeys(("score", "decision", "name", "key", "value"))
    _score_file(file, output, score, {**nothing, "open": []})


@app.command("orchestration")
def orchestration(
    run: Annotated[
        Path,
        typer.Argument(help="Folder (or .tar.gz) of N_out.json files of the published program.", metavar="RUN"),
    ],
    language: Annotated[Literal["en", "ko"], typer.Option(help="Of the run.")],
    data: _Data = None,
    gold: Annotated[Gold, typer.Option(help="Gold steps of our scoring.")] = "released",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Also write all figures and how every step was scored.")
    ] = None,
    seconds: _Seconds = 1.0,
) -> None:
    """Score a stored run of the published program in both modes, with intervals over scenarios, without judges.

    Example: worktrial score orchestration steps/my-model --language en --data orchestrationbench
    """
    from rich.console import Console

    from worktrial.suites.orchestration.example import example_folder
    from worktrial.suites.orchestration.figures.published import as_json, stored_figures
    from worktrial.suites.orchestration.planning.release import load_release
    from worktrial.suites.orchestration.planning.scenario import Language
    from worktrial.suites.orchestration.scoring.both import Bounds
    from worktrial.suites.orchestration.scoring.stored import score_stored_run
    from worktrial.suites.orchestration.terminal import counted, stored_table

    spoken = Language(language.upper())
    release = load_release(data or example_folder(), [spoken], corrected=gold == "corrected")
    scores = score_stored_run(run, release, spoken, Bounds(ours=seconds))
    figures = stored_figures(scores)
    Console(highlight=False).print(stored_table(figures, title=f"{spoken} · {counted(len(figures.scenarios))}"))
    for what, ids in (("not in the run", scores.missing), ("not in the data", scores.unknown)):
        if ids:
            some = f"{', '.join(ids[:12])}{', …' if len(ids) > 12 else ''}"
            typer.echo(f"{counted(len(ids))} {what}: {some}", err=True)
    if output is not None:
        import json

        output.parent.mkdir(parents=True, exist_ok=True)
        output.write_text(json.dumps(as_json(figures, scores), ensure_ascii=False, indent=1), encoding="utf-8")


def _score_file(
    file: Path,
    output: Path | None,
    score: Callable[[JsonObject], JsonObject],
    no_score: JsonObject,
) -> None:
    """One output row for each row of `file`; a row that cannot be scored is `no_score` with its error."""
    from worktrial.cli.jsonl import rows, write_row
    from worktrial.grading.bad_row import BadRow

    if output is not None and output.exists() and file.exists() and output.samefile(file):
        raise SettingError(f"-o {output}: is the file that is scored; name another")
    given = rows(file)
    scores: list[float] = []
    errors = 0
    with _opened(output) as out:
        for number, row in given:
            try:
                if isinstance(row, str):
                    raise BadRow(row)
                done = score(row)
            except BadRow as e:
                done = {**no_score, "error": f"bad_row: line {number}: {e}"}
            write_row(out, done)
            errors += done["error"] is not None
            if done["score"] is not None:
                scores.append(done["score"])
    mean = f"mean score {sum(scores) / len(scores):.4f}" if scores else "no scores"
    typer.echo(f"{file}: {len(scores)} scored rows, {mean}, {errors} with an error", err=True)


@contextlib.contextmanager
def _opened(output: Path | None) -> Iterator[IO[bytes]]:
    if output is None:
        yield sys.stdout.buffer
        return
    output.parent.mkdir(parents=True, exist_ok=True)
    with output.open("wb") as out:
        yield out
