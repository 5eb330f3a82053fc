"""What in a finished synthesis had to wait for what, and the longest chain of model calls that follows.

The order is the pipeline's own: sub-topics, a reference for each, then for each slot its workplace, its task, runs
with the plan, free runs, and where it failed a repair and all runs again. Slots do not wait for each other. Runs of
a batch go side by side; the next batch waits for the last of them.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec
from tests.support.synthesis.office import OVERLAP

from worktrial.synthesis.artifacts import JobSpec, SlotRun
from worktrial.synthesis.calibration.rules import Outlook, StoppingRule, rules_of

T = TypeVar("T")

Stage = list[int]
"""Chains that go side by side, as the number of calls of each."""


class Shape(msgspec.Struct, frozen=True):
    """Of a synthesis."""

    beginning: int
    """Calls, one after the other, until the sub-topics stand."""
    slots: dict[str, list[Stage]]
    """Slot to its stages, each of which waits for the one before. The reference stands in each slot of its
    sub-topic, and the calls of repairs at the end, which makes no chain longer or shorter."""

    @property
    def runs(self) -> int:
        """Calibration runs of all slots."""
        return sum(len(stage) for stages in self.slots.values() for stage in stages) - 2 * len(self.slots)

    @property
    def longest(self) -> str:
        """The slot that takes the longest chain."""
        return max(self.slots, key=self._chain)

    @property
    def calls(self) -> int:
        """Of the longest chain, from the beginning to its slot's end."""
        return self.beginning + self._chain(self.longest)

    def _chain(self, slot: str) -> int:
        return sum(max(stage) for stage in self.slots[slot])


def shape_of(suite: Path, log: Path, spec: JobSpec) -> Shape:
    """The shape of a finished suite.

    Args:
        suite: Its folder.
        log: What the server wrote down of the author's answers; see `tests.support.synthesis.office.Everyone`.
        spec: With which runs were asked for.
    """
    purposes = [msgspec.json.decode(line) for line in log.read_bytes().splitlines()]
    answers = Counter(purposes)
    rules = rules_of(spec)
    slots = {}
    for slot in [p.partition("/")[2] for p in answers if p.startswith("workplace/")]:
        reference = answers[f"reference/{slot.rpartition('-')[0]}"]
        stages = [[reference + answers[f"workplace/{slot}"] + answers[f"task/{slot}"]]]
        rows = _lines(suite / "work" / "runs" / f"{slot}.jsonl", SlotRun)
        # A version that a static check stopped cost no run.
        for content in dict.fromkeys(row.content for row in rows):
            for kind, rule in (("plan", rules.plan), ("free", rules.free)):
                stages += _batches([r for r in rows if r.content == content and r.kind == kind], rule)
        slots[slot] = [*stages, [answers[f"repair/{slot}"]]]
    return Shape(_beginning(purposes), slots)


def _beginning(purposes: Sequence[str]) -> int:
    """The pairs that a judge compares after a list of sub-topics go side by side."""
    first = [purpose for purpose in purposes if purpose in ("subtopics", OVERLAP)]
    pairs = zip(["", *first], first, strict=False)
    return sum(purpose != before or purpose == "subtopics" for before, purpose in pairs)


def _batches(rows: Sequence[SlotRun], rule: StoppingRule) -> Iterator[Stage]:
    by_number = {row.number: row for row in rows}
    outlook = Outlook(rule)
    made = passed = judged = 0
    while made < len(by_number):
        batch = range(made, min(made + max(1, outlook.batch(passed, judged)), len(by_number)))
        yield [_calls(by_number[number]) for number in batch]
        passed += sum(by_number[number].outcome == "pass" for number in batch)
        judged += sum(by_number[number].outcome != "invalid" for number in batch)
        made = batch.stop


def _calls(row: SlotRun) -> int:
    """Model calls of a run, one after the other: the agent's, an answer to each of its calls, and the votes."""
    return 2 * row.calls + 1 + len(row.votes)


def _lines(path: Path, kind: type[T]) -> list[T]:
    if not path.exists():
        return []
    return [msgspec.json.decode(line, type=kind) for line in path.read_bytes().splitlines()]
