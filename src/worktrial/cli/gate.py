"""`worktrial gate RUN`: exit with 1 where a run does not keep to its limits."""

import os
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.text import Text

from worktrial.cli.places import records_folder
from worktrial.engine.notices import say, say_json
from worktrial.errors import DataError, flag
from worktrial.language.untrusted import printable
from worktrial.results.gate import Gate
from worktrial.terminal import SafeConsole

_LIMITS = "Limits"
_JUDGING = "How they are judged"
_OUTPUT = "Output"

GATE_FAILED = 1


def gate(
    run: Annotated[
        Path,
        typer.Argument(
            help="Folder or address of the run.",
            metavar="RUN",
            parser=records_folder,
        ),
    ],
    min_completion: Annotated[
        float | None,
        typer.Option(
            help="Least completion rate, 0 to 1; an invalid sample counts as not passed.", rich_help_panel=_LIMITS
        ),
    ] = None,
    min_score: Annotated[
        float | None,
        typer.Option(
            help="Least mean score, -1 to 1, of a suite whose samples have one, such as shifts.",
            rich_help_panel=_LIMITS,
        ),
    ] = None,
    max_regression: Annotated[
        float | None,
        typer.Option(
            help="Largest drop of the completion rate below --baseline that is let pass, 0.03 for 3 points. A drop "
            "fails the gate when it is larger than this margin and significant at --level.",
            rich_help_panel=_LIMITS,
        ),
    ] = None,
    min_robustness: Annotated[
        float | None,
        typer.Option(
            help="Least R: what the worst kind of faults leaves of the rate without; needs --faults all.",
            rich_help_panel=_LIMITS,
        ),
    ] = None,
    max_cost_per_task: Annotated[
        float | None,
        typer.Option(help="US dollars, mean of the samples with a verdict.", rich_help_panel=_LIMITS),
    ] = None,
    max_seconds: Annotated[
        float | None,
        typer.Option(help="Wall clock, mean of the samples with a verdict.", rich_help_panel=_LIMITS),
    ] = None,
    max_invalid: Annotated[
        float | None,
        typer.Option(
            help="Largest share of invalid samples, 0 to 1, over all conditions.", rich_help_panel=_LIMITS
        ),
    ] = None,
    baseline: Annotated[
        str | None,
        typer.Option(
            help="The run to compare with: its folder, or its name where `worktrial baseline set` has pinned it.",
            metavar="RUN2|NAME",
            rich_help_panel=_JUDGING,
        ),
    ] = None,
    store: Annotated[
        Path,
        typer.Option(help="Folder of pinned baselines.", metavar="FOLDER", rich_help_panel=_JUDGING),
    ] = Path("runs/gates"),
    level: Annotated[
        float,
        typer.Option(
            help="A drop is significant below this p value; intervals fit to it, 95 % for 0.05.",
            rich_help_panel=_JUDGING,
        ),
    ] = 0.05,
    sure: Annotated[
        bool,
        typer.Option(
            help="Chance has to be ruled out: the end of the interval must keep to the limit, not just the value. "
            "So a drop by more than the margin has to lie outside the interval.",
            rich_help_panel=_JUDGING,
        ),
    ] = False,
    condition: Annotated[
        str | None,
        typer.Option(
            help="The fault condition that completion, regression, cost and time are about. Default: E0, or the "
            "first.",
            rich_help_panel=_JUDGING,
        ),
    ] = None,
    cost_of: Annotated[
        Literal["all", "agent"],
        typer.Option(help="Whose requests cost: all roles', or the agent's own.", rich_help_panel=_JUDGING),
    ] = "all",
    force: Annotated[
        bool,
        typer.Option(
            "--force",
            help="Go on when the baseline is not comparable; all that is shown says so.",
            rich_help_panel=_JUDGING,
        ),
    ] = False,
    as_json: Annotated[
        bool,
        typer.Option("--json", help="Print everything as JSON, in place of the lines.", rich_help_panel=_OUTPUT),
    ] = False,
    junit: Annotated[
        Path | None,
        typer.Option(help="Write JUnit XML into this file.", metavar="FILE", rich_help_panel=_OUTPUT),
    ] = None,
    sarif: Annotated[
        Path | None,
        typer.Option(
            help="Write SARIF 2.1.0 into this file, for code scanning.", metavar="FILE", rich_help_panel=_OUTPUT
        ),
    ] = None,
    annotations: Annotated[
        Literal["auto", "github", "none"],
        typer.Option(
            help="Print each criterion that failed as an annotation of the job, too. auto: in a job of GitHub "
            "Actions ($GITHUB_ACTIONS).",
            rich_help_panel=_OUTPUT,
        ),
    ] = "auto",
    summary: Annotated[
        Path | None,
        typer.Option(
            help="Append Markdown to this file. Default: $GITHUB_STEP_SUMMARY, where it is set.",
            metavar="FILE",
            rich_help_panel=_OUTPUT,
        ),
    ] = None,
) -> None:
    """Hold a run against limits: exit 0 when it keeps to all, 1 when not, 2 when the question makes no sense.

    What cannot be judged fails: an unfinished run, a cost without prices, a robustness without all of E0 to E3.

    Example: worktrial gate runs/after --baseline runs/before --min-completion 0.7 --max-regression 0.03
    """
    from worktrial.cli.compare import check_level
    from worktrial.engine.stored import open_run
    from worktrial.results import gate as outcome
    from worktrial.results.contradictions import refuse_contradictions
    from worktrial.results.gate import GateLimits, find_baseline, judge_gate

    check_level(level)
    limits = GateLimits(
        min_completion=min_completion,
        min_score=min_score,
        max_regression=max_regression,
        min_robustness=min_robustness,
        max_cost_per_task=max_cost_per_task,
        max_seconds=max_seconds,
        max_invalid=max_invalid,
    )
    before = None if baseline is None else find_baseline(baseline, store)
    for folder in (run, *([] if before is None else [before.folder])):
        refuse_contradictions(folder)
    found = judge_gate(
        open_run(run),
        limits,
        baseline=before,
        condition=condition,
        level=level,
        sure=sure,
        cost_of_whom=cost_of,
    )
    if found.comparison is not None and not force:
        found.comparison.check_fair()
    if as_json:
        from worktrial.results.machine import gate_output

        say_json(gate_output(found).text())
    else:
        print_gate(found)
    if junit is not None:
        _write(junit, outcome.junit_xml(found), append=False)
    if sarif is not None:
        _write(sarif, outcome.sarif(found), append=False)
    if annotations == "github" or (annotations == "auto" and os.environ.get("GITHUB_ACTIONS") == "true"):
        for line in outcome.github_annotations(found):
            # GitHub reads both streams; JSON stays whole.
            say(line, err=as_json)
    summary = summary or _summary_of_step()
    if summary is not None:
        _write(summary, outcome.gate_markdown(found).encode(), append=True)
    if not found.passed:
        raise typer.Exit(GATE_FAILED)


def _summary_of_step() -> Path | None:
    path = os.environ.get("GITHUB_STEP_SUMMARY")
    return Path(path) if path else None


def _write(path: Path, data: bytes, *, append: bool) -> None:
    try:
        with path.open("ab" if append else "wb") as file:
            file.write(data)
    except OSError as e:
        raise DataError(
            path, f"cannot be written ({e.strerror})", "Name a file in a folder that is there"
        ) from None


def print_gate(gate: Gate, console: SafeConsole | None = None) -> None:
    """A line for each criterion with what was observed, then the verdict."""
    console = console or SafeConsole()
    if gate.label:
        console.print(Text(printable(gate.label), style="yellow"), soft_wrap=True)
    for criterion in gate.criteria:
        word, style = ("passed", "green") if criterion.passed else ("FAILED", "bold red")
        rest = f"  {flag(criterion.name)} {criterion.limit:g}: {criterion.reason}"
        console.print(Text.assemble((word, style), printable(rest)), soft_wrap=True)
    failed = sum(not criterion.passed for criterion in gate.criteria)
    about = f"{gate.run}, {gate.condition}"
    if gate.baseline is not None:
        about += f", baseline {gate.baseline}"
    verdict = "passed" if gate.passed else f"failed ({failed} of {len(gate.criteria)} criteria)"
    console.print(Text(printable(f"gate {verdict}: {about}"), style="bold"), soft_wrap=True)
