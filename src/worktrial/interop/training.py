"""Facts that every environment for training shares: splits of a run's tasks, and the reward of a result."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b

import msgspec

from worktrial.engine.record import SampleResult
from worktrial.engine.trial import Job
from worktrial.errors import SettingError
from worktrial.grading.reward import RewardKind, refused_calls, reward
from worktrial.language import JsonObject

TRAIN, TEST = "train", "test"
# Of a suite's scenarios, about one in so many is held back.
_ONE_IN = 5


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Tasks of a run, in splits that share no scenario."""

    splits: Mapping[str, Sequence[Job]]

    @classmethod
    def of(cls, jobs: Sequence[Job]) -> "Catalogue":
        """Catalogue of the tasks of `jobs`, each once.

        A scenario is drawn by its name alone, so that it stays in its split when others are added; only where all
        would fall on one side, one of them makes up the other.
        """
        tasks = [*{job.sample: job for job in jobs}.values()]
        drawn = {name: _drawn(name) for name in {scenario_of(task) for task in tasks}}
        held = {name for name, number in drawn.items() if number % _ONE_IN == 0}
        if len(drawn) > 1 and not 0 < len(held) < len(drawn):
            held = {max(drawn, key=drawn.__getitem__)}
        train = [task for task in tasks if scenario_of(task) not in held]
        return cls({TRAIN: train, TEST: [task for task in tasks if scenario_of(task) in held]})

    def tasks(self, split: str) -> Sequence[Job]:
        """Tasks of a split.

        Raises:
            SettingError: there is no such split.
        """
        if split not in self.splits:
            raise SettingError(f"split {split!r}: there is {' and '.join(self.splits)}")
        return self.splits[split]


def scenario_of(task: Job) -> str:
    """Name of a task's scenario; its own where it has none."""
    return str(task.tags.get("scenario", task.sample))


def _drawn(name: str) -> int:
    return int.from_bytes(blake2b(name.encode(), digest_size=8).digest())


def reward_of(result: SampleResult, kind: RewardKind) -> float:
    """Reward of a judged sample; see `worktrial.grading.reward`.

    Raises:
        NoReward: the sample is invalid.
        SettingError: the share of checks is asked for where code checks nothing.
    """
    refused = refused_calls((result.trajectory or {}).get("calls", ()))
    return reward(result.outcome, reason=result.reason, checks=result.checks, refused=refused, kind=kind)


def judged(result: SampleResult) -> JsonObject:
    """Report of a judged sample for another program's record: enough to reckon any reward again."""
    calls = (result.trajectory or {}).get("calls", ())
    return {
        "outcome": result.outcome.value,
        "reason": result.reason,
        "checks": msgspec.to_builtins(result.checks),
        "calls": len(calls),
        "refused": refused_calls(calls),
        "faults": msgspec.to_builtins(result.fault_ledger),
    }
