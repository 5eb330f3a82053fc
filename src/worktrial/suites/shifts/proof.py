"""Proof that a desk's shifts are fair: what is right can be done, lazy work does not pay, and days differ.

For every variant the oracle's plan has to reach all points without harm, each of its writes has to matter, and
idleness has to come to nothing; over all variants the clerks have to stay under their bounds.
"""

import os
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path
from statistics import fmean

import msgspec

from worktrial.errors import WorktrialError
from worktrial.finding import Finding, Findings
from worktrial.suite import Proof
from worktrial.suites.shifts.cases import Case, Move, Score, Work
from worktrial.suites.shifts.clerks import call_at_once, play
from worktrial.suites.shifts.conditions import words_for
from worktrial.suites.shifts.desk import LENGTHS, DeskFolder
from worktrial.suites.shifts.spam import SPAM
from worktrial.workplaces.desk import DeskSession, DeskState
from worktrial.workplaces.desk.tools import WAITS
from worktrial.workplaces.executable.describe import encode
from worktrial.workplaces.time import Timeline

CLERKS = ("plan", "idle", "greedy", "careful", "stale")
"""Agents whose scores are shown; a desk has *careful*, or *stale* where its rules are on the kit."""
IDLE_MOST = 0.05
SPAM_MOST = 0.08
"""Largest mean score of a clerk that does no work."""
FLOOR_SPAN = 0.05
"""Largest distance between the floor that a desk states and what is measured, over so many variants as
`FLOOR_FROM`."""
FLOOR_FROM = 20
MOST = {"greedy": 0.35, "careful": 0.60}
"""Clerk to the largest mean score over variants; of half and full shifts."""
CALLS = {"short": (15, 60), "half": (50, 135), "full": (150, 265)}
"""Length to fewest and most calls of the plan, on average over variants."""
DIFFER_LEAST = 1 / 3
UNASKED_LEAST = 1 / 3
_CLOSELY = 2
"""Variants of each shift that are looked at closely: every write left out once, every read checked to be one."""

CHECKS = {
    "draw": "a day that cannot be drawn, or is another one the second time",
    "plan": "a plan that misses points, does harm or does not pass",
    "idle": "doing nothing earns more than a twentieth of the points",
    "pass": "a clerk that does no work, or earns no more than that may, passes all the same",
    "spam": "a clerk that does no work earns more than 8 % of the points, or as much as one who works",
    "floor": "the best score of clerks that do no work is not the one that desk.yaml states",
    "clerk": "a clerk that cuts corners earns too much",
    "needless-write": "a write of the plan that can be left out without loss",
    "length": "a plan that is too short or too long for its shift",
    "sameness": "variants in which mostly the same is right",
    "asked-only": "too few cases in which something is due that nobody asks for",
    "unstated": "a matter that decides the shift, and is not named in the assignment",
    "reference": "points that rest on a section which the day's handbook does not have",
}


@dataclass(frozen=True, slots=True)
class ShiftProof:
    """Findings and figures of one shift over its variants."""

    desk: str
    length: str
    variants: int
    scores: dict[str, float]
    """Clerk to mean score."""
    calls: float
    """Calls of the plan, on average."""
    cases: float
    """Cases, on average."""
    differ: float
    """Share of cases for which another thing is right in the next variant, on average."""
    unasked: float
    """Share of cases in which something is due that nobody asks for."""
    findings: list[Finding]


def prove_all(
    desks: Mapping[str, DeskFolder], lengths: Collection[str], variants: Sequence[int]
) -> list[ShiftProof]:
    """Prove every shift of several desks, in a process for each core.

    Args:
        desks: Those to prove.
        lengths: Only these; empty for all.
        variants: Variants of each shift.
    """
    shifts = [
        (desk.folder, desk.package, length)
        for desk in desks.values()
        for length in desk.lengths
        if not lengths or length in lengths
    ]
    # The longest first, so that none of them is left for the end.
    shifts.sort(key=lambda shift: -LENGTHS.index(shift[2]))
    with ProcessPoolExecutor(max_workers=os.cpu_count(), mp_context=get_context("spawn")) as pool:
        found = [pool.submit(_prove_one, *shift, variants) for shift in shifts]
        return sorted((one.result() for one in found), key=lambda p: (p.desk, LENGTHS.index(p.length)))


def as_proof(shifts: Sequence[ShiftProof]) -> Proof:
    """Proofs of shifts as `worktrial validate` shows them."""
    rows = [
        (
            f"{shift.desk}, {shift.length}",
            *(f"{shift.scores[clerk]:.2f}" if clerk in shift.scores else "-" for clerk in (*CLERKS, "spam")),
            f"{shift.calls:.0f}",
            f"{shift.cases:.0f}",
            f"{shift.differ:.2f}",
            f"{shift.unasked:.2f}",
            str(len(shift.findings)),
        )
        for shift in shifts
    ]
    findings = [finding for shift in shifts for finding in shift.findings]
    looked_at = {"shifts": len(shifts), "days": sum(shift.variants for shift in shifts)}
    return Proof(
        ("shift", *CLERKS, "spam", "calls", "cases", "differ", "unasked", "findings"),
        rows,
        Findings(list(CHECKS), findings, looked_at, about=CHECKS),
    )


def _prove_one(folder: Path, package: str | None, length: str, variants: Sequence[int]) -> ShiftProof:
    return prove(DeskFolder(folder, package), length, variants)


def prove(desk: DeskFolder, length: str, variants: Sequence[int]) -> ShiftProof:
    """Put the reference clerks through one shift in all of `variants`."""
    findings: list[Finding] = []
    shares: dict[str, list[float]] = {}
    cases: list[list[Case]] = []
    calls: list[int] = []

    def found(check: str, variant: int | str, what: str, field: str = "") -> None:
        findings.append(Finding(check, f"{desk.name}/{length}/{variant}", str(desk.folder), field, what))

    for number, variant in enumerate(variants):
        try:
            day = _Day.draw(desk, length, variant)
            if number < _CLOSELY and _Day.draw(desk, length, variant).as_json != day.as_json:
                found("draw", variant, "drawn twice it is not the same")
            cases.append(desk.cases(day.start))
            sections = {s.section for s in desk.handbook.on(day.start.figures)}
            for case in cases[-1]:
                if case.critical and words_for(case, desk.file.grave) is None:
                    what = f"{case.id} ({case.pattern}) decides the shift, and no words of `grave` name it"
                    found("unstated", variant, what, "grave")
                for part in case.parts:
                    if part.section is not None and part.section not in sections:
                        found("reference", variant, f"there is no section {part.section}", f"{case.id}.{part.name}")
            planned, made = day.work("plan", careful=number < _CLOSELY)
            calls.append(len(made))
            if planned.grade != "clean" or planned.earned < planned.reachable - 1e-9:
                found("plan", variant, _shortfall(planned))
            shares.setdefault("plan", []).append(planned.share)
            for clerk in ("idle", *desk.clerks[1:], *SPAM):
                worked, _ = day.work(clerk)
                shares.setdefault(clerk, []).append(worked.share)
                if worked.grade != "failed" and (worked.share <= IDLE_MOST or clerk in SPAM):
                    found("pass", variant, f"{clerk} passes with {worked.share:.2f} of the points")
            if shares["idle"][-1] > IDLE_MOST:
                found("idle", variant, f"idleness earns {shares['idle'][-1]:.2f} of the points")
            if number < _CLOSELY:
                for index in _needless(day, made, planned):
                    found("needless-write", variant, f"call {index}: {made[index].tool} {made[index].arguments}")
        except WorktrialError as e:
            found("draw", variant, str(e))
    if not cases or not calls:
        return ShiftProof(desk.name, length, len(variants), {}, 0, 0, 0, 0, findings)
    means = {clerk: fmean(values) for clerk, values in shares.items()}
    for clerk, most in MOST.items():
        if length != "short" and means.get(clerk, 0.0) > most:
            found("clerk", "all", f"{clerk} earns {means[clerk]:.2f} of the points, and {most} is the most")
    spam = max(SPAM, key=lambda clerk: means[clerk])
    means["spam"] = means[spam]
    for clerk in SPAM:
        if means[clerk] > SPAM_MOST:
            found("spam", "all", f"{clerk} earns {means[clerk]:.2f} of the points, and {SPAM_MOST} is the most")
    worker = desk.clerks[-1]
    if len(variants) >= FLOOR_FROM and means["spam"] >= means[worker]:
        said = f"{spam} earns {means[spam]:.2f} of the points, and {worker} {means[worker]:.2f}"
        found("spam", "all", f"{said}: work has to pay")
    stated = desk.file.spam.get(length)
    if len(variants) >= FLOOR_FROM and (stated is None or abs(means["spam"] - stated) > FLOOR_SPAN):
        found("floor", "all", f"{spam} earns {means[spam]:.2f}; write it there", f"spam.{length}")
    fewest, longest = CALLS[length]
    if not fewest <= fmean(calls) <= longest:
        found("length", "all", f"the plan makes {fmean(calls):.0f} calls, and {fewest} to {longest} are meant")
    differ = fmean(_differ(a, b) for a, b in pairwise(cases)) if len(cases) > 1 else 1.0
    if differ < DIFFER_LEAST:
        found("sameness", "all", f"from one variant to the next {differ:.2f} of the cases differ in what is right")
    unasked = fmean(sum(case.unasked for case in day) / len(day) for day in cases)
    if unasked < UNASKED_LEAST:
        found("asked-only", "all", f"{unasked:.2f} of the cases need something that nobody asks for")
    return ShiftProof(
        desk.name, length, len(variants), means, fmean(calls), fmean(map(len, cases)), differ, unasked, findings
    )


@dataclass(frozen=True)
class _Day:
    """One variant of a shift, to be worked on again and again."""

    desk: DeskFolder
    start: DeskState
    """First state, never touched."""
    as_json: bytes

    @classmethod
    def draw(cls, desk: DeskFolder, length: str, variant: int) -> "_Day":
        start = desk.draw(length, variant)
        return cls(desk, start, encode(start))

    def work(self, clerk: str, *, careful: bool = False) -> tuple[Score, list[Move]]:
        """Score of a reference clerk, and its moves."""
        work = _nothing() if clerk == "idle" else self.desk.clerk(clerk, self.start)
        return self.carry_out(work, careful=careful)

    def open(self, state: bytes, *, careful: bool = False) -> DeskSession:
        """Session that begins in a state, whose reading is cheaper than drawing it."""
        live = msgspec.json.decode(state, type=self.desk.workplace.home.state_type)
        return DeskSession(self.desk.workplace, live, careful=careful)

    def carry_out(
        self, work: Work, *, since: bytes | None = None, careful: bool = False
    ) -> tuple[Score, list[Move]]:
        """Score of some work, begun in the state `since` or in the first one, and its moves."""
        session = self.open(since or self.as_json, careful=careful)
        made = [move for _, move in play(work, session)]
        return self.desk.score(self.start, session.live), made


def _needless(day: _Day, made: Sequence[Move], whole: Score) -> list[int]:
    """Places of writes in a plan without which as much is earned. A wait of its minutes takes their place."""
    functions = day.desk.workplace.home.functions
    needless = []
    session = day.open(day.as_json)
    for index, call in enumerate(made):
        if call.tool not in WAITS and functions[call.tool].writes and call.tool != "read_message":
            rest = _replay(made[index:], day.desk.workplace.minutes[call.tool], session.live.time)
            without, _ = day.carry_out(rest, since=encode(session.live))
            if without.share >= whole.share - 1e-9:
                needless.append(index)
        call_at_once(session, call)
    return needless


def _replay(made: Sequence[Move], minutes: int, time: Timeline) -> Work:
    """Calls at the same minutes, but for the first of them, whose minutes are waited through from `time` on."""
    yield Move("wait_until", {"time": time.at(time.minute + minutes)})
    for call in made[1:]:  # noqa: UP028 - a list's iterator takes no observations
        yield call
    return ""


def _nothing() -> Work:
    yield from ()
    return ""


def _differ(one: Sequence[Case], other: Sequence[Case]) -> float:
    """Share of cases, by their place in the shift, for which another thing is right or that only one has."""
    first, second = ({case.id: case.right for case in day} for day in (one, other))
    ids = first.keys() | second.keys()
    return sum(first.get(id) != second.get(id) for id in ids) / len(ids)


def _shortfall(score: Score) -> str:
    lost = Counter(f"{case.id}.{part.name}" for case in score.cases for part in case.parts if part.lost)
    harms = "; ".join(f"{harm.kind}: {harm.what}" for harm in score.harms)
    said = f"{score.earned:g} of {score.reachable} points"
    return "; ".join(part for part in (said, ", ".join(lost), harms) if part)
