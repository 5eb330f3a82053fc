"""Worth of a suite: size, the difference it can show, the likely share of flawed tasks, and the cost."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean

import msgspec

from worktrial.statistics import agresti_coull
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
    levels: dict[str, int]
    fates: dict[str, int]
    """Number of tasks by fate, of all that were drawn."""
    detects: float | None
    """Smallest difference of two agents' completion rates that the tasks show with a chance of 80 %, on the same
    tasks, once each, at the 5 % level; None where no difference is found."""
    detects_with: str
    """Assumptions of `detects`."""
    found_flawed: CountShare
    """Tasks whose truth the rules did not bear out, of those that a second worker has ended. They are gone."""
    unconfirmed: CountShare
    """Kept tasks to whose end nobody but the plan has come: the share of flawed tasks is at most about this."""
    fresh_rate: float | None
    """Mean pass rate of the kept tasks in runs that their choice has not seen."""
    fresh_runs: int
    clauses_without_task: list[str]
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
    clauses: Iterable[str],
    atoms: Iterable[str],
    runs: int,
    tokens: int,
    cost: float | None,
    solver: str,
) -> SuiteWorth:
    """Figures of the kept tasks.

    Args:
        drafts: The kept ones.
        ends: Of every task that was drawn.
        clauses: Ids of all clauses that the agent can read.
        atoms: Names of all atoms.
        runs: Runs that were made.
        tokens: Of all sessions.
        cost: US dollars of all sessions; None where some price is not known.
        solver: Who the second worker was.
    """
    kept = [end for end in ends if end.fate == "kept"]
    fresh = [end.fresh for end in kept if end.fresh is not None and end.fresh.n]
    mean = fmean(rate.passed / rate.n for rate in fresh) if fresh else None
    examined = [end for end in ends if end.truth != "open" or end.fate == "truth"]
    cited = {clause for draft in drafts for clause in draft.clauses}
    used = {atom for draft in drafts for atom in draft.atoms}
    count = len(kept)
    return SuiteWorth(
        tasks=count,
        levels={str(level): n for level, n in sorted(Counter(end.level for end in kept).items())},
        fates=dict(Counter(end.fate for end in ends)),
        detects=_detects(count, 0.5 if mean is None else mean),
        detects_with=f"rate {0.5 if mean is None else mean:.2f}, correlation {CORRELATION} of two agents on a task",
        found_flawed=_share(sum(end.fate == "truth" for end in examined), len(examined)),
        unconfirmed=_share(sum(end.truth != "confirmed" for end in kept), count),
        fresh_rate=mean,
        fresh_runs=sum(rate.n for rate in fresh),
        clauses_without_task=sorted(set(clauses) - cited),
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
    shown = (
        "no difference is found" if found.detects is None else f"differences from {found.detects:.0%} on are found"
    )
    flawed, open_ = found.found_flawed, found.unconfirmed
    lines = [
        f"{found.tasks} tasks ({_listed(found.levels, 'level')}); drawn in all: {_listed(found.fates)}.",
        f"Two agents on these tasks, once each: {shown} (chance 80 %; {found.detects_with}). "
        "More: worktrial power.",
        f"Found flawed and dropped: {flawed.count} of {flawed.of} ({flawed.low:.0%} to {flawed.high:.0%}). "
        f"Kept with no second witness: {open_.count} of {open_.of}, so at most about {open_.high:.0%} of the tasks "
        "are flawed.",
    ]
    if found.fresh_rate is not None:
        lines.append(f"Pass rate in {found.fresh_runs} fresh runs: {found.fresh_rate:.2f} on average.")
    if found.clauses_without_task:
        lines.append(f"No task is about {', '.join(found.clauses_without_task)}.")
    if found.tokens_a_task is not None:
        cost = "" if found.cost_a_task is None else f", ${found.cost_a_task:.4f}"
        lines.append(f"A sound task took {found.tokens_a_task:,} tokens{cost}.")
    return lines


def _detects(tasks: int, rate: float) -> float | None:
    if not tasks:
        return None
    # At a rate of 0 or 1 there is no room on one side, and what would be found depends on the other alone.
    return minimum_detectable_effect(tasks, min(max(rate, 0.05), 0.95), correlation=CORRELATION)


def _share(count: int, of: int) -> CountShare:
    known = agresti_coull(count, of) if of else None
    return CountShare(count=count, of=of, low=known.low if known else 0.0, high=known.high if known else 1.0)


def _listed(counts: Mapping[str, int], what: str = "") -> str:
    return ", ".join(f"{n} {f'of {what} {name}' if what else name.replace('_', ' ')}" for name, n in counts.items())
