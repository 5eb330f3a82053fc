"""Recommendation whom to hire, and how sure that is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import msgspec

from worktrial.engine.identity import TrialIdentity
from worktrial.engine.pairing import SamplePair
from worktrial.engine.stored import StoredRun, agent_of
from worktrial.results.boards.shared import Basis, SharedSamples
from worktrial.results.comparison.outcomes import paired_table
from worktrial.results.completion import paired_tries
from worktrial.results.estimates import BoardEstimate, completion_estimate
from worktrial.statistics import MARGIN, Conclusion, Estimate, conclude, difference, pooled
from worktrial.suite import suite_of

LEVEL = 0.05


@dataclass(frozen=True, slots=True)
class Contest:
    """Two agents on the tasks on which both have a verdict."""

    only_first: int
    """Samples that only the first passed."""
    only_second: int
    tasks: int
    left_out: int
    """Samples without two verdicts, or under other faults in the one run than in the other."""
    difference: Estimate | None
    """Second minus first on work like this; its interval holds for all comparisons of the recommendation
    together. By industry it is pooled in part (`statistics.pooled`). None without a task."""
    conclusion: Conclusion
    """About the second."""


class HireConclusion(StrEnum):
    """Outcome of the comparisons of the agents."""

    ALONE = "alone"  # fewer than two agents to compare
    NOTHING_SHARED = "nothing shared"  # no task that all have
    NOTHING_PASSED = "nothing passed"
    UNKNOWN = "not enough to tell"  # nobody is shown to be as good as all others
    AS_GOOD = "as good"  # somebody is as good as all others, within the margin
    BETTER = "better"  # somebody is better than all others


@dataclass(frozen=True, slots=True)
class Contender:
    """One agent on the tasks that all have."""

    run: StoredRun
    passed: int
    samples: int
    rate: BoardEstimate
    """Share of all samples that passed; an invalid one counts as not passed."""
    cost: float | None
    """US dollars per sample, on the recommendation's basis; None where that is not known."""
    against_best: Contest | None
    """The best as the first, this one as the second; None for the best itself."""
    is_candidate: bool
    """Whether it is shown to be as good as, or better than, each of the others."""


@dataclass(frozen=True, slots=True)
class Recommendation:
    """Recommendation for one group of agents."""

    finding: HireConclusion
    contenders: tuple[Contender, ...]
    """The best first; of equal rates the cheaper one."""
    hire: StoredRun | None
    """The cheapest candidate that is significantly cheaper than the best of them, else that best one. None without
    a candidate, and where several have costs that are not all known."""
    basis: Basis | None
    margin: float
    """Shortfall that does not matter, as a share."""
    left_out: tuple[StoredRun, ...]
    """Runs with less than half of the tasks of the largest: they would shrink the common tasks for all."""
    references: tuple[StoredRun, ...]
    """Runs of agents without a model that ship with the suite: its floor and its ceiling, never hired."""
    repeated: tuple[StoredRun, ...]
    """Further runs of an agent that stands here already: no choice between two of them."""
    not_shared: int
    """Samples of the largest run that not all contenders have."""

    @property
    def candidates(self) -> list[Contender]:
        """Agents that are as good as all others."""
        return [contender for contender in self.contenders if contender.is_candidate]


def recommend(runs: Sequence[StoredRun], condition: str, *, margin: float = MARGIN) -> Recommendation:
    """Recommend one of the agents of a group (`groups`), by the samples under one condition.

    Hired is only who is shown to be no worse than every other agent by the margin or more, on work like this. An
    agent that is worse than the best by the margin passes that test against the best with a chance of LEVEL / 2 at
    most for all agents together (Bonferroni over agents), however the best one was found.

    Args:
        runs: Runs that may be compared.
        condition: The condition; under faults a rate is what these leave.
        margin: Shortfall that does not matter, as a share.
    """
    return _recommend(runs, {"": ""}, condition, "", margin)[""]


def recommend_by(
    runs: Sequence[StoredRun], condition: str, tag: str = "category", *, margin: float = MARGIN
) -> dict[str, Recommendation]:
    """Recommend an agent for every value of `tag`.

    All of them together are one family of comparisons, and each is helped by the others (`statistics.pooled`).
    """
    values = {str(r.tags[tag]) for run in runs for r in run.records if tag in r.tags and r.condition == condition}
    return _recommend(runs, {value: value for value in sorted(values)}, condition, tag, margin)


def _recommend(
    runs: Sequence[StoredRun], scopes: Mapping[str, str], condition: str, tag: str, margin: float
) -> dict[str, Recommendation]:
    references = [run for run in runs if is_reference(run)]
    kept, repeated = _one_run_each([run for run in runs if run not in references], condition)
    samples = {name: SharedSamples(kept, condition, tag, value) for name, value in scopes.items()}
    problems = {name: _problem(of) for name, of in samples.items()}
    family = sum(len(of.runs) - 1 for name, of in samples.items() if problems[name] is None)
    found = {}
    contests: dict[str, _Contest] = {}
    for name, of in samples.items():
        contests[name] = _Contest(of, margin, 1 - LEVEL / max(1, family), contests)
    for name, of in samples.items():
        contest = contests[name]
        contenders, hire, basis = ((), None, None) if problems[name] else _decided(of, contest)
        found[name] = Recommendation(
            finding=problems[name] or _finding(of, contest),
            contenders=contenders,
            hire=hire,
            basis=basis,
            margin=margin,
            left_out=of.left_out,
            references=tuple(references),
            repeated=tuple(repeated),
            not_shared=of.not_shared,
        )
    return found


def versus(first: StoredRun, second: StoredRun, condition: str, *, margin: float = MARGIN) -> Contest | None:
    """The contest of two runs by itself, at 95 %; None where they share no sample under `condition`."""
    samples = SharedSamples([first, second], condition)
    if len(samples.runs) < 2 or not samples.keys:
        return None
    return _Contest(samples, margin, 1 - LEVEL, {}).of(0, 1)


def is_reference(run: StoredRun) -> bool:
    """Whether the agent of a run ships with its suite and needs no model."""
    suite = suite_of(run.manifest)
    return suite is not None and agent_of(run.manifest) in suite.reference_agents


def _one_run_each(runs: Sequence[StoredRun], condition: str) -> tuple[list[StoredRun], list[StoredRun]]:
    """The run of each agent with the most samples, and the others."""
    largest: dict[bytes, StoredRun] = {}
    for run in sorted(runs, key=lambda run: -sum(record.condition == condition for record in run.records)):
        largest.setdefault(_identity(run), run)
    kept = [run for run in runs if any(run is one for one in largest.values())]
    return kept, [run for run in runs if not any(run is one for one in kept)]


def _identity(run: StoredRun) -> bytes:
    """Marks of one agent: who worked, by which settings and within which limits."""
    who = TrialIdentity.of(run.manifest).parts["agent"]
    known = "agent" in who or "model" in who
    return msgspec.json.encode(who, order="sorted") if known else str(run.folder).encode()


class _Contest:
    """Contests between the agents of one scope, each looked at once.

    Where there are several scopes, such as industries, a difference is drawn towards those of the same two agents
    in the others, as far as these are alike.
    """

    def __init__(
        self, samples: SharedSamples, margin: float, confidence: float, scopes: "Mapping[str, _Contest]"
    ) -> None:
        self._samples = samples
        self._scopes = scopes
        self._margin = margin
        self._confidence = confidence
        self._known: dict[tuple[int, int], Contest] = {}
        self._alone: dict[tuple[int, int], tuple[list[SamplePair], int, Estimate | None]] = {}

    def of(self, first: int, second: int) -> Contest:
        """The contest of two runs by their positions."""
        if (first, second) not in self._known:
            self._known[first, second] = self._contest(first, second)
        return self._known[first, second]

    def is_candidate(self, n: int) -> bool:
        """Whether a run is as good as all others; the best is asked about first, as it says no soonest."""
        others = [other for other in self._samples.ranking if other != n]
        return all(self.of(other, n).conclusion in (Conclusion.BETTER, Conclusion.AS_GOOD) for other in others)

    def is_better(self, n: int) -> bool:
        """Whether a run is better than all others."""
        others = [other for other in self._samples.ranking if other != n]
        return all(self.of(other, n).conclusion is Conclusion.BETTER for other in others)

    def _contest(self, first: int, second: int) -> Contest:
        counted, left_out, alone = self._found(first, second)
        found = None if alone is None else self._drawn(first, second, alone)
        table = paired_table(counted)
        return Contest(
            only_first=table.only_first,
            only_second=table.only_second,
            tasks=len({pair.first.sample for pair in counted}),
            left_out=left_out,
            difference=found,
            conclusion=Conclusion.UNKNOWN if found is None else conclude(found, self._margin),
        )

    def _found(self, first: int, second: int) -> tuple[list[SamplePair], int, Estimate | None]:
        """Pairs of this scope that count, how many do not, and the difference that they show by themselves."""
        if (first, second) not in self._alone:
            theirs = {record.key: record for record in self._samples.records[second]}
            pairs = [SamplePair(record, theirs[record.key]) for record in self._samples.records[first]]
            counted = [pair for pair in pairs if pair.both_judged and pair.same_faults]
            found = difference(paired_tries(counted), confidence=self._confidence) if counted else None
            self._alone[first, second] = counted, len(pairs) - len(counted), found
        return self._alone[first, second]

    def _drawn(self, first: int, second: int, alone: Estimate) -> Estimate:
        """The difference, with the help of the other scopes."""
        one, other = self._samples.runs[first], self._samples.runs[second]
        elsewhere = [scope._between(one, other) for scope in self._scopes.values() if scope is not self]
        return pooled([alone, *filter(None, elsewhere)], confidence=self._confidence)[0]

    def _between(self, first: StoredRun, second: StoredRun) -> Estimate | None:
        """The difference that two runs show in this scope; None where one of them is not in it."""
        places = [[n for n, run in enumerate(self._samples.runs) if run is wanted] for wanted in (first, second)]
        return self._found(places[0][0], places[1][0])[2] if all(places) and self._samples.keys else None


def _finding(samples: SharedSamples, contest: _Contest) -> HireConclusion:
    ranking = samples.ranking
    if contest.is_better(ranking[0]):
        return HireConclusion.BETTER
    return HireConclusion.AS_GOOD if any(map(contest.is_candidate, ranking)) else HireConclusion.UNKNOWN


def _decided(
    samples: SharedSamples, contest: _Contest
) -> tuple[tuple[Contender, ...], StoredRun | None, Basis | None]:
    """The contenders, the one to hire, and what their costs are those of."""
    order = samples.ranking
    candidates = [n for n in order if contest.is_candidate(n)]
    costs, basis = samples.costs(order)
    if basis is None and candidates:
        costs, basis = samples.costs(candidates)
    hire = None
    if len(candidates) == 1:
        hire = candidates[0]
    elif candidates and basis is not None:
        hire = _cheapest(samples, sorted(candidates, key=costs.__getitem__), candidates[0], basis)
    contenders = tuple(
        Contender(
            run=samples.runs[n],
            passed=samples.passed(n),
            samples=len(samples.records[n]),
            rate=completion_estimate(samples.records[n]),
            cost=costs.get(n),
            against_best=None if n == order[0] else contest.of(order[0], n),
            is_candidate=n in candidates,
        )
        for n in order
    )
    return contenders, None if hire is None else samples.runs[hire], basis


def _cheapest(samples: SharedSamples, by_cost: Sequence[int], best: int, basis: Basis) -> int:
    """The first whose saving against the best of them is more than chance."""
    for n in by_cost:
        if n == best:
            break
        saving = samples.saving(best, n, basis)
        if saving.interval is not None and saving.interval.low > 0:
            return n
    return best


def _problem(samples: SharedSamples) -> HireConclusion | None:
    """Why there is nothing to test."""
    if len(samples.runs) < 2:
        return HireConclusion.ALONE
    if not samples.keys:
        return HireConclusion.NOTHING_SHARED
    if not any(samples.passed(n) for n in range(len(samples.runs))):
        return HireConclusion.NOTHING_PASSED
    return None
