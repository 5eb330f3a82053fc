"""`worktrial gate RUN`: exit with 1 where a run does not keep to its limits."""

import os
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from rich.text import Text

from worktrial.cli.options import takes
from worktrial.cli.places import AsJson, run_at, written
from worktrial.engine.notices import say, say_json
from worktrial.errors import flag
from worktrial.options import Flag, Options
from worktrial.results.gate import Gate
from worktrial.terminal import SafeConsole

_LIMITS = "Limits"
_JUDGING = "How they are judged"
_OUTPUT = "Output"

GATE_FAILED = 1


class GateOptions(Options):
    """Limits of a run, and how they are judged and told."""

    min_completion: Annotated[float | None, Flag(_LIMITS)] = None
    """Least completion rate, 0 to 1; an invalid sample counts as not passed."""
    min_score: Annotated[float | None, Flag(_LIMITS)] = None
    """Least mean score, -1 to 1, of a suite whose samples have one, such as shifts."""
    max_regression: Annotated[float | None, Flag(_LIMITS)] = None
    """Largest drop of the completion rate below --baseline that is let pass, 0.03 for 3 points. A drop fails the
    gate when it is larger than this margin and significant at --level."""
    min_robustness: Annotated[float | None, Flag(_LIMITS)] = None
    """Least R: what the worst kind of faults leaves of the rate without; needs --faults all."""
    max_cost_per_task: Annotated[float | None, Flag(_LIMITS)] = None
    """US dollars, mean of the samples with a verdict."""
    max_seconds: Annotated[float | None, Flag(_LIMITS)] = None
    """Wall clock, mean of the samples with a verdict."""
    max_invalid: Annotated[float | None, Flag(_LIMITS)] = None
    """Largest share of invalid samples, 0 to 1, over all conditions."""
    baseline: Annotated[str | None, Flag(_JUDGING, metavar="RUN2|NAME")] = None
    """The run to compare with: its folder, or its name where `worktrial baseline set` has pinned it."""
    store: Annotated[Path, Flag(_JUDGING, metavar="FOLDER")] = Path("runs/gates")
    """Folder of pinned baselines."""
    level: Annotated[float, Flag(_JUDGING)] = 0.05
    """A drop is significant below this p value; intervals fit to it, 95 % for 0.05."""
    sure: Annotated[bool, Flag(_JUDGING)] = False
    """Chance has to be ruled out: the end of the interval must keep to the limit, not just the value. So a drop by
    more than the margin has to lie outside the interval."""
    condition: Annotated[str | None, Flag(_JUDGING)] = None
    """The fault condition that completion, regression, cost and time are about. Default: E0, or the first."""
    cost_of: Annotated[Literal["all", "agent"], Flag(_JUDGING)] = "all"
    """Whose requests cost: all roles', or the agent's own."""
    force: Annotated[bool, Flag(_JUDGING)] = False
    """Go on when the baseline is not comparable; all that is shown says so."""
    junit: Annotated[Path | None, Flag(_OUTPUT, metavar="FILE")] = None
    """Write JUnit XML into this file."""
    sarif: Annotated[Path | None, Flag(_OUTPUT, metavar="FILE")] = None
    """Write SARIF 2.1.0 into this file, for code scanning."""
    annotations: Annotated[Literal["auto", "github", "none"], Flag(_OUTPUT)] = "auto"
    """Print each criterion that failed as an annotation of the job, too. auto: in a job of GitHub Actions
    ($GITHUB_ACTIONS)."""
    summary: Annotated[Path | None, Flag(_OUTPUT, metavar="FILE")] = None
    """Append Markdown to this file. Default: $GITHUB_STEP_SUMMARY, where it is set."""


@takes(lambda: GateOptions)
def gate(
    run: Annotated[Path, run_at("Folder or address of the run.", records=True)],
    as_json: AsJson = False,
    **given: Any,
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

    asked = GateOptions.read(given, suite="gate")
    check_level(asked.level)
    limits = GateLimits(**{field.name: getattr(asked, field.name) for field in fields(GateLimits)})
    before = None if asked.baseline is None else find_baseline(asked.baseline, asked.store)
    for folder in (run, *([] if before is None else [before.folder])):
        refuse_contradictions(folder)
    found = judge_gate(
        open_run(run),
        limits,
        baseline=before,
        condition=asked.condition,
        level=asked.level,
        sure=asked.sure,
        cost_of_whom=asked.cost_of,
    )
    if found.comparison is not None and not asked.force:
        found.comparison.check_fair()
    if as_json:
        from worktrial.results.machine import gate_output

        say_json(gate_output(found).text())
    else:
        print_gate(found)
    if asked.junit is not None:
        _write(asked.junit, outcome.junit_xml(found), append=False)
    if asked.sarif is not None:
        _write(asked.sarif, outcome.sarif(found), append=False)
    in_a_job = os.environ.get("GITHUB_ACTIONS") == "true"
    if asked.annotations == "github" or (asked.annotations == "auto" and in_a_job):
        for line in outcome.github_annotations(found):
            # GitHub reads both streams; JSON stays whole.
            say(line, err=as_json)
    if summary := asked.summary or os.environ.get("GITHUB_STEP_SUMMARY"):
        _write(Path(summary), outcome.gate_markdown(found).encode(), append=True)
    if not found.passed:
        raise typer.Exit(GATE_FAILED)


def _write(path: Path, data: bytes, *, append: bool) -> None:
    with written(path), path.open("ab" if append else "wb") as file:
        file.write(data)


def print_gate(gate: Gate) -> None:
    """A line for each criterion with what was observed, then the verdict."""
    console = SafeConsole()
    if gate.label:
        console.print(Text(gate.label, style="yellow"), soft_wrap=True)
    for criterion in gate.criteria:
        word, style = ("passed", "green") if criterion.passed else ("FAILED", "bold red")
        rest = f"  {flag(criterion.name)} {criterion.limit:g}: {criterion.reason}"
        console.print(Text.assemble((word, style), rest), soft_wrap=True)
    failed = sum(not criterion.passed for criterion in gate.criteria)
    about = f"{gate.run}, {gate.condition}" + ("" if gate.baseline is None else f", baseline {gate.baseline}")
    verdict = "passed" if gate.passed else f"failed ({failed} of {len(gate.criteria)} criteria)"
    console.print(Text(f"gate {verdict}: {about}", style="bold"), soft_wrap=True)
