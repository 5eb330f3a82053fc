"""Outcomes of samples by task and repeat, of which nothing else is kept."""

from collections.abc import Iterable, Mapping
from typing import Any

from worktrial.engine.record import SampleRecord, tag_text
from worktrial.grading import Outcome

_PASS = Outcome.PASS


class TaskOutcomes:
    """Outcomes of the tries of one task under one condition."""

    __slots__ = ("by_repeat", "sample", "scenario", "tags")

    def __init__(self, sample: str, scenario: str | None = None, tags: Mapping[str, Any] | None = None) -> None:
        self.sample = sample
        """Id of the task."""
        self.scenario = scenario
        """Scenario of the task; None without one."""
        self.tags = tags
        """Tags of the first sample; None before there is one."""
        self.by_repeat: dict[int, Outcome] = {}
        """Outcome of each try."""

    @property
    def values(self) -> tuple[float, ...]:
        """Value of each try: 1 where it passed; an invalid one did not."""
        return tuple([1.0 if outcome is _PASS else 0.0 for outcome in self.by_repeat.values()])

    def put(self, repeat: int, outcome: Outcome) -> bool:
        """Take in a try; a second one of the same number counts, too. Returns whether it is the first."""
        is_first = repeat not in self.by_repeat
        self.by_repeat[repeat if is_first else -1 - len(self.by_repeat)] = outcome
        return is_first


class OutcomeTally:
    """Outcomes of samples of one condition."""

    def __init__(self) -> None:
        self.tasks: dict[str, TaskOutcomes] = {}
        """Tasks by id, in the order of their first samples."""
        self.is_repeated = False
        """Whether a repeat of a task was counted twice."""
        # Tags of samples that have others than the first of their task, by task and repeat.
        self._apart: dict[str, dict[int, Mapping[str, Any]]] = {}

    def add(self, record: SampleRecord) -> None:
        """Count one sample."""
        self.add_all((record,))

    def add_all(self, records: Iterable[SampleRecord]) -> None:
        """Count samples."""
        # Once for each of a million samples: every step tells.
        tasks = self.tasks
        for record in records:
            own = tasks.get(record.sample)
            if own is None:
                own = tasks[record.sample] = TaskOutcomes(record.sample, record.scenario, record.tags)
            elif own.tags is not record.tags and own.tags != record.tags:
                if own.tags is None:
                    own.scenario, own.tags = record.scenario, record.tags
                else:
                    self._apart.setdefault(own.sample, {})[record.repeat] = record.tags
            by_repeat = own.by_repeat
            if record.repeat in by_repeat:
                self.is_repeated = True
                own.put(record.repeat, record.outcome)
            else:
                by_repeat[record.repeat] = record.outcome

    def by_tag(self, tag: str) -> "dict[str, OutcomeTally]":
        """The same outcomes by the value of a tag, those without it left out."""
        found: dict[str, OutcomeTally] = {}
        for task in self.tasks.values():
            shared, apart = task.tags or {}, self._apart.get(task.sample)
            if apart is None:
                if tag in shared:
                    found.setdefault(str(shared[tag]), OutcomeTally()).tasks[task.sample] = task
                continue
            for repeat, outcome in task.by_repeat.items():
                tags = apart.get(repeat, shared)
                if tag in tags:
                    name = str(tags[tag])
                    tasks = (found.get(name) or found.setdefault(name, OutcomeTally())).tasks
                    own = tasks.get(task.sample)
                    if own is None:
                        own = tasks[task.sample] = TaskOutcomes(task.sample, tag_text(tags, "scenario"), tags)
                    own.by_repeat[repeat] = outcome
        return found
