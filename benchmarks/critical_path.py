"""The longest chain of model calls in a finished synthesis, each of which had to wait for the one before it.

What follows from what is the pipeline's own order: sub-topics, a reference for each, then for each slot its
workplace, its task, runs with the plan, free runs, and where it failed a repair and all runs again. Slots do not
wait for each other. Runs of a batch go side by side; the next batch waits for the last of them.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import msgspec
from tests.support.synthesis.office import OVERLAP

from worktrial.synthesis.artifacts import RunRow
from worktrial.synthesis.calibration import Rule, rules_of
from worktrial.synthesis.calibration.rules import Outlook
from worktrial.synthesis.spec import JobSpec

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class CriticalPath:
    """Of a synthesis."""

    calls: int
    slot: str
    """At whose end the chain ends."""
    runs: int
    """Of all slots."""

    def seconds(self, latency: float) -> float:
        """How long the chain takes where every call takes `latency` seconds."""
        return self.calls * latency


def critical_path(suite: Path, log: Path, spec: JobSpec) -> CriticalPath:
    """The longest chain of calls.

    Args:
        suite: The folder of the finished suite.
        log: What the server wrote down of the author's answers; see `tests.support.synthesis.office.Everyone`.
        spec: With which runs were asked for.
    """
    purposes = [msgspec.json.decode(line) for line in log.read_bytes().splitlines()]
    answers = Counter(purposes)
    beginning = _beginning(purposes)
    rules = rules_of(spec)
    ends = {}
    runs = 0
    for purpose in answers:
        kind, _, slot = purpose.partition("/")
        if kind != "workplace":
            continue
        calls = beginning + answers[f"reference/{slot.rpartition('-')[0]}"]
        calls += sum(answers[f"{kind}/{slot}"] for kind in ("workplace", "task", "repair"))
        rows = _lines(suite / "work" / "runs" / f"{slot}.jsonl", RunRow)
        runs += len(rows)
        # A version that a static check stopped cost no run.
        for content in {row.content for row in rows}:
            for run, rule in (("plan", rules.plan), ("free", rules.free)):
                calls += sum(_batches([r for r in rows if r.content == content and r.kind == run], rule))
        ends[slot] = calls
    longest = max(ends, key=lambda slot: ends[slot])
    return CriticalPath(ends[longest], longest, runs)


def _beginning(purposes: Sequence[str]) -> int:
    """Calls until the sub-topics stand. The pairs that a judge compares after a list go side by side."""
    first = [purpose for purpose in purposes if purpose in ("subtopics", OVERLAP)]
    return sum(
        purpose != before or purpose == "subtopics" for before, purpose in zip(["", *first], first, strict=False)
    )


def _batches(rows: Sequence[RunRow], rule: Rule) -> Iterator[int]:
    """Calls of the longest run of each batch."""
    by_number = {row.number: row for row in rows}
    outlook = Outlook(rule)
    made = passed = judged = 0
    while made < len(by_number):
        batch = range(made, min(made + max(1, outlook.batch(passed, judged)), len(by_number)))
        yield max(_calls(by_number[number]) for number in batch)
        passed += sum(by_number[number].outcome == "pass" for number in batch)
        judged += sum(by_number[number].outcome != "invalid" for number in batch)
        made = batch.stop


def _calls(row: RunRow) -> int:
    """Model calls of a run, one after the other: the agent's, an answer to each of its calls, and the votes."""
    return 2 * row.calls + 1 + len(row.votes)


def _lines(path: Path, kind: type[T]) -> list[T]:
    if not path.exists():
        return []
    return [msgspec.json.decode(line, type=kind) for line in path.read_bytes().splitlines()]
