"""`worktrial show RUN`: a stored run in one screen."""

import gc
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from worktrial.cli.options import beside_of_any, takes
from worktrial.cli.places import records_folder
from worktrial.engine.notices import say, say_json
from worktrial.errors import SettingError
from worktrial.options import Options

if TYPE_CHECKING:
    from worktrial.engine.stored import StoredRun
    from worktrial.results.corrections import JudgeCorrection
    from worktrial.results.summary import RunTally


@takes(beside_of_any)
def show(
    run: Annotated[
        Path,
        typer.Argument(
            help="Folder or address of the run.",
            metavar="RUN",
            parser=records_folder,
        ),
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
    judge_audit: Annotated[
        Path | None,
        typer.Option(help="Audit of the run's judge: the rate is corrected for its errors.", metavar="AUDIT"),
    ] = None,
    labels: Annotated[
        Path | None,
        typer.Option(
            help="CSV of people's verdicts (sample, label) on some samples drawn at random, or the labels.jsonl "
            "beside the run: the rate is corrected.",
            metavar="FILE",
        ),
    ] = None,
    **given: Any,
) -> None:
    """Show a stored run: completion rate with its interval, per industry and difficulty, tokens, cost.

    Works on a run that is still going on, and on an audit, too.

    Example: worktrial show runs/first
    """
    from worktrial.cli.audit import print_audits
    from worktrial.cli.summary import print_summary
    from worktrial.engine.stored import manifest_in
    from worktrial.results.shown import tally_shown
    from worktrial.suite import is_audit, suite_of

    manifest = manifest_in(run)
    if is_audit(manifest):
        if judge_audit or labels:
            raise SettingError(
                f"--judge-audit, --labels: {run} holds an audit, which has no rate to correct; show a run without"
            )
        if not as_json:
            print_audits([run])
            return
    tally = tally_shown(run, whole=bool(judge_audit or labels))
    # Records make no cycles, and a million of them take long to look through, again and again.
    gc.freeze()
    suite = suite_of(manifest)
    beside = Options if suite is None else suite.beside
    if as_json:
        from worktrial.results.machine import show_output

        without_errors = _corrections(tally.run, judge_audit, labels)
        say_json(show_output(tally, without_errors).text())
        _tell_contradictions(tally)
        return
    print_summary(tally, beside=beside.read(given, suite=f"the suite {manifest.suite}"))
    for corrected in _corrections(tally.run, judge_audit, labels):
        say(corrected.line)
    _tell_contradictions(tally)


def _tell_contradictions(tally: "RunTally") -> None:
    for said in tally.contradictions:
        say(f"contradiction: {said}", err=True)


def _corrections(run: "StoredRun", audit: Path | None, labels: Path | None) -> "list[JudgeCorrection]":
    """The rate without the judge's errors, for each source that tells of these."""
    if audit is None and labels is None:
        return []
    from worktrial.audits.corrected import corrections

    return corrections(run, audit, labels)
