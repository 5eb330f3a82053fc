"""Worth of a suite: size, the difference it can show, the likely share of flawed tasks, and the cost."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from worktrial.errors import DataError
from worktrial.outside.yaml_files import read_yaml
from worktrial.statistics import agresti_coull
from worktrial.statistics.estimates import Estimate, TaskTries
from worktrial.statistics.estimates import rate as rate_of_tries
from worktrial.statistics.power import minimum_detectable_effect
from worktrial.synthesis.proving.way import DraftedTask, ProvedTask

CORRELATION = 0.5
"""Correlation of two agents on a task that the detectable difference assumes."""


class CountShare(msgspec.Struct, kw_only=True, frozen=True):
    """A count of a count, with the interval of 95 %."""

    count: int
    of: int
    low: float
    high: float


class SuiteWorth(msgspec.Struct, kw_only=True, frozen=True):
    """Figures of a suite; `counts` in `suite.yaml`."""

    tasks: int
    """Tasks, each counted once whatever languages it is in."""
    wanted: int = 0
    """Tasks that were asked for, of levels 1 to 3."""
    levels: dict[str, int]
    fates: dict[str, int]
    """Number of tasks by fate, of all that were drawn."""
    fates_by_level: dict[str, dict[str, int]] = {}
    """The same for each level, by the level that a task had at its end."""
    gates: dict[str, int] = {}
    """Number of tasks that fell at each gate, the first that found something."""
    easy: list[str] = []
    """Tasks that the agent passed in nearly all of the runs that chose them, made as hard as was allowed."""
    hard: list[str] = []
    """Tasks that it passed in none of those runs, and to whose end a second worker came."""
    agent: str = ""
    """The agent whose runs say so."""
    easy_fresh: CountShare | None = None
    """Passes of the easy tasks in fresh runs; runs of a task go together in the interval."""
    detects: float | None
    """Smallest difference of completion rates by which a better agent than `agent` stands out, with a chance of
    80 %, on the same tasks, once each, at the 5 % level; None where no difference is found."""
    detects_worse: float | None = None
    """The same for a worse agent."""
    detects_with: str
    """Assumptions of `detects`."""
    found_flawed: CountShare
    """Tasks whose truth the rules did not bear out, of those that a second worker has ended. They are gone."""
    undecided: list[str] = []
    """Tasks of which a check may misread what is right: neither flawed nor sound before somebody has looked."""
    left_open: dict[str, list[str]] = {}
    """Choices that the procedure leaves open, with the kept tasks that leave them open as well."""
    unconfirmed: CountShare
    """Kept tasks to whose end nobody but the plan has come: the share of flawed tasks is at most about this."""
    fresh_rate: float | None
    """Mean pass rate of the kept tasks in runs that their choice has not seen."""
    fresh_low: float | None = None
    fresh_high: float | None = None
    """Ends of its interval of 95 %, for tasks like these."""
    fresh_runs: int
    copies: int = 0
    """Runs that repeat another of the same task call for call and word for word, and were not counted."""
    questions: dict[str, list[str]] = {}
    """Questions for the owner of the procedure, which does not decide them, with the tasks that went for each."""
    clauses_without_task: list[str]
    clauses_in_rules: list[str] = []
    """The part of them that the workplace's rules and tools carry out, so that tasks may rest on it."""
    atoms_without_task: list[str]
    runs: int
    tokens: int
    """Tokens of all sessions."""
    cost: float | None
    """US dollars of all sessions; None where some price is not known."""
    tokens_a_task: int | None
    """Tokens a kept task."""
    cost_a_task: float | None
    solver: str = ""
    """The second worker, and its difference from the agent."""


def worth(
    drafts: Sequence[DraftedTask],
    ends: Sequence[ProvedTask],
    *,
    wanted: int = 0,
    clauses: Iterable[str],
    in_rules: Collection[str] = (),
    atoms: Iterable[str],
    runs: int,
    tokens: int,
    cost: float | None,
    solver: str,
    agent: str,
) -> SuiteWorth:
    """Figures of the tasks whose drafts are given, of `ends` those that were kept."""
    chosen = {draft.id for draft in drafts}
    kept = [end for end in ends if end.fate == "kept" and end.task in chosen]
    easy = [end for end in kept if end.ease == "easy"]
    known = _rate(kept)
    mean = None if known is None else known.value
    assumed = 0.5 if mean is None else mean
    undecided = [end.task for end in ends if end.fate == "check_may_misread"]
    examined = [end for end in ends if end.task not in undecided and (end.truth != "open" or end.fate == "truth")]
    cited = {clause for draft in drafts for clause in draft.clauses}
    used = {atom for draft in drafts for atom in draft.atoms}
    count = len(kept)
    return SuiteWorth(
        tasks=count,
        wanted=wanted,
        levels=_by_level(kept),
        fates=dict(Counter(end.fate for end in ends)),
        fates_by_level={
            level: dict(Counter(end.fate for end in ends if str(end.level) == level)) for level in _by_level(ends)
        },
        gates=dict(Counter(end.why.partition(":")[0] for end in ends if end.fate == "gate").most_common()),
        easy=[end.task for end in easy],
        hard=[end.task for end in kept if end.ease == "hard"],
        agent=agent,
        easy_fresh=_passes(easy),
        detects=_detects(count, assumed),
        detects_worse=_detects(count, assumed, worse=True),
        detects_with=f"rate {assumed:.2f}, correlation {CORRELATION} of two agents on a task",
        found_flawed=_share(sum(end.fate == "truth" for end in examined), len(examined)),
        undecided=undecided,
        left_open=_grouped((choice, end.task) for end in kept for choice in end.left_open),
        unconfirmed=_share(sum(end.truth != "confirmed" for end in kept), count),
        fresh_rate=mean,
        fresh_low=None if known is None else known.interval.low,
        fresh_high=None if known is None else known.interval.high,
        fresh_runs=sum(end.fresh.n for end in kept if end.fresh is not None),
        copies=sum(rate.copies for end in kept for rate in (end.band, end.fresh) if rate is not None),
        questions=_grouped((end.why, end.task) for end in ends if end.fate == "question"),
        clauses_without_task=sorted(set(clauses) - cited),
        clauses_in_rules=sorted(set(clauses) & set(in_rules) - cited),
        atoms_without_task=sorted(set(atoms) - used),
        runs=runs,
        tokens=tokens,
        cost=cost,
        tokens_a_task=tokens // count if count else None,
        cost_a_task=cost / count if count and cost is not None else None,
        solver=solver,
    )


def described(found: SuiteWorth) -> list[str]:
    """The figures in sentences."""
    flawed, open_ = found.found_flawed, found.unconfirmed
    lines = [
        f"{found.tasks} tasks ({_listed(found.levels, 'level')}); drawn in all: {_listed(found.fates)}.",
    ]
    # Fewer tasks than were asked for, or of fewer levels, come with the reasons counted.
    missing = [level for level in ("1", "2", "3") if level not in found.levels][: max(0, found.wanted - 1)]
    if found.tasks < found.wanted or missing:
        kept = _listed(found.levels, "level") or "none"
        drawn = [f"{sum(n.values())} of level {level} ({_listed(n)})" for level, n in found.fates_by_level.items()]
        gates = f" At a gate fell {_listed(found.gates)}." if found.gates else ""
        lines.append(f"{found.wanted} of levels 1 to 3 asked, {kept} kept. Drawn: {'; '.join(drawn)}.{gates}")
    agent, between = found.agent, found.tasks - len(found.easy) - len(found.hard)
    if found.easy:
        fresh = found.easy_fresh
        measured = "" if fresh is None else f" ({fresh.count} of {fresh.of} fresh runs, {_range(fresh)})"
        lines.append(
            f"{len(found.easy)} of {found.tasks} are easy for {agent}, which passes them always or nearly{measured}"
            ", as hard as they were made: they do not tell agents as good as it from each other; for those there "
            f"are {found.tasks - len(found.easy)}. Whether they show a weaker one is not known: none has run."
        )
    if found.hard:
        lines.append(
            f"{len(found.hard)} of {found.tasks} are hard for {agent}: no run passed that chose them, and a second "
            "worker came to their end."
        )
    if between < found.tasks:
        lines.append(f"{between} of {found.tasks} it passes now and then. Without the others: --keep band.")
    lines += [
        f"Beside {found.agent or 'the agent'}, on these tasks, once each (chance 80 %; {found.detects_with}): "
        f"a better agent stands out {_from(found.detects)}, a worse one {_from(found.detects_worse)}. "
        "More: worktrial power.",
        f"Found flawed and dropped: {flawed.count} of {flawed.of} ({_range(flawed)}). "
        f"Kept with no second witness: {open_.count} of {open_.of}, so at most about {open_.high:.0%} of the tasks "
        "end otherwise than they should. Witnesses compare ends: a check that refuses right words, or lets "
        "careless work pass, does not show there.",
    ]
    if unruled := found.fates.get("unruled"):
        lines.append(
            f"Not counted there: {unruled} to which a second worker found another end, and on which no ruling "
            "could be had. The same command asks again."
        )
    if undecided := found.undecided:
        lines.append(
            f"Undecided, and not counted there: {', '.join(undecided)}. Every run ends as the plan does, and one "
            "check refuses them all: it may misread them. They are dropped, and need a look."
        )
    for question, ids in found.questions.items():
        lines.append(
            f"A question for the owner, since the procedure does not say: {question} ({', '.join(ids)}). Say it "
            "there, or in one more --document, and go on: these tasks are ruled on anew."
        )
    for choice, ids in found.left_open.items():
        lines.append(f"Left open by the procedure, and by the checks of {', '.join(ids)}, which are kept: {choice}")
    if found.fresh_rate is not None:
        known = "" if found.fresh_low is None else f" ({found.fresh_low:.2f} to {found.fresh_high:.2f})"
        lines.append(f"Pass rate in {found.fresh_runs} fresh runs: {found.fresh_rate:.2f} on average{known}.")
    if found.copies:
        lines.append(
            f"Not counted: {found.copies} runs that repeat another of the same task call for call and word for "
            "word. An agent that always does the same has made one run of a task, stored several times."
        )
    if carried := [id for id in found.clauses_without_task if id in found.clauses_in_rules]:
        lines.append(
            f"No task was made for {', '.join(carried)}; the workplace's rules carry them out, so tasks may rest "
            "on them."
        )
    if rest := [id for id in found.clauses_without_task if id not in found.clauses_in_rules]:
        lines.append(f"No task is about {', '.join(rest)}, and no rule carries them out.")
    if found.tokens_a_task is not None:
        cost = "" if found.cost_a_task is None else f", ${found.cost_a_task:.4f}"
        lines.append(f"A sound task took {found.tokens_a_task:,} tokens{cost}.")
    return lines


def worth_of(suite: Path) -> SuiteWorth | None:
    """Figures in a `suite.yaml`; None where there are none, as in a suite by hand.

    Raises:
        DataError: they cannot be read.
    """
    fields = read_yaml(suite)
    counts = fields.get("counts") if isinstance(fields, dict) else None
    if counts is None:
        return None
    try:
        return msgspec.convert(counts, SuiteWorth)
    except msgspec.ValidationError as e:
        fix = "Remove `counts`, or let `worktrial synthesize` write the suite anew"
        raise DataError(suite, f"counts: {e}", fix) from None


def _from(least: float | None) -> str:
    return "by no difference" if least is None else f"from {least:.0%} on"


def _range(share: CountShare) -> str:
    return f"{share.low:.0%} to {share.high:.0%}"


def _detects(tasks: int, rate: float, *, worse: bool = False) -> float | None:
    if not tasks:
        return None
    # At a rate of 0 or 1 the formulas have no variance, while the true rate is hardly there.
    return minimum_detectable_effect(tasks, min(max(rate, 0.05), 0.95), correlation=CORRELATION, worse=worse)


def _rate(ends: Iterable[ProvedTask]) -> Estimate | None:
    """Share of passes in the fresh runs of tasks; None where none has a verdict."""
    runs = [(end.task, end.fresh) for end in ends if end.fresh is not None and end.fresh.n]
    tries = [TaskTries(task, (1.0,) * rate.passed + (0.0,) * (rate.n - rate.passed)) for task, rate in runs]
    return rate_of_tries(tries) if tries else None


def _passes(ends: Sequence[ProvedTask]) -> CountShare | None:
    known = _rate(ends)
    if known is None:
        return None
    passed = sum(end.fresh.passed for end in ends if end.fresh is not None)
    return CountShare(count=passed, of=known.samples, low=known.interval.low, high=known.interval.high)


def _grouped(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Tasks by what is said of them."""
    found: dict[str, list[str]] = {}
    for said, task in pairs:
        found.setdefault(said, []).append(task)
    return found


def _by_level(ends: Iterable[ProvedTask]) -> dict[str, int]:
    return {str(level): n for level, n in sorted(Counter(end.level for end in ends).items())}


def _share(count: int, of: int) -> CountShare:
    known = agresti_coull(count, of) if of else None
    return CountShare(count=count, of=of, low=known.low if known else 0.0, high=known.high if known else 1.0)


def _listed(counts: Mapping[str, int], what: str = "") -> str:
    return ", ".join(f"{n} {f'of {what} {name}' if what else name.replace('_', ' ')}" for name, n in counts.items())
