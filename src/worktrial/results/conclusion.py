"""The conclusion of a trial: who does more of the work, by how much, under which faults, and how sure that is.

It is one sentence, and the same wherever runs are shown: at the end of a run, in a comparison, on a report's first
screen, in a notebook. What it rests on stands below it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations
from statistics import fmean
from typing import NamedTuple

import msgspec

from worktrial.engine.identity import TrialIdentity
from worktrial.engine.record import CLEAN
from worktrial.engine.stored import StoredRun, agent_of, name_of
from worktrial.places import shown_place
from worktrial.results.changes import RunPair, pair_of
from worktrial.results.completion import passed
from worktrial.results.conditions import condition_in_words
from worktrial.results.figure import figures_of
from worktrial.results.writing import counted, p_value, points, signed
from worktrial.statistics import MARGIN, Change, Conclusion, Estimand, Interval, conclude, tasks_needed
from worktrial.suite import suite_of

LEVEL = 0.05
_MANY = 10  # times as many tasks are more than anybody is told to run


class Named(NamedTuple):
    """A run under the name that people read."""

    name: str
    run: StoredRun


class Lead(NamedTuple):
    """A difference between two agents, first minus second, in shares or scores."""

    value: float
    interval: Interval
    p: float
    """P value of no difference, of this one alone."""
    n: int
    """Pairs of samples."""
    clusters: int

    @classmethod
    def of(cls, change: Change, *, turned: bool) -> "Lead | None":
        """The lead in a change between two runs.

        Args:
            change: Second minus first.
            turned: Whether the first run leads, so that it is first minus second.
        """
        if change.value is None or change.interval is None:
            return None
        value, (low, high) = change.value, change.interval
        if turned:
            value, low, high = -value, -high, -low
        return cls(value, Interval(low, high), 1.0 if change.p is None else change.p, change.n, change.clusters)


@dataclass(frozen=True, slots=True)
class Contest:
    """Two agents under one condition, on the samples that both tried."""

    condition: str
    both: int
    """Samples that both passed."""
    only_first: int
    """Samples that only the first passed."""
    only_second: int
    tasks: int
    left_out: int
    """Shared samples without two verdicts, or under other faults in the one run than in the other."""
    difference: Lead | None
    """First minus second on work like this, in shares or scores; its interval holds together with those of all
    contests of a conclusion. None without a sample that counts."""
    these: Lead | None
    """The same about these very tasks."""
    conclusion: Conclusion
    """About the first."""


class Standing(StrEnum):
    """Standing of the leader beside another agent, or all others."""

    ALONE = "only one agent was tried"
    NOTHING_SHARED = "no task in common"
    BETTER = "better"
    AS_GOOD = "at least as good"
    MIXED = "better under some conditions, worse under others"
    UNKNOWN = "not enough to tell"


@dataclass(frozen=True, slots=True)
class Rival:
    """An agent beside the leader."""

    name: str
    run: StoredRun
    contests: tuple[Contest, ...]
    """The leader as the first, this one as the second; a contest for each condition that both tried."""
    not_shared: int
    """Samples that only one of the two tried, under these conditions."""
    standing: Standing
    """About the leader."""


@dataclass(frozen=True, slots=True)
class TrialConclusion:
    """The conclusion about some runs."""

    sentence: str
    """Sentence on who does more, by how much, under which faults, and how sure that is."""
    standing: Standing
    leader: Named | None
    """Agent that does most on what it shares with the others; None without a sample."""
    rivals: tuple[Rival, ...]
    """The others, the closest first."""
    references: tuple[Named, ...]
    """Reference agents that were left aside, as several others were tried."""
    repeated: tuple[Named, ...]
    """Further runs of an agent that stands here already."""
    margin: float
    """Shortfall that does not matter, as a share."""


def conclude_on(
    runs: Sequence[Named],
    *,
    margin: float = MARGIN,
    level: float = LEVEL,
    condition: str | None = None,
    each: bool = False,
) -> TrialConclusion:
    """Conclude what comparable runs show.

    Args:
        runs: Runs of the same trial under the names that people read. They need not share all tasks.
        margin: Shortfall that does not matter, as a share.
        level: Of significance, for all that is compared together (Bonferroni).
        condition: The only condition that counts; None for all.
        each: Whether every run stands for itself; else reference agents stand aside where two others were tried,
            and of an agent that ran more than once the largest run counts.
    """
    pool, references, repeated = (list(runs), [], []) if each else _apart(runs)
    measure = _measure(pool)
    pairs = {(n, m): pair_of(pool[n].run, pool[m].run) for n, m in combinations(range(len(pool)), 2)}
    ranked = _ranked(pool, pairs, condition, measure)
    agents = [n for n in ranked if not is_reference(pool[n].run)]
    has_one = not each and len(agents) == 1
    if has_one:
        # A floor or a ceiling is no answer where there is an agent.
        ranked = agents + [n for n in ranked if n != agents[0]]
    if not ranked:
        nothing = "Nothing can be said: no sample has finished."
        return TrialConclusion(nothing, Standing.UNKNOWN, None, (), tuple(references), tuple(repeated), margin)
    first, *others = ranked
    beside = [pairs[min(first, n), max(first, n)] for n in others]
    # All that is compared together holds together.
    family = max(1, sum(len(_conditions(pair, condition)) for pair in beside))
    rivals = tuple(
        _rival(pool[n], pair, condition, measure, margin, 1 - level / family, turned=first < n)
        for n, pair in zip(others, beside, strict=True)
    )
    said = _Sentence(pool[first], rivals, measure, margin, level, family)
    text, standing = (said.alone, Standing.ALONE) if has_one else (said.text, said.standing)
    return TrialConclusion(text, standing, pool[first], rivals, tuple(references), tuple(repeated), margin)


def is_reference(run: StoredRun) -> bool:
    """Whether the agent of a run ships with its suite and needs no model."""
    suite = suite_of(run.manifest)
    return suite is not None and agent_of(run.manifest) in suite.reference_agents


def names_of(runs: Sequence[StoredRun]) -> list[Named]:
    """Runs by their agents; by their folders where all have the same; else by what tells them apart."""
    agents = [name_of(run.folder, run.manifest) for run in runs]
    folders = [run.folder.resolve().name for run in runs]
    both = [f"{agent} ({folder})" for agent, folder in zip(agents, folders, strict=True)]
    places = [shown_place(run.folder) for run in runs]
    tried = (agents, folders, both) if len({*agents}) == 1 else (agents, both)
    chosen = next((names for names in tried if len({*names}) == len(names)), places)
    return [Named(name, run) for name, run in zip(chosen, runs, strict=True)]


def _apart(runs: Sequence[Named]) -> tuple[list[Named], list[Named], list[Named]]:
    """Runs to compare, reference agents that stand aside, and further runs of one agent."""
    largest: dict[bytes, Named] = {}
    for one in sorted(runs, key=lambda one: -len(one.run.records)):
        largest.setdefault(_identity(one.run), one)
    kept = [one for one in runs if any(one is other for other in largest.values())]
    repeated = [one for one in runs if not any(one is other for other in kept)]
    agents = [one for one in kept if not is_reference(one.run)]
    if len(agents) < 2:
        return kept, [], repeated
    return agents, [one for one in kept if is_reference(one.run)], repeated


def _identity(run: StoredRun) -> bytes:
    """Marks of one agent: who worked, by which settings and within which limits."""
    who = TrialIdentity.of(run.manifest).parts["agent"]
    known = "agent" in who or "model" in who
    return msgspec.json.encode(who, order="sorted") if known else str(run.folder).encode()


def _measure(runs: Sequence[Named]) -> str:
    """Figure that agents are compared by: whether they pass, or the score of their suite."""
    suite = suite_of(runs[0].run.manifest) if runs else None
    return "completion_of_valid" if suite is None or suite.score is None else "score"


def _ranked(
    pool: Sequence[Named], pairs: Mapping[tuple[int, int], RunPair], condition: str | None, measure: str
) -> list[int]:
    """Places of runs with samples, by how much more each does than the others on what they share."""
    there = [n for n, one in enumerate(pool) if any(condition in (None, r.condition) for r in one.run.records)]
    leads = dict.fromkeys(there, 0.0)
    for n, m in combinations(there, 2):
        changes = [pairs[n, m].rate(measure, name).value for name in _conditions(pairs[n, m], condition)]
        known = [-value for value in changes if value is not None]
        lead = fmean(known) if known else 0.0
        leads[n] += lead
        leads[m] -= lead
    return sorted(there, key=lambda n: (-leads[n], _cost(pool[n].run)))


def _conditions(pair: RunPair, condition: str | None) -> list[str]:
    return [name for name in pair.shared if condition in (None, name)]


def _cost(run: StoredRun) -> float:
    known = figures_of(run).get("cost_per_task").value
    return 0.0 if known is None else known


def _rival(
    other: Named,
    pair: RunPair,
    condition: str | None,
    measure: str,
    margin: float,
    confidence: float,
    *,
    turned: bool,
) -> Rival:
    """The agent beside the leader, who is the second of the pair, or the first where it is turned."""
    names = _conditions(pair, condition)
    contests = tuple(_contest(pair, name, measure, margin, confidence, turned=turned) for name in names)
    found = {contest.conclusion for contest in contests if contest.difference is not None}
    finding = Standing.UNKNOWN
    if not contests:
        finding = Standing.NOTHING_SHARED
    elif Conclusion.WORSE in found:
        finding = Standing.MIXED
    elif Conclusion.BETTER in found:
        finding = Standing.BETTER
    elif found == {Conclusion.AS_GOOD}:
        finding = Standing.AS_GOOD
    alone = [key for key in (*pair.pairing.only_first, *pair.pairing.only_second) if key[2] in names]
    return Rival(other.name, other.run, contests, len(alone), finding)


def _contest(pair: RunPair, name: str, measure: str, margin: float, confidence: float, *, turned: bool) -> Contest:
    """The pair under one condition; see `_rival`."""
    pairs = pair.counted[name]
    ahead = [passed(one.second) - passed(one.first) for one in pairs]
    changes = (pair.rate(measure, name, of, confidence=confidence) for of in (Estimand.THESE, Estimand.WORK))
    these, work = (Lead.of(change, turned=turned) for change in changes)
    sign = -1.0 if turned else 1.0
    return Contest(
        condition=name,
        both=sum(bool(passed(one.first) and passed(one.second)) for one in pairs),
        only_first=ahead.count(sign),
        only_second=ahead.count(-sign),
        tasks=len({one.first.sample for one in pairs}),
        left_out=len(pair.shared[name]) - len(pairs),
        difference=work,
        these=these,
        conclusion=Conclusion.UNKNOWN if work is None else conclude(work, margin),
    )


class _Sentence:
    """The conclusion in words."""

    def __init__(
        self, leader: Named, rivals: Sequence[Rival], measure: str, margin: float, level: float, family: int
    ) -> None:
        self._leader, self._rivals, self._margin = leader, rivals, margin
        self._verb = "scores" if measure == "score" else "completes"
        self._level, self._family = level, family

    @property
    def standing(self) -> Standing:
        """Standing of the leader beside all others."""
        found = {rival.standing for rival in self._rivals}
        for finding in (
            Standing.MIXED,
            Standing.UNKNOWN,
            Standing.NOTHING_SHARED,
            Standing.AS_GOOD,
            Standing.BETTER,
        ):
            if finding in found:
                return finding
        return Standing.ALONE

    @property
    def text(self) -> str:
        """Sentence on who does more, by how much, under which faults, and how sure that is."""
        if not self._rivals:
            return self.alone
        closest, *others = self._rivals
        said = self._beside(closest)
        for finding, words in _ALSO.items():
            if names := [rival.name for rival in others if rival.standing is finding]:
                said += f" {self._leader.name} {words} {listed(names)}."
        return said

    @property
    def alone(self) -> str:
        """Sentence on how much the leader does, beside reference agents where there are any."""
        figures = figures_of(self._leader.run)
        name = "completion" if self._verb == "completes" else "score"
        told: list[str] = []
        for condition in figures.conditions:
            figure = figures.get(name, condition)
            if figure.value is not None:
                span = figure.note
                if figure.interval is not None:
                    low, high = figure.interval
                    sure = "" if told else f"{100 * (1 - self._level):g} % interval "
                    span = f"{sure}{100 * low:.1f} to {100 * high:.1f} %"
                told.append(f"{100 * figure.value:.1f} %{_under(condition)} ({span})")
        n = figures.get(name).n
        samples = "1 sample" if n == 1 else f"{n:,} samples"
        said = f"{self._leader.name} {self._verb} {listed(told)}; on work like this, {samples}."
        beside = [(rival, next((c for c in rival.contests if c.difference), None)) for rival in self._rivals]
        references = [
            f" Beside the reference agent {rival.name}, {self._short(contest)}."
            for rival, contest in beside
            if contest is not None
        ]
        return said + ("".join(references) or " Only one agent was tried.")

    def _beside(self, rival: Rival) -> str:
        judged = [contest for contest in rival.contests if contest.difference is not None]
        who = f"{self._leader.name} and {rival.name}"
        if not rival.contests:
            return f"Nothing can be said: {who} have no finished task in common."
        if not judged:
            return f"Nothing can be said: no sample has a verdict of both {who}."
        if self._verb == "completes" and not any(c.both or c.only_first or c.only_second for c in judged):
            return f"Neither {self._leader.name} nor {rival.name} completed anything of what both tried."
        decided = (Conclusion.BETTER, Conclusion.WORSE)
        most = max(judged, key=lambda one: (one.conclusion in decided, abs(_value(one))))
        said = self._main(most, rival, several=len(rival.contests) > 1)
        clean = next((one for one in judged if one.condition == CLEAN and one is not most), None)
        if clean is not None:
            said += f"; {_under(CLEAN, always=True).strip()} {self._short(clean)}"
        return f"{said}. {self._basis(most, rival)}{self._costs(rival)}"

    def _main(self, contest: Contest, rival: Rival, *, several: bool) -> str:
        """The difference under one condition, with both names."""
        name, other, verb = self._leader.name, rival.name, self._verb
        where = _under(contest.condition, always=several)
        found, sure = _value(contest), self._sure(contest)
        size = f"{100 * abs(found):.1f} points"
        match contest.conclusion:
            case Conclusion.BETTER | Conclusion.WORSE:
                more = "more" if contest.conclusion is Conclusion.BETTER else "less"
                return f"{name} {verb} {size} {more} than {other}{where} ({sure})"
            case Conclusion.AS_GOOD:
                within = f"within {100 * self._margin:g} points"
                return f"{name} is at least as good as {other}{where}, {within}: {signed(found)} points ({sure})"
            case Conclusion.UNKNOWN:
                told = f"{name} {verb} {signed(found)} points ({sure})"
                return f"Not enough to tell {name} from {other}{where}: {told}{self._more(contest)}"

    def _short(self, contest: Contest) -> str:
        """The same of a second condition."""
        found, sure = _value(contest), self._sure(contest)
        match contest.conclusion:
            case Conclusion.BETTER | Conclusion.WORSE:
                more = "more" if contest.conclusion is Conclusion.BETTER else "less"
                return f"it {self._verb} {100 * abs(found):.1f} points {more} ({sure})"
            case Conclusion.AS_GOOD:
                return f"it is at least as good: {signed(found)} points ({sure})"
            case Conclusion.UNKNOWN:
                return f"no difference is shown: {signed(found)} points ({sure})"

    def _sure(self, contest: Contest) -> str:
        found = contest.difference
        assert found is not None, "only contests with a difference are told"
        p = p_value(min(1.0, self._family * found.p))
        return f"{100 * (1 - self._level):g} % interval {points(found.interval)}, p {p}"

    def _more(self, contest: Contest) -> str:
        """Words on these very tasks, or on the tasks that would tell."""
        found, these = contest.difference, contest.these
        if found is None or these is None:
            return ""
        if not these.interval.low <= 0 <= these.interval.high:
            return f"; on these very tasks the difference is certain ({points(these.interval)})"
        confidence = 1 - self._level / self._family
        needed = tasks_needed(found, contest.tasks, self._margin, confidence=confidence)
        if needed is None or needed > _MANY * contest.tasks:
            return f"; not even {_MANY} times as many tasks would be likely to tell"
        return f"; about {counted(needed - contest.tasks, 'more task')} would tell, if things stay as they are"

    def _basis(self, contest: Contest, rival: Rival) -> str:
        """Sentence on what the numbers are about, and what is not in them."""
        found = contest.difference
        tasks = "1 task" if contest.tasks == 1 else f"{contest.tasks:,} tasks"
        if found is not None and found.clusters not in (contest.tasks, found.n):
            tasks += f" in {found.clusters} scenarios"
        parts = [f"On work like this, from the {tasks} that both ran"]
        if rival.not_shared:
            samples = "1 sample" if rival.not_shared == 1 else f"{rival.not_shared:,} samples"
            parts.append(f"{samples} that only one of them tried left out")
        if contest.left_out:
            parts.append(f"{contest.left_out:,} without two verdicts left out")
        if self._family > 1:
            parts.append(f"intervals and p hold for all {self._family} comparisons together")
        return f"{'; '.join(parts)}."

    def _costs(self, rival: Rival) -> str:
        for name in ("agent_cost_per_task", "cost_per_task"):
            one, other = (figures_of(run).get(name).value for run in (self._leader.run, rival.run))
            if one is not None and other is not None and (one or other):
                whose = "" if name.startswith("agent") else ", simulator and judge included"
                return f" A task costs ${one:.4f} against ${other:.4f}{whose}."
        return ""


_ALSO = {
    Standing.BETTER: "is better than",
    Standing.AS_GOOD: "is at least as good as",
    Standing.MIXED: "is better under some conditions and worse under others than",
    Standing.UNKNOWN: "is not told apart from",
    Standing.NOTHING_SHARED: "has no task in common with",
}


def _value(contest: Contest) -> float:
    return 0.0 if contest.difference is None else contest.difference.value


def _under(condition: str, *, always: bool = False) -> str:
    """Words for a condition; "" for the clean one, which goes without saying where it is the only one."""
    return "" if condition == CLEAN and not always else f" {condition_in_words(condition)}"


def listed(names: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))
