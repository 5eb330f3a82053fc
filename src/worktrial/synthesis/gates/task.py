"""Gates of tasks by doing: the plan, nothing, the plan in another order, and what can be done unread."""

import json
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from worktrial.agents.plan import Plan, needs_of
from worktrial.finding import Finding
from worktrial.language import JsonValue
from worktrial.suites.executable.tasks import ExecutableTask
from worktrial.synthesis.clauses import Clause
from worktrial.synthesis.gates.catalogue import records_of
from worktrial.synthesis.gates.door import Door, Probe, Probed
from worktrial.synthesis.gates.facts import id_like, ids_named, numbers_in, texts_of
from worktrial.synthesis.gates.facts import number as number_of
from worktrial.synthesis.gates.names import GateName, finding
from worktrial.synthesis.gates.sequence import ordering
from worktrial.synthesis.gates.work import Call, CarriedOut, carry_out, failed_check, failed_checks
from worktrial.workplaces.executable.report_form import REPORT_TOOL
from worktrial.workplaces.values import scalars

_FREE_TEXT = 4  # words: an agent writes its own
_FAILED = 3
"""Checks that a plan fails and that are told together."""
_ORDERED = re.compile(
    r"\b(?:first|before|after(?:wards)?|next|once|in (?:this|that|the) order|followed by)\b"
    # "Then tell me" orders no work.
    r"|\bthen\b(?! (?:tell|give|report|let|say|answer|name|state|list|send me)\b)"
    r"|먼저|다음|순서|그런 뒤|그 후|이후|나서",
    re.IGNORECASE,
)


def plan_findings(task: ExecutableTask, work: CarriedOut) -> list[Finding]:
    """Findings on a task's own plan: it has to get through, and to pass."""
    if work.broken:
        return [finding(GateName.PLAN, task.id, "plan", f"cannot be followed: {work.broken}", "Mend the plan")]
    found = []
    for index, ((tool, _), outcome) in enumerate(zip(work.calls, work.outcomes, strict=True)):
        known = task.home.artifact.tool(tool)
        place = f"plan.steps[{index}]"
        if outcome.crash:
            found.append(finding(GateName.PLAN_ERRORS, task.id, place, f"{tool} {outcome.crash}", "Mend the tool"))
        elif outcome.error and (known is None or known.writes or "refuse_or_ask" not in task.traits):
            said = f"{tool} is refused: {json.dumps(outcome.content, ensure_ascii=False)[:160]}"
            fix = "Name records that are there, and leave out what the rules forbid"
            found.append(finding(GateName.PLAN_ERRORS, task.id, place, said, fix))
    failed = list(failed_checks(task, work.calls, work.outcomes, work.answer, work.state))
    if failed:
        told = "; that ".join(f"{one.check}: {one.why}" for one in failed[:_FAILED])
        said = f"the plan fails the check that {told}"
        found.append(finding(GateName.PLAN, task.id, "checks", said, "Mend the plan or the check"))
    return found


def idle_findings(task: ExecutableTask) -> list[Finding]:
    """Findings on tasks that pass when nothing is done: silently, or by giving the instruction back."""
    for answer, said in (
        ("", "nothing is done"),
        (task.instruction, "the instruction is given back as the answer"),
    ):
        if failed_check(task, (), (), answer, task.initial_state) is None:
            fix = "Check something that is not so at the start"
            return [finding(GateName.IDLE, task.id, "checks", f"all pass when {said}", fix)]
    return []


async def orders(
    door: Door, tasks: Sequence[ExecutableTask], works: Sequence[CarriedOut], clauses: Sequence[Clause] = ()
) -> tuple[int, list[Finding]]:
    """Make two writes that have nothing to do with each other the other way round.

    They have nothing to do with each other when they name no record in common, none needs what the other showed,
    and the workplace allows both orders. Where the instruction or a clause speaks of an order it counts.

    Returns:
        Number of plans that were tried, and tasks whose checks accept one order only.
    """
    turned = [
        (task, work, index, plan)
        for task, work in zip(tasks, works, strict=True)
        if not _ORDERED.search(task.instruction)
        for index, plan in _other_orders(task, work, clauses)
    ]
    done = await carry_out(door, [(plan, task.initial_state) for task, _, _, plan in turned])
    found: dict[str, Finding] = {}
    counted = 0
    for (task, work, index, _), other in zip(turned, done, strict=True):
        errors = sum(outcome.error for outcome in work.outcomes)
        if other.broken or sum(outcome.error for outcome in other.outcomes) != errors:
            continue
        counted += 1
        failed = failed_check(task, other.calls, other.outcomes, other.answer, other.state)
        if failed is not None:
            said = f"step {index} ({work.calls[index][0]}) may come later; then the check fails that {failed.check}"
            fix = "Check what both orders leave, or say in the instruction which comes first"
            found.setdefault(task.id, finding(GateName.ORDER, task.id, f"plan.steps[{index}]", said, fix))
    return counted, list(found.values())


def _other_orders(task: ExecutableTask, work: CarriedOut, clauses: Sequence[Clause]) -> Iterator[tuple[int, Plan]]:
    plan = task.plan_alone
    needs = needs_of(plan)
    ids = records_of(task.initial_state).ids | records_of(work.state).ids
    for first, second in pairwise(work.writes):
        between = {step.name for step in plan.steps[first:second] if step.name}
        if needs[second] & between or ids_named(work.calls[first][1], ids) & ids_named(work.calls[second][1], ids):
            continue
        if ordering(clauses, task, work.calls[first], work.calls[second]):
            continue
        steps = list(plan.steps)
        steps.insert(first, steps.pop(second))
        yield first, plan.model_copy(update={"steps": tuple(steps)})


async def trivial(door: Door, tasks: Sequence[ExecutableTask], works: Sequence[CarriedOut]) -> list[Finding]:
    """Findings on tasks whose writes and answer follow from the instruction alone, with nothing looked up."""
    told = [
        (task, work)
        for task, work in zip(tasks, works, strict=True)
        if work.writes and all(_is_told(given, task.instruction) for _, given in _acts(work))
    ]
    probed = await door.probe([Probe(task.initial_state, _acts(work)) for task, work in told])
    return [
        finding(
            GateName.TRIVIAL,
            task.id,
            "instruction",
            "holds every value of every write, and all that has to be reported",
            "Let something depend on a record or a rule that has to be looked up",
        )
        for (task, work), outcome in zip(told, probed, strict=True)
        if _passes_unread(task, work, outcome)
    ]


def _acts(work: CarriedOut) -> list[Call]:
    """Writes of a plan, and its report."""
    return [call for at, call in enumerate(work.calls) if work.outcomes[at].changed or call[0] == REPORT_TOOL]


def _passes_unread(task: ExecutableTask, work: CarriedOut, outcome: Probed) -> bool:
    # The number of a new record is nothing that anybody had to find out; what else a write shows may be.
    held = texts_of(task.initial_state)
    shown = {value for call in outcome.calls for value in scalars(call.content) if isinstance(value, str)}
    said = [task.instruction, *sorted(value for value in shown - held if id_like(value) == {value})]
    return failed_check(task, _acts(work), outcome.calls, "\n".join(said), outcome.state) is None


def _is_told(given: JsonValue, instruction: str) -> bool:
    """Whether an instruction holds all values of a call, or they are words that an agent finds itself."""
    said = instruction.casefold()
    numbers = numbers_in(instruction)
    for value in scalars(given):
        if value is None or isinstance(value, bool):
            continue
        if isinstance(value, int | float):
            if number_of(value) not in numbers:
                return False
        elif len(value.split()) < _FREE_TEXT and value.casefold()[: max(5, len(value) * 2 // 3)] not in said:
            return False
    return True
