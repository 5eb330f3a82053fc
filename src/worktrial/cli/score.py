"""`worktrial score NAME FILE`: scores for what other programs produced, with no run and no model."""

import contextlib
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Annotated, Any

import typer

from worktrial.cli.lazy import group
from worktrial.engine.notices import say
from worktrial.errors import BadRow, DataError, SettingError
from worktrial.language import JsonObject

_File = Annotated[Path, typer.Argument(help="One JSON object a line.", metavar="FILE.jsonl")]
_Run = Annotated[Path, typer.Argument(help="What the other program stored.", metavar="RUN")]
_Rows = Annotated[
    Path | None, typer.Option("--output", "-o", help="Where the scored rows go. Default: standard output.")
]
_Details = Annotated[
    Path | None, typer.Option("--output", "-o", help="Also write all figures and how everything was scored.")
]


def _command(scorer: Any, name: str) -> Any:
    from worktrial.cli.options import command_of, takes
    from worktrial.scorer import RunScorer

    @takes(lambda: scorer.options)
    def score_rows(file: _File, output: _Rows = None, **given: Any) -> None:
        options = scorer.options.read(given, suite=f"score {name}")
        _score_file(file, output, scorer.score(options), scorer.nothing)

    @takes(lambda: scorer.options)
    def score_run(run: _Run, output: _Details = None, **given: Any) -> None:
        _score_run(scorer, run, output, scorer.options.read(given, suite=f"score {name}"))

    function = score_run if isinstance(scorer, RunScorer) else score_rows
    return command_of(function, name, path="score", help=scorer.about)


def _names() -> list[str]:
    from worktrial.scorer import scorers

    return scorers.names


def _scorer(name: str) -> Any:
    from worktrial.scorer import scorers

    return scorers.get(name)


app = group(
    "Score what other programs produced, with no run and no model.",
    _names,
    lambda name: str(_scorer(name).about),
    lambda name: _command(_scorer(name), name) if name in _names() else None,
)


def _score_run(scorer: Any, run: Path, output: Path | None, options: Any) -> None:
    from worktrial.terminal import SafeConsole

    scores = scorer.score(run, options)
    console = SafeConsole()
    for table in scores.tables:
        console.print(table)
    for note in scores.notes:
        say(note, err=True)
    if output is not None:
        output.parent.mkdir(parents=True, exist_ok=True)
        output.write_text(json.dumps(scores.details, ensure_ascii=False, indent=1), encoding="utf-8")


def _score_file(
    file: Path,
    output: Path | None,
    score: Callable[[JsonObject], JsonObject],
    no_score: JsonObject,
) -> None:
    """Write one row for each row of `file`; for one that cannot be scored, `no_score` with its error."""
    if output is not None and output.exists() and file.exists() and output.samefile(file):
        raise SettingError(f"-o {output}: is the file that is scored; name another")
    given = _rows(file)
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
            # What JSON cannot hold (half of a surrogate pair) is replaced.
            out.write(json.dumps(done, ensure_ascii=False).encode(errors="replace") + b"\n")
            errors += done["error"] is not None
            if done["score"] is not None:
                scores.append(done["score"])
    mean = f"mean score {sum(scores) / len(scores):.4f}" if scores else "no scores"
    say(f"{file}: {len(scores)} scored rows, {mean}, {errors} with an error", err=True)


@contextlib.contextmanager
def _opened(output: Path | None) -> Iterator[IO[bytes]]:
    if output is None:
        yield sys.stdout.buffer
        return
    output.parent.mkdir(parents=True, exist_ok=True)
    with output.open("wb") as out:
        yield out


def _rows(file: Path) -> Iterator[tuple[int, JsonObject | str]]:
    """Rows of `file` with their line numbers; a line that is no JSON object comes as what is wrong with it.

    Raises:
        DataError: the file cannot be read.
    """
    try:
        handle = file.open("rb")
    except OSError as e:
        raise DataError(file, e.strerror or str(e), "Name a file of one JSON object a line") from None

    def lines() -> Iterator[tuple[int, JsonObject | str]]:
        with handle:
            for number, line in enumerate(handle, start=1):
                if line.strip():
                    yield number, _row(line)

    return lines()


def _row(line: bytes) -> JsonObject | str:
    try:
        # Not msgspec: NaN and very long numbers are in files that other programs wrote.
        value = json.loads(line)
    except (ValueError, RecursionError) as e:
        return f"not JSON ({str(e) or type(e).__name__})"
    return value if isinstance(value, dict) else f"a JSON {type(value).__name__}, not an object"
