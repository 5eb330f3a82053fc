"""Where a run is strong: its completion by a tag of the samples."""

from dataclasses import dataclass

from worktrial.engine.record import SampleRecord
from worktrial.engine.stored import StoredRun
from worktrial.results.boards.estimates import Estimate, completion_estimate
from worktrial.results.summary import completion
from worktrial.statistics import CompletionRate


@dataclass(frozen=True, slots=True)
class Part:
    """The samples that share a value of the tag."""

    completion: CompletionRate
    of_all: Estimate
    """Share of passes among all; scenarios are drawn as a whole for the interval."""


def profile(run: StoredRun, condition: str, tag: str = "category") -> dict[str, Part]:
    """The parts of `run` under one condition, by value of `tag`; {} where no sample has it."""
    found: dict[str, list[SampleRecord]] = {}
    for record in run.records:
        if record.condition == condition and record.tags.get(tag) is not None:
            found.setdefault(str(record.tags[tag]), []).append(record)
    return {value: Part(completion(found[value]), completion_estimate(found[value])) for value in sorted(found)}
