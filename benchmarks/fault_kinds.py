"""Shares of fault kinds on real observations: of the starter's tasks, and of the example outputs of a release.

    python -m benchmarks.fault_kinds --data ../shared/data/occubench

Every task is worked at under E2, then E1, with a scripted agent that knows nothing of faults: in the starter's
workplaces it makes the calls of the task's plan; in those of a release it calls the tools that look, twice,
then those that write, and all again, and gets each tool's example output. The starter is measured with its state in
sight, as in an executable workplace or with ledger memory, apart for the workplaces that the constants behind the
plans were rounded from and for those that were held back; and without, as with history memory.

Beside each share as it is meant stand what was planned, given what the workplaces' tools can suffer, and what came,
with the half-width of a 95 % interval of their difference, clustered by task.
"""

import argparse
import asyncio
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from worktrial.agents.plan import follow
from worktrial.language import JsonObject, JsonValue
from worktrial.suites import starter
from worktrial.suites.occupations.load import load_release
from worktrial.workplaces import Observation, Origin, Session, Workplace
from worktrial.workplaces.faults import (
    EXPLICIT,
    IMPLICIT,
    SHARES,
    FaultKind,
    FaultMode,
    FaultSettings,
    FaultySession,
    Needed,
    draw_plan,
)
from worktrial.workplaces.faults.chances import planned_kinds
from worktrial.workplaces.faults.draws import KeyedChance, shuffled
from worktrial.workplaces.faults.memory import may_write
from worktrial.workplaces.faults.plan import OF_WRITES, FaultEvent, FaultPlan
from worktrial.workplaces.session import Restorable
from worktrial.workplaces.tools import Tool

Call = tuple[str, JsonValue]


@dataclass(frozen=True)
class Work:
    """A scripted stay in one workplace."""

    corpus: str
    task: str
    workplace: Workplace
    calls: Sequence[Call]
    open: Callable[[], Session]
    """Function that opens a session."""
    needed: Needed


class Examples:
    """A session that answers with the tools' example outputs."""

    state = None

    def __init__(self, workplace: Workplace) -> None:
        self._workplace = workplace

    async def call(self, tool: str, arguments: JsonValue) -> Observation:
        known = self._workplace.tool(tool)
        example = None if known is None else known.example_output
        return Observation(example if isinstance(example, dict) else {"result": example}, Origin.SIMULATOR)


class Unseen:
    """A session whose state nobody sees."""

    state = None

    def __init__(self, session: Session) -> None:
        self._session = session

    async def call(self, tool: str, arguments: JsonValue) -> Observation:
        return await self._session.call(tool, arguments)


def arguments_of(tool: Tool, state: JsonObject) -> JsonValue | None:
    """Arguments that fit the tool's schema; None where none were found."""

    def value(schema: JsonObject, name: str) -> JsonValue:
        if "enum" in schema:
            return schema["enum"][0]
        kind = schema.get("type", "string")
        kind = kind[0] if isinstance(kind, list) else kind
        if kind == "object":
            asked = schema.get("required", [])
            return {key: value(schema.get("properties", {}).get(key, {}), key) for key in asked}
        plain: dict[str, JsonValue] = {"number": 1.5, "integer": 1, "boolean": True, "array": [], "null": None}
        found = state.get(name)
        return plain[kind] if kind in plain else found if isinstance(found, str) else "A-1"

    made = value({"type": "object", **tool.parameters}, "")
    return None if tool.problems(made) else made


def release(folder: Path) -> Iterator[Work]:
    """Works in a release's workplaces: all that looks, twice; then all that writes; ten calls."""
    tasks = load_release(folder)
    order = sorted({task.workplace for task in tasks.tasks})
    for task in tasks.tasks:
        workplace = tasks.workplaces[task.workplace]
        # In no order of the author's: the first call of all is never degraded.
        drawn = shuffled(workplace.tools, KeyedChance(task.id))
        looking = [tool for tool in drawn if not may_write(tool)]
        tools = [*looking, *looking, *(tool for tool in drawn if may_write(tool))]
        found = [(tool.name, arguments_of(tool, workplace.initial_state)) for tool in tools]
        calls = [(name, given) for name, given in found if given is not None]
        if calls:
            calls = [calls[n % len(calls)] for n in range(10)]
            needed = Needed(task.rubric)
            part = "tuned on" if order.index(task.workplace) % 2 == 0 else "held back"
            yield Work(f"release, {part}", task.id, workplace, calls, partial(Examples, workplace), needed)


async def calls_that_allow(works: Iterable[Work], kind: str) -> tuple[int, int]:
    """Count calls at which a kind of fault can be carried out, and those that it could befall by their tool.

    Each call but a task's first is struck alone, by nothing but that kind; looks and writes are told by the tool.
    """
    allowed = asked = 0
    for work in works:
        for at, (name, _) in enumerate(work.calls[1:], 1):
            tool = work.workplace.tool(name)
            if may_write(tool) is not (kind in OF_WRITES):
                continue
            event = FaultEvent(0, FaultMode.E2, kind, at, 1, instead=(kind,))
            session = FaultySession(work.open(), FaultPlan((event,), key=f"{at}"), work.workplace)
            for tool_name, arguments in work.calls[: at + 1]:
                await session.call(tool_name, arguments)
            asked += 1
            allowed += any(row.kind == kind for row in session.ledger)
    return allowed, asked


async def of_starter() -> list[Work]:
    """Works in the starter's workplaces: the calls of each task's plan."""
    works = []
    tasks = starter.load_tasks()
    for task in tasks:
        trajectory = await follow(task.plan, task.open())
        calls = [(call.tool, call.arguments) for call in trajectory.calls]
        texts = (task.rubric, task.plan.model_dump_json(), *(check.model_dump_json() for check in task.checks))
        needed = Needed(*texts)
        # Every second workplace by name.
        part = "tuned on" if sorted({t.workplace for t in tasks}).index(task.workplace) % 2 == 0 else "held back"
        works.append(Work(f"starter, {part}", task.id, task.artifact, calls, task.open, needed))
        unseen = f"starter, {part}, state unseen"
        works.append(Work(unseen, task.id, task.artifact, calls, partial(_unseen, task.open), needed))
    return works


def _unseen(opened: Callable[[], Session]) -> Session:
    return Unseen(opened())


@dataclass
class Tally:
    """What became of the planned faults."""

    kinds: Counter[str]
    planned: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    """Degraded calls that each kind was planned to have."""
    off: dict[str, dict[str, float]] = field(default_factory=dict)
    """Degraded calls beyond those planned, by kind and task."""
    homes: dict[str, set[str]] = field(default_factory=dict)
    """Workplaces that can suffer each kind."""
    spared: int = 0
    shown: Counter[bool] = field(default_factory=Counter)
    """Degraded answers that show something needed, by whether the event was aimed."""
    hit: Counter[bool] = field(default_factory=Counter)
    """Those of them in which the damage is to something needed."""

    def add(
        self, work: Work, session: FaultySession, planned: Mapping[str, float], clean: Mapping[int, JsonValue]
    ) -> None:
        """Count a finished session, with the planned shares and the clean answers by call."""
        needed, struck = work.needed, Counter(row.kind for row in session.ledger)
        for kind, share in planned.items():
            expected = share * struck.total()
            self.planned[kind] += expected
            self.off.setdefault(kind, defaultdict(float))[work.task] += struck[kind] - expected
            if share:
                self.homes.setdefault(kind, set()).add(work.workplace.name)
        aims = {event.index: event.aimed for event in session.plan.events}
        for row in session.ledger:
            self.kinds[row.kind] += 1
            if row.needed is not None and needed.any_of("", clean[row.call]):
                self.shown[aims[row.event]] += 1
                self.hit[aims[row.event]] += row.needed
        self.spared += sum(miss.call is not None for miss in session.spared)


async def tally(works: Sequence[Work], mode: FaultMode, seeds: int) -> dict[str, Tally]:
    """Counts by corpus."""
    found: dict[str, Tally] = {}
    for work in works:
        for seed in range(seeds):
            session = work.open()
            kinds = [k for k in IMPLICIT if k != FaultKind.PARTIAL_WRITE or isinstance(session, Restorable)]
            planned = planned_kinds(work.workplace, kinds)
            plan = draw_plan(FaultSettings(mode, seed=seed), work.task, kinds, weights=planned.weights)
            session = FaultySession(session, plan, work.workplace, needed=work.needed)
            clean = {
                n: (await session.call(tool, arguments)).clean for n, (tool, arguments) in enumerate(work.calls)
            }
            named = IMPLICIT if mode is FaultMode.E2 else EXPLICIT
            of_mode: dict[str, float] = {kind: planned.shares.get(kind, 0.0) for kind in named}
            found.setdefault(work.corpus, Tally(Counter())).add(work, session, of_mode, clean)
    return found


@dataclass(frozen=True)
class Share:
    """Share of one kind among the degraded calls of a corpus."""

    planned: float
    done: float
    margin: float
    """Half-width of the 95 % interval of their difference, by tasks."""
    homes: int
    """Workplaces that can suffer the kind."""

    @property
    def is_off(self) -> bool:
        """Whether chance does not explain the difference."""
        return abs(self.done - self.planned) > self.margin


def shares(tallies: Mapping[str, Tally], kinds: Sequence[str]) -> dict[str, dict[str, Share]]:
    """Share of each kind by corpus."""
    found: dict[str, dict[str, Share]] = {}
    for corpus, one in tallies.items():
        calls = max(1, one.kinds.total())
        for kind in kinds:
            margin = 1.96 * math.sqrt(sum(off**2 for off in one.off[kind].values())) / calls
            homes = len(one.homes.get(kind, ()))
            share = Share(one.planned[kind] / calls, one.kinds[kind] / calls, margin, homes)
            found.setdefault(corpus, {})[kind] = share
    return found


def table(found: Mapping[str, Tally], kinds: Sequence[str]) -> Iterator[str]:
    """The shares as Markdown: planned → done ± margin, and the workplaces that can suffer the kind."""
    by_corpus = shares(found, kinds)
    yield f"| kind | stated | {' | '.join(found)} |"
    yield f"|---|---{'|---' * len(found)}|"
    for kind in kinds:
        cells = (
            f"{s.planned:.1%} → {s.done:.1%} ± {100 * s.margin:.1f} ({s.homes})" if s.homes else "none can"
            for s in (of[kind] for of in by_corpus.values())
        )
        yield f"| {kind} | {SHARES[kind]:.0%} | {' | '.join(cells)} |"
    yield f"| degraded calls | | {' | '.join(f'{one.kinds.total():,}' for one in found.values())} |"
    yield f"| spared calls | | {' | '.join(f'{one.spared:,}' for one in found.values())} |"
    for aimed in (True, False):
        if any(one.shown[aimed] for one in found.values()):
            hits = " | ".join(f"{one.hit[aimed] / max(1, one.shown[aimed]):.0%}" for one in found.values())
            yield f"| needed things damaged where shown, event {'' if aimed else 'not '}aimed | | {hits} |"


RARE = (FaultKind.STALE, *OF_WRITES)
"""Kinds that only few calls allow."""


def allowing(works: Sequence[Work]) -> Iterator[str]:
    """Share of the calls, looks or writes, that allow the rare kinds when these strike there, as Markdown."""
    corpora = dict.fromkeys(work.corpus for work in works)
    yield f"| calls that allow it | {' | '.join(corpora)} |"
    yield f"|---{'|---' * len(corpora)}|"
    for kind in RARE:
        cells = []
        for corpus in corpora:
            allowed, asked = asyncio.run(calls_that_allow((w for w in works if w.corpus == corpus), kind))
            cells.append(f"{allowed} of {asked} {'writes' if kind in OF_WRITES else 'looks'}")
        yield f"| {kind} | {' | '.join(cells)} |"


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, metavar="DIR", help="the OccuBench release")
    parser.add_argument("--seeds", type=int, default=5, help="schedules of each task")
    told = parser.parse_args()
    works = asyncio.run(of_starter()) + (list(release(told.data)) if told.data else [])
    for mode, kinds in ((FaultMode.E2, IMPLICIT), (FaultMode.E1, EXPLICIT)):
        print(*table(asyncio.run(tally(works, mode, told.seeds)), kinds), sep="\n", end="\n\n")
    print(*allowing(works), sep="\n")


if __name__ == "__main__":
    main()
