"""Wrong ways to do a task, played against its checks: work left out, done elsewhere, done otherwise, overdone."""

from collections import Counter
from collections.abc import Iterator, Sequence

from worktrial.finding import Finding
from worktrial.grading.facts import changed_pointers, under
from worktrial.grading.state_checks import OnlyChanged, StateItems, StateOneOf
from worktrial.language import JsonObject, JsonValue
from worktrial.suites.executable.tasks import ExecutableTask
from worktrial.synthesis.clauses import Clause
from worktrial.synthesis.gates.acts import Acts, Variant, empty_texts, other_acts, other_choices, shown
from worktrial.synthesis.gates.catalogue import KnownCall, StateRecords, id_places, records_of, replaced, value_at
from worktrial.synthesis.gates.door import Door, Probe
from worktrial.synthesis.gates.junk import junk_arguments
from worktrial.synthesis.gates.names import GateName, finding
from worktrial.synthesis.gates.opened import of_every_kind, wide_open
from worktrial.synthesis.gates.sequence import turned_round
from worktrial.synthesis.gates.sums import second_sums
from worktrial.synthesis.gates.texts import OutcomeText, outcome_texts, weak_texts
from worktrial.synthesis.gates.work import CarriedOut, failed_check
from worktrial.workplaces.executable.report_form import REPORT_TOOL
from worktrial.workplaces.values import scalars

NEIGHBOURS = 8
"""Other records that each id of a write is replaced by; the workplace may refuse most of them."""
FIXES = {
    GateName.EXTRA_ACT: "Check that nothing else changed, down to the field (`only_changed`), and how many items",
    GateName.CHOICE: "Check that value, or say with `state_one_of` or `open` what the clauses leave open",
    GateName.JUNK: (
        "Check what has to stand there; of a list at least one value that decides (`state_items` with `one_of`), "
        "also where further ones are `open`"
    ),
    GateName.LETTERS: "Check what the text has to say (`state_items` with `mentioning`)",
    GateName.TEXTS: "Check what the text has to say, and what none may say (`mentioning` with `at_most: 0`)",
    GateName.SUMS: (
        "Check the sums of the text (`state_items` with `stating: {field: [sums]}`), which refuses any other; what "
        "may stand beside them is `beside`, and the words that say which is paid are `paying`"
    ),
    GateName.SEQUENCE: "Check the order (`called_in_order`)",
}
"""Mending of what a gate finds, where it is not that of most."""
_FIX = "Check the state that only the right work leaves, and that nothing else changed (`only_changed`)"

_OPEN_FIX = (
    "What is `open` may hold one more record of a kind, not of any: let checks refuse the rest (`at_most: 0`)"
)


async def wrong_work(
    door: Door,
    tasks: Sequence[ExecutableTask],
    works: Sequence[CarriedOut],
    known: Sequence[KnownCall] = (),
    clauses: Sequence[Clause] = (),
    texts: Sequence[OutcomeText] = (),
) -> tuple[Counter[GateName], list[Finding]]:
    """Do each task wrongly in many ways: a write left out, at another record, one act too many, another choice.

    The report stays the plan's: somebody who claims to have done it all.

    Args:
        door: Carries the calls out.
        tasks: Tasks whose plans pass.
        works: What came of the plan of each.
        known: Calls that make sense somewhere, of which acts too many are made.
        clauses: Say what texts have to hold, and what comes first.
        texts: Texts of other cases, beside those of the tasks.

    Returns:
        Number of ways that were tried by gate, and those that pass.
    """
    acts = Acts(door.artifact, known)
    said = list(texts)
    for work in works:
        said += [text for _, text in outcome_texts(door.artifact, [work.calls[index] for index in work.writes])]
    variants = [
        variant
        for task, work in zip(tasks, works, strict=True)
        if work.writes
        for variant in (
            *_variants(task, work),
            *other_acts(task, work, acts.of(task, work)),
            *other_choices(task, work),
            *junk_arguments(task, work),
            *empty_texts(task, work, clauses),
            *weak_texts(task, work, said, clauses),
            *second_sums(task, work, said, clauses),
            *turned_round(task, work, clauses),
        )
    ]
    found: dict[tuple[str, str, str], Finding] = {}
    counted: Counter[GateName] = Counter()
    opened: dict[tuple[str, str], Variant] = {}
    """Acts too many that a task leaves open, each once: before and after the rest it is the same."""
    for one, passes, state in await _played(door, variants):
        counted[one.gate] += 1
        if not passes:
            continue
        if one.gate is not GateName.SEQUENCE and _is_left_open(one, state):
            if one.gate is GateName.EXTRA_ACT:
                opened.setdefault((one.task.id, shown(one.calls[one.counts or 0])), one)
            continue
        told = finding(one.gate, one.task.id, one.field, one.what, FIXES.get(one.gate, _FIX))
        found.setdefault((one.task.id, one.gate, one.by), told)
    return counted, [*found.values(), *await _wide_open(door, list(opened.values()))]


async def _played(door: Door, variants: Sequence[Variant]) -> list[tuple[Variant, bool, JsonObject]]:
    """Variants that the workplace allows and that end otherwise than the plan; whether each passes, and its end."""
    starts = [_common(one) for one in variants]
    probes = [
        Probe(one.work.state if start == len(one.work.calls) else one.task.initial_state, one.calls[start:])
        for one, start in zip(variants, starts, strict=True)
    ]
    played = []
    for one, start, outcome in zip(variants, starts, await door.probe(probes), strict=True):
        outcomes = [*one.work.outcomes[:start], *outcome.calls]
        if one.counts is not None and not outcomes[one.counts].changed:
            continue
        if one.gate is GateName.SEQUENCE:
            # Both orders come to the same state; what counts is that the workplace allows both.
            if sum(call.error for call in outcomes) != sum(call.error for call in one.work.outcomes):
                continue
        # The same in the end is no wrong way: a second write may have made up for the first.
        elif outcome.state == one.work.state:
            continue
        failed = failed_check(one.task, one.calls, outcomes, one.work.answer, outcome.state)
        played.append((one, failed is None, outcome.state))
    return played


async def _wide_open(door: Door, opened: Sequence[Variant]) -> list[Finding]:
    """Findings on open collections that take a record whatever its code is: left open is one kind, not all."""
    found: dict[tuple[str, str], Finding] = {}
    for one in opened:
        played = await _played(door, list(of_every_kind(one)))
        for place, values in wide_open((other, passes) for other, passes, _ in played):
            tool = one.calls[one.counts or 0][0]
            said = f"all checks pass when {tool} is called as well, with any {place}: {', '.join(map(str, values))}"
            told = finding(GateName.EXTRA_ACT, one.task.id, "checks", said, _OPEN_FIX)
            found.setdefault((one.task.id, said), told)
    return list(found.values())


def _common(variant: Variant) -> int:
    """Number of calls that a variant has in common with the plan and that need not be made again.

    Those before the plan's first write change nothing; where all are the plan's, its final state is known.
    """
    own = variant.work.calls
    same = next((n for n, (a, b) in enumerate(zip(variant.calls, own, strict=False)) if a is not b), len(own))
    same = min(same, len(variant.calls))
    return same if same == len(own) else min(same, variant.work.writes[0])


def _is_left_open(variant: Variant, state: JsonObject) -> bool:
    """Whether a state differs from the plan's only where the task's checks say that several values are right."""
    checks = variant.task.checks
    places = [check.at for check in checks if isinstance(check, StateOneOf)]
    # A list that holds one of several: which, and what else, is open.
    places += [check.at for check in checks if isinstance(check, StateItems) and check.one_of and check.at_least]
    if not variant.closed:
        places += [place for check in checks if isinstance(check, OnlyChanged) for place in check.open]
    lists = [check for check in checks if isinstance(check, StateItems) and check.among]
    changed = changed_pointers(state, variant.work.state) if places or lists else []
    # Such as the kind of a letter, of which several are right.
    places += [
        pointer
        for pointer in changed
        for check in lists
        if under(pointer, check.at) and pointer.rpartition("/")[2] in check.among
    ]
    return bool(changed) and all(any(under(pointer, place) for place in places) for pointer in changed)


def _variants(task: ExecutableTask, work: CarriedOut) -> Iterator[Variant]:
    calls, writes = list(work.calls), work.writes
    said = "all checks pass when the work is only claimed"
    claimed = [call for call in calls[-1:] if call[0] == REPORT_TOOL]
    yield Variant(GateName.WORDS, task, work, claimed, "checks", said)
    records = records_of(task.initial_state)
    own = {value for index in writes for value in scalars(calls[index][1]) if isinstance(value, str)}
    for index in writes:
        tool, given = calls[index]
        left = [*calls[:index], *calls[index + 1 :]]
        said = f"all checks pass without step {index} ({tool})"
        yield Variant(GateName.MINUS_WRITE, task, work, left, f"plan.steps[{index}]", said)
        for other, path, id in _elsewhere(given, records):
            where = ".".join(map(str, path))
            instead = f"{id!r} instead of {value_at(given, path)!r}"
            said = f"all checks pass when step {index} ({tool}) has {where} {instead}"
            moved = [*calls[:index], (tool, other), *calls[index + 1 :]]
            # One of several in a list may be another; the list as a whole is looked at for itself.
            closed = not any(isinstance(part, int) for part in path)
            place = f"plan.steps[{index}]"
            yield Variant(GateName.NEIGHBOUR, task, work, moved, place, said, index, closed=closed)
            if id in own:
                continue  # more of the same is not what another record would be
            said = f"all checks pass when {tool} is also called with {where} {id!r}"
            more = [*calls, (tool, other)]
            yield Variant(GateName.STRAY_WRITE, task, work, more, "checks", said, len(calls))


def _elsewhere(given: JsonValue, records: StateRecords) -> Iterator[tuple[JsonValue, tuple[str | int, ...], str]]:
    """The arguments with one id after the other replaced by those of other records of the same kind."""
    for path in id_places(given, records.ids):
        for id in records.neighbours(value_at(given, path))[:NEIGHBOURS]:
            yield replaced(given, path, id), path, id
