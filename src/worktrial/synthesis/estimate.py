"""Estimate of the calls, tokens and dollars of a session, before the first call, with what it assumes."""

from collections.abc import Mapping
from math import ceil
from statistics import fmean

import msgspec

from worktrial.engine.lines import read_lines
from worktrial.engine.roles import Role, RoleName, RoleSettings
from worktrial.engine.spend import price_for
from worktrial.engine.usual_sizes import TOKENS_OF_A_REQUEST, TOOL_CALLS
from worktrial.language import Usage
from worktrial.synthesis.artifacts import JobSpec
from worktrial.synthesis.calibration.rules import prospects, rule_of
from worktrial.synthesis.folder import SuiteFolder

# Tokens in and out of one call, and calls per piece: of middling artifacts, as in `engine.usual_sizes`.
REDRAWS = 1.15
"""Calls for one usable reply: some have to be asked for again."""
FREE_RATES = (0.1, 0.5, 0.9)
"""Likely true pass rates; the number of runs until a decision follows from them."""
LOST, DISPUTED = 1.2, 0.2
"""Tasks drawn for one that is kept, and the share on which a second worker comes to another end."""
AUTHORING = 31
"""Replies that a workplace takes: clauses, records, rules, tools, expectations, the kit of the cases, cases."""
SIMULATED_AUTHORING = 3
"""Replies that a simulated workplace takes: clauses, and the workplace."""
MEASURED_FROM = 3
"""Runs from which an estimate goes by what was measured."""

_WORKPLACE = (4500, 5000)
_TASK = (9000, 1800)
_RULING = (6000, 400)
_CODE = (9000, 2500)


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
    assumptions: str

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


def estimate(
    spec: JobSpec, roles: Mapping[RoleName, RoleSettings], folder: SuiteFolder, *, until_drafts: bool = False
) -> CostEstimate:
    """Estimate what remains to be asked for. Tasks that are composed cost nothing before their first run.

    Finished parts in the folder cost nothing, as long as nothing they depend on changed. Calls and tokens of a run
    are those of the runs there, where there are any; with `until_drafts` runs are left out.
    """
    if sum(end.fate == "kept" for end in read_lines(folder.calibration, _Fate)) >= spec.tasks:
        return CostEstimate(stages=[], assumptions="")
    stages: list[StageCost] = []

    def add(stage: str, role: Role, likely: float, bound: float, size: tuple[int, int]) -> None:
        calls, most = ceil(likely), ceil(bound)
        price = price_for(roles[role])
        one = price(Usage(1, *size)) if price is not None else None
        made = StageCost(
            stage=stage,
            role=role.value,
            calls=calls,
            tokens=calls * sum(size),
            dollars=None if one is None else one * calls,
            most_calls=most,
            most_tokens=most * sum(size),
            most_dollars=None if one is None else one * most,
        )
        stages.extend([made] if most else [])

    is_code, drawn = spec.workplace == "code", spec.tasks * LOST
    if is_code and not any(folder.workplaces.glob("*/tools.py")):
        add("workplace", Role.SYNTHESIZER, AUTHORING * REDRAWS, AUTHORING * 3, _CODE)
    if not is_code:
        if not (folder.work / "workplace.yaml").exists():
            add("workplace", Role.SYNTHESIZER, SIMULATED_AUTHORING * REDRAWS, SIMULATED_AUTHORING * 3, _WORKPLACE)
        if (lacking := drawn - len([*(folder.work / "drafts").glob("*.yaml")])) > 0:
            add("tasks", Role.SYNTHESIZER, lacking * REDRAWS, 2 * spec.tasks * 3, _TASK)
    known = _known_runs(folder)
    calls, size = (TOOL_CALLS + 1.0, TOKENS_OF_A_REQUEST[Role.AGENT]) if known is None else known
    if not until_drafts:
        rule = rule_of(spec)
        screen = fmean(prospects(rule, rate).runs for rate in FREE_RATES)
        done = sum(path.read_bytes().count(b"\n") for path in (folder.work / "runs").glob("*.jsonl"))
        # One run of each task is the second worker's, or one with the plan.
        wanted = drawn * (1 + screen) + spec.tasks * spec.fresh_runs
        left = max(0.0, wanted - done)
        again = drawn * left / max(1.0, wanted)
        rounds = 1 + (spec.repairs if is_code else 0)
        most = max(0, 2 * spec.tasks * rounds * (2 + rule.most) + spec.tasks * spec.fresh_runs - done)
        if is_code:
            add("second worker", Role.SOLVER, again * calls, 4 * spec.tasks * rounds * calls, size)
            add("rulings", Role.JUDGE, again * DISPUTED * REDRAWS, 6 * spec.tasks, _RULING)
            add("runs", Role.AGENT, max(0.0, left - again) * calls, most * calls, size)
        else:
            # Tokens were measured of all roles together; who took which part of them is not known.
            for name, role, each in (
                ("runs", Role.AGENT, calls),
                ("runs", Role.SIMULATOR, calls - 1),
                ("verdicts", Role.JUDGE, max(1, spec.votes)),
            ):
                add(name, role, left * each, most * each, TOKENS_OF_A_REQUEST[role])
    measured = "as measured so far" if known else "not yet measured"
    assumed = (
        f"assumes {calls:.1f} calls a run, {measured}, pass rates of {FREE_RATES[0]} to {FREE_RATES[-1]}, "
        f"{LOST - 1:.0%} of the tasks lost" + (f", rulings on {DISPUTED:.0%}" if is_code else "")
    )
    return CostEstimate(stages=stages, assumptions=assumed)


def _known_runs(folder: SuiteFolder) -> tuple[float, tuple[int, int]] | None:
    """Calls of a run, and tokens in and out of a call, by the runs that there are; None before the first three."""
    rows = [row for path in (folder.work / "runs").glob("*.jsonl") for row in read_lines(path, _RunSize)]
    rows = [row for row in rows if row.outcome != "invalid"]
    if len(rows) < MEASURED_FROM:
        return None
    calls = fmean(row.calls + 1 for row in rows)
    tokens = fmean(row.tokens for row in rows) / calls
    out = min(tokens, TOKENS_OF_A_REQUEST[Role.AGENT][1])
    return calls, (round(tokens - out), round(out))


class _Fate(msgspec.Struct, frozen=True):
    """A task's end, as far as an estimate needs it."""

    fate: str


class _RunSize(msgspec.Struct, frozen=True):
    """A stored run, as far as an estimate needs it."""

    outcome: str
    calls: int
    tokens: int


def _sum(parts: list[float | None]) -> float | None:
    known = [part for part in parts if part is not None]
    return sum(known) if len(known) == len(parts) else None
