"""Estimate of the calls, tokens and dollars of a session, before the first call, with what it assumes."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from statistics import fmean

import msgspec

from worktrial.engine.roles import Role, RoleName, RoleSettings
from worktrial.engine.spend import price_for
from worktrial.engine.store import read_lines
from worktrial.errors import DataError
from worktrial.language import Usage
from worktrial.synthesis.artifacts import Calibration, JobSpec
from worktrial.synthesis.calibration.rules import prospects, rules_of
from worktrial.synthesis.files import TASK, WORKPLACE, content_hash
from worktrial.synthesis.folder import SuiteFolder
from worktrial.synthesis.stages.subtopics import ASKED_PER_SUBTOPIC

# Tokens in and out of one call, and calls per piece: sizes of middling artifacts (ten tools, a state of some sixty
# records, ten tool calls in a run). A chatty or reasoning model takes more; the cached part of prompts is not
# taken off.
REDRAWS = 1.15
"""Calls for one usable reply: some have to be asked for again."""
REPAIRED = 0.5
"""Slots that need a repair in the likely case."""
PLAN_RATE, FREE_RATES = 0.9, (0.1, 0.5, 0.9)
"""Likely true pass rates; the number of runs until a decision follows from them."""
TOOL_CALLS = 10
LOST, DISPUTED = 1.2, 0.2
"""Tasks drawn for one that is kept, and the share on which a second worker comes to another end."""
AUTHORING = 30
"""Replies that a workplace takes: clauses, records, rules, tools, cases, expectations."""
MEASURED_FROM = 3
"""Runs from which an estimate goes by what was measured."""

_SUBTOPICS = (1500, 1800)
_PAIR = (500, 60)
_REFERENCE = (3500, 2500)
_WORKPLACE = (4500, 5000)
_TASK = (9000, 1800)
_REPAIR = (12000, 2500)
_RULING = (6000, 400)
_CODE = (9000, 2500)
_AGENT_CALL = (5500, 150)
_SIMULATOR_CALL = (7500, 250)
_VOTE = (8500, 200)
_PASSAGES = 3000
"""Tokens of the user's documents beside a request for a reference."""

ASSUMPTIONS = (
    f"assumes {TOOL_CALLS} tool calls a run, middling artifacts (a workplace of {_WORKPLACE[1]:,} tokens), pass "
    f"rates of {PLAN_RATE} with the plan and {FREE_RATES[0]} to {FREE_RATES[-1]} without, {REDRAWS - 1:.0%} of "
    f"replies asked for again, a repair for {REPAIRED:.0%} of the slots, no discount for cached prompts"
)


class StageCost(msgspec.Struct, kw_only=True, frozen=True):
    """One stage: in the likely case, and at most as far as the settings bound it."""

    stage: str
    role: str
    calls: int
    tokens: int
    dollars: float | None
    """US dollars; None where no price is known for the role's model."""
    most_calls: int
    most_tokens: int
    most_dollars: float | None


class CostEstimate(msgspec.Struct, kw_only=True, frozen=True):
    """All stages; `work/estimate.yaml`."""

    stages: list[StageCost]
    assumptions: str = ASSUMPTIONS

    @property
    def calls(self) -> int:
        """Likely calls."""
        return sum(stage.calls for stage in self.stages)

    @property
    def tokens(self) -> int:
        """Likely tokens."""
        return sum(stage.tokens for stage in self.stages)

    @property
    def dollars(self) -> float | None:
        """Likely cost; None where some price is unknown."""
        return _sum([stage.dollars for stage in self.stages if stage.calls])

    @property
    def most_dollars(self) -> float | None:
        """Cost at most."""
        return _sum([stage.most_dollars for stage in self.stages if stage.most_calls])


@dataclass(frozen=True, slots=True)
class _Left:
    """Number of artifacts of each kind that are not there yet."""

    subtopics: int
    references: int
    workplaces: int
    tasks: int
    slots: int
    """Slots that have not come to their end."""
    runs: int
    """Runs that were made for those."""


def estimate_composed(
    spec: JobSpec, roles: Mapping[RoleName, RoleSettings], folder: SuiteFolder, *, until_drafts: bool = False
) -> CostEstimate:
    """Estimate what remains to be asked for where tasks are composed: nothing before the first run.

    Args:
        spec: What is wanted.
        roles: Who plays what, with endpoints filled in.
        folder: Where finished runs lie. Calls and tokens of a run are those of the runs there, where there are any.
        until_drafts: Leave out the runs.
    """
    written = any(folder.workplaces.glob("*/tools.py"))
    authoring = [] if written else [_Row("workplace", Role.SYNTHESIZER, AUTHORING * REDRAWS, AUTHORING * 3, _CODE)]
    if until_drafts:
        return CostEstimate(stages=[_priced(row, roles[row.role.value]) for row in authoring])
    known = _known_runs(folder)
    calls, size = (TOOL_CALLS + 1.0, _AGENT_CALL) if known is None else known
    effort = rules_of(spec).free
    screen = sum(prospects(effort, rate).runs for rate in FREE_RATES) / len(FREE_RATES)
    runs = folder.work / "runs"
    done = sum(_lines(path) for path in runs.glob("*.jsonl"))
    drawn = spec.tasks * LOST
    left = max(0.0, drawn * (1 + screen) + spec.tasks * spec.fresh_runs - done)
    share = left / max(1.0, drawn * (1 + screen) + spec.tasks * spec.fresh_runs)
    most = 2 * spec.tasks * (1 + spec.repairs) * (2 + effort.most) + spec.tasks * spec.fresh_runs - done
    rows = [
        *authoring,
        _Row(
            "second worker", Role.SOLVER, drawn * share * calls, 4 * spec.tasks * (1 + spec.repairs) * calls, size
        ),
        _Row("rulings", Role.JUDGE, drawn * share * DISPUTED * REDRAWS, 6 * spec.tasks, _RULING),
        _Row("runs", Role.AGENT, max(0.0, left - drawn * share) * calls, max(0.0, most) * calls, size),
    ]
    assumed = (
        f"assumes {calls:.1f} calls a run, {'as measured so far' if known else 'not yet measured'}, pass rates of "
        f"{FREE_RATES[0]} to {FREE_RATES[-1]}, {LOST - 1:.0%} of the tasks lost, rulings on {DISPUTED:.0%}"
    )
    return CostEstimate(
        stages=[_priced(row, roles[row.role.value]) for row in rows if row.most], assumptions=assumed
    )


def _known_runs(folder: SuiteFolder) -> tuple[float, tuple[int, int]] | None:
    """Calls of a run, and tokens in and out of a call, by the runs that there are; None before the first three."""
    rows = [row for path in (folder.work / "runs").glob("*.jsonl") for row in read_lines(path, _RunSize)]
    rows = [row for row in rows if row.outcome != "invalid"]
    if len(rows) < MEASURED_FROM:
        return None
    calls = fmean(row.calls + 1 for row in rows)
    tokens = fmean(row.tokens for row in rows) / calls
    out = min(tokens, _AGENT_CALL[1])
    return calls, (round(tokens - out), round(out))


class _RunSize(msgspec.Struct, frozen=True):
    """A stored run, as far as an estimate needs it."""

    outcome: str
    calls: int
    tokens: int


def estimate(
    spec: JobSpec,
    roles: Mapping[RoleName, RoleSettings],
    folder: SuiteFolder,
    *,
    documents: bool,
    until_drafts: bool = False,
) -> CostEstimate:
    """Estimate what remains to be asked for in `folder`.

    Args:
        spec: What is wanted.
        roles: Who plays what, with endpoints filled in.
        folder: Where finished parts lie; they cost nothing any more, as long as nothing they depend on changed.
        documents: Whether references are grounded on documents.
        until_drafts: Leave out the runs and repairs.
    """
    left = _left(spec, folder)
    pairs = min(spec.subtopics * (spec.subtopics - 1) // 2, ASKED_PER_SUBTOPIC * spec.subtopics) * left.subtopics
    passages = _PASSAGES if documents else 0
    reference = (_REFERENCE[0] + passages, _REFERENCE[1])
    writer, judge = Role.SYNTHESIZER, Role.JUDGE
    rows = [
        _Row("sub-topics", writer, left.subtopics * REDRAWS, left.subtopics * 3, _SUBTOPICS),
        _Row("overlap", judge, pairs / 2, pairs * 2, _PAIR),
        _Row("references", writer, left.references * REDRAWS, left.references * 3, reference),
        _Row("workplaces", writer, left.workplaces * REDRAWS, left.workplaces * 3, _WORKPLACE),
        _Row("tasks", writer, left.tasks * REDRAWS, left.tasks * 3, _TASK),
    ]
    if not until_drafts:
        rows += _run_rows(spec, left)
    return CostEstimate(stages=[_priced(row, roles[row.role.value]) for row in rows if row.most])


@dataclass(frozen=True, slots=True)
class _Row:
    stage: str
    role: Role
    calls: float
    most: float
    size: tuple[int, int]


def _run_rows(spec: JobSpec, left: _Left) -> list[_Row]:
    rules = rules_of(spec)
    with_plan = prospects(rules.plan, PLAN_RATE).runs
    without = sum(prospects(rules.free, rate).runs for rate in FREE_RATES) / len(FREE_RATES)
    repairs = left.slots * REPAIRED if spec.repairs else 0
    # A task that needs a repair has been run with its plan in vain; the repaired one is run from the start.
    runs = max(0.0, left.slots * (with_plan + without) - left.runs) + repairs * with_plan
    most = left.slots * (1 + spec.repairs) * (rules.plan.most + rules.free.most) - left.runs
    return [
        _Row("runs", Role.AGENT, runs * (TOOL_CALLS + 1), most * (TOOL_CALLS + 1), _AGENT_CALL),
        _Row("runs", Role.SIMULATOR, runs * TOOL_CALLS, most * TOOL_CALLS, _SIMULATOR_CALL),
        _Row("verdicts", Role.JUDGE, runs * spec.votes, most * spec.votes, _VOTE),
        # One request says what is at fault, one writes it anew.
        _Row("repairs", Role.SYNTHESIZER, repairs * 2 * REDRAWS, left.slots * spec.repairs * 6, _REPAIR),
    ]


def _priced(row: _Row, settings: RoleSettings) -> StageCost:
    size_in, size_out = row.size
    calls, most = ceil(row.calls), ceil(row.most)
    price = price_for(settings)
    one = price(Usage(1, size_in, size_out)) if price is not None else None
    return StageCost(
        stage=row.stage,
        role=row.role.value,
        calls=calls,
        tokens=calls * (size_in + size_out),
        dollars=None if one is None else one * calls,
        most_calls=most,
        most_tokens=most * (size_in + size_out),
        most_dollars=None if one is None else one * most,
    )


def _left(spec: JobSpec, folder: SuiteFolder) -> _Left:
    """Count by what lies in the folder; whether it still holds shows only on the way."""
    slots = spec.subtopics * len(spec.levels) * len(spec.languages)
    drafts = folder.work / "drafts"
    ended = {c.slot for c in read_lines(folder.calibration, Calibration) if _stands(folder, c)}
    runs = folder.work / "runs"
    return _Left(
        subtopics=0 if folder.subtopics.exists() else 1,
        references=max(0, spec.subtopics - _files(folder.work / "references", "*.yaml")),
        workplaces=max(0, slots - _files(drafts, "*/workplace")),
        tasks=max(0, slots - _files(drafts, "*/task.yaml")),
        slots=max(0, slots - len(ended)),
        runs=sum(_lines(path) for path in runs.glob("*.jsonl") if path.stem not in ended),
    )


def _stands(folder: SuiteFolder, calibration: Calibration) -> bool:
    """Whether a slot's drafts are those that were calibrated."""
    draft = folder.work / "drafts" / calibration.slot
    try:
        content = content_hash(WORKPLACE.read(draft / "workplace"), TASK.read(draft / "task.yaml"))
    except DataError:
        # Whoever works on it will say what is wrong.
        return False
    return content == calibration.content


def _files(folder: Path, pattern: str) -> int:
    return sum(1 for _ in folder.glob(pattern))


def _lines(path: Path) -> int:
    with path.open("rb") as file:
        return sum(1 for _ in file)


def _sum(parts: list[float | None]) -> float | None:
    known = [part for part in parts if part is not None]
    return sum(known) if len(known) == len(parts) else None
