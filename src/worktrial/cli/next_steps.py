"""What to look at after a summary."""

import shlex

from rich.text import Text

from worktrial.cli.untrusted import printable
from worktrial.engine.record import CLEAN, SampleRecord
from worktrial.engine.stored import StoredRun
from worktrial.grading import Outcome
from worktrial.results.summary import Summary


def next_line(run: StoredRun, summary: Summary) -> Text:
    """Commands that tell more about `run`: as a report, beside another run, and one of its samples."""
    folder = shlex.quote(str(run.folder))
    commands = [f"worktrial report {folder}", f"worktrial compare {folder} OTHER"]
    sample = _worth_a_look(run, summary.headline)
    if sample is not None:
        repeat = f" --repeat {sample.repeat}" if sample.repeat else ""
        condition = f" --condition {shlex.quote(sample.condition)}" if sample.condition != CLEAN else ""
        commands.append(f"worktrial trajectory {folder} {shlex.quote(sample.sample)}{repeat}{condition}")
    return Text.assemble(("more: ", "dim"), printable(" · ".join(commands)))


def _worth_a_look(run: StoredRun, condition: str) -> SampleRecord | None:
    """A failure of the condition, or of another, or else any sample with a verdict."""
    judged = [record for record in run.records if record.outcome is not Outcome.INVALID]
    return min(judged, key=lambda r: (r.outcome is Outcome.PASS, r.condition != condition), default=None)
