"""Summary of a stored run: rates with intervals, costs, reasons."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TypeVar

from worktrial.engine.record import Key, RoleUsage, SampleRecord
from worktrial.engine.stored import StoredRun
from worktrial.grading import Outcome, majority
from worktrial.results.conditions import headline, in_order
from worktrial.results.contradictions import contradiction_in, judging_suite
from worktrial.results.duties import DutyCounts, duty_counts
from worktrial.results.fault_metrics import FaultedSample, FaultMetrics, faulted, faults_of, total
from worktrial.results.figure import Ask, RunFigures, Samples, reckon
from worktrial.results.observed import ObservedRun, observed_in
from worktrial.results.spending import Total, cost_of, replayed_mark, unseen
from worktrial.statistics import Agreement, agreement
from worktrial.workplaces import ContextUse
from worktrial.workplaces.watch import SimulatorHealth

_Counts = TypeVar("_Counts", SimulatorHealth, ContextUse)


@dataclass(frozen=True, slots=True)
class Summary:
    """One run at a glance."""

    figures: RunFigures
    """Everything that is said with an interval. Conditions are never mixed into one rate."""
    faults: Mapping[str, FaultMetrics]
    """Conditions to the fault metrics of all their samples together; those without a planned fault are left out."""
    tries: tuple[int, int]
    """Fewest and most samples of a task in the headline condition; each counts in the rates."""
    missing: int
    """Samples that have not finished."""
    usage: Mapping[str, RoleUsage]
    """Totals by role."""
    cost: float | None
    """US dollars paid; None where a price is unknown."""
    takes: float | None
    """US dollars that the samples take together: as `cost`, but replayed requests at what they would have cost.
    None where that is not known, or where nobody sees what the agent spends."""
    replayed: str
    """Mark of `takes` where some samples were answered from the request cache; else ""."""
    stop_reasons: Mapping[str, int]
    invalid_reasons: Mapping[str, int]
    agreement: Agreement | None
    """Between the judge's votes; None where no sample was voted on."""
    simulation: SimulatorHealth | None
    """Checks of the simulator's answers; None where no simulator was watched."""
    context: ContextUse | None
    """Counts of what was dropped of conversations; None where everything was kept."""
    duties: DutyCounts | None
    """Counts of how the agent kept to its duties beside the tasks; None where it had none."""


_INVALID = Outcome.INVALID
_CONTRADICTIONS = 5  # told at most


def summarise(run: StoredRun) -> Summary:
    """The summary of `run`.

    Raises:
        DataError: a trajectory of a sample with faults is damaged.
    """
    return RunTally.of(run).summary()


class UsageTotals:
    """Sums of what samples took, by role."""

    def __init__(self) -> None:
        self._sums: dict[str, RoleUsage] = {}

    def add_all(self, records: Iterable[SampleRecord]) -> None:
        """Add what samples took."""
        apart: dict[str, list[RoleUsage]] = {}
        for role, one in chain.from_iterable([record.usage.items() for record in records]):
            apart.setdefault(role, []).append(one)
        for role, own in apart.items():
            self._sums[role] = _added([self._sums.get(role, RoleUsage()), *own])

    @property
    def by_role(self) -> dict[str, RoleUsage]:
        """Roles in the order of their names; a cost is None where one of its parts is."""
        return dict(sorted(self._sums.items()))


def _added(own: Sequence[RoleUsage]) -> RoleUsage:
    costs, spared = [one.cost for one in own], [one.replayed_cost for one in own]
    return RoleUsage(
        requests=sum([one.requests for one in own]),
        input_tokens=sum([one.input_tokens for one in own]),
        output_tokens=sum([one.output_tokens for one in own]),
        cached_tokens=sum([one.cached_tokens for one in own]),
        cost=None if None in costs else sum(costs),  # type: ignore[arg-type]
        replayed=sum([one.replayed for one in own]),
        replayed_cost=None if None in spared else sum(spared),  # type: ignore[arg-type]
        stored_tokens=sum([one.stored_tokens for one in own]),
    )


class RunTally:
    """Samples of a run added up; of most of them nothing else is kept.

    Args:
        run: The run; of its records those count that are added.
    """

    def __init__(self, run: StoredRun) -> None:
        self.run = run
        """The run, whose records need not be there."""
        self.samples = 0
        """Samples that were added."""
        self.contradictions: list[str] = []
        """Sentences on the first records that contradict themselves."""
        self._conditions: dict[str, Samples] = {}
        self._usage = UsageTotals()
        self._hides_cost = "cost" in unseen(run)
        self._suite = judging_suite(run.manifest)
        self._paid, self._takes = Total(), Total()
        self._replayed = 0
        self._stops: Counter[str] = Counter()
        self._invalid: Counter[str] = Counter()
        self._votes: Counter[tuple[bool | None, ...]] = Counter()
        self._faulted: dict[str, list[FaultedSample]] = {}
        self._simulation: SimulatorHealth | None = None
        self._context: ContextUse | None = None
        self._examples: dict[tuple[str, Outcome], Key] = {}

    @classmethod
    def of(cls, run: StoredRun) -> "RunTally":
        """All records of a run added up."""
        found = cls(run)
        found.add_all(run.records)
        return found

    def add_all(self, records: Sequence[SampleRecord]) -> None:
        """Add samples."""
        # For each of a million samples: what can be taken of many at once is.
        self.samples += len(records)
        conditions: dict[str, list[SampleRecord]] = {}
        for record in records:
            conditions.setdefault(record.condition, []).append(record)
        for name, own in conditions.items():
            self._samples(name).add_all(own)
            if planned := [*faulted(own)]:
                self._faulted.setdefault(name, []).extend(planned)
            for outcome in (Outcome.FAIL, Outcome.PASS):
                if (name, outcome) not in self._examples:
                    found = next((record.key for record in own if record.outcome is outcome), None)
                    self._examples |= {} if found is None else {(name, outcome): found}
        for record in records:
            if (said := contradiction_in(record, self._suite)) and len(self.contradictions) < _CONTRADICTIONS:
                self.contradictions.append(said)
        self._usage.add_all(records)
        self._paid.add_all([record.cost for record in records])
        self._takes.add_all([None if self._hides_cost else cost_of(record) for record in records])
        self._replayed += sum([record.replayed > 0 for record in records])
        self._stops.update([r.stop_reason for r in records if r.stop_reason and r.outcome is not _INVALID])
        self._invalid.update([r.reason.partition(":")[0] for r in records if r.outcome is _INVALID])
        self._votes.update([tuple([vote.is_correct for vote in r.votes]) for r in records if r.votes])
        self._simulation = _sum([self._simulation, *[record.simulation for record in records]], SimulatorHealth())
        self._context = _sum([self._context, *[record.context for record in records]], ContextUse())

    @property
    def is_repeated(self) -> bool:
        """Whether a sample was added twice, as where it ran again."""
        return any(samples.outcomes.is_repeated for samples in self._conditions.values())

    @property
    def headline(self) -> str:
        """The one condition whose completion rate stands for the run."""
        return headline(in_order(self._conditions))

    @property
    def example(self) -> Key | None:
        """Failure of the headline condition, or of another, or else any sample with a verdict."""
        chosen = self.headline
        names = [chosen, *(name for name in in_order(self._conditions) if name != chosen)]
        ranked = [(name, outcome) for outcome in (Outcome.FAIL, Outcome.PASS) for name in names]
        return next((self._examples[one] for one in ranked if one in self._examples), None)

    def observed(self) -> ObservedRun | None:
        """The agent as it was observed; None before any sample."""
        return observed_in(self.headline, self._conditions[self.headline].outcomes) if self.samples else None

    def figures(self, ask: Ask = Ask()) -> RunFigures:  # noqa: B008
        """The figures of what was added."""
        return reckon(self.run, {name: of for name, of in self._conditions.items() if of.outcomes.tasks}, ask)

    def summary(self) -> Summary:
        """The summary of what was added.

        Raises:
            DataError: a trajectory of a sample with faults is damaged.
        """
        shown = self._samples(self.headline).outcomes
        tries = [len(task.by_repeat) for task in shown.tasks.values()]
        return Summary(
            figures=self.figures(),
            faults=self._faults(),
            tries=(min(tries, default=0), max(tries, default=0)),
            missing=max(0, self.run.manifest.samples - self.samples),
            usage=self._usage.by_role,
            cost=self._paid.value,
            takes=self._takes.value,
            replayed=replayed_mark(self._replayed, self.samples),
            stop_reasons=dict(self._stops.most_common()),
            invalid_reasons=dict(self._invalid.most_common()),
            agreement=self._agreement(),
            simulation=self._simulation,
            context=self._context,
            duties=duty_counts(self.run),
        )

    def _samples(self, condition: str) -> Samples:
        if condition not in self._conditions:
            self._conditions[condition] = Samples(self.run)
        return self._conditions[condition]

    def _faults(self) -> dict[str, FaultMetrics]:
        metrics = faults_of(self.run.folder, chain.from_iterable(self._faulted.values()))
        return {
            name: total(metrics[sample.key] for sample in self._faulted[name]) for name in in_order(self._faulted)
        }

    def _agreement(self) -> Agreement | None:
        settings = self.run.manifest.settings
        planned = settings.get("votes", 1)
        # By the log-probability method a vote is an opinion on one statement, not on the sample.
        if not self._votes or planned < 2 or settings.get("judge_method") == "logprob":
            return None
        # Votes up to the majority are always cast; later ones only where those differ, which would bias it.
        return agreement(self._votes.elements(), first=majority(planned))


def simulator_health(records: Iterable[SampleRecord]) -> SimulatorHealth | None:
    """Checks of the simulator's answers over `records`; None where no simulator was watched."""
    return _sum([record.simulation for record in records], SimulatorHealth())


def _sum(counts: Iterable[_Counts | None], nothing: _Counts) -> _Counts | None:
    there = [one for one in counts if one is not None]
    return sum(there, nothing) if there else None
