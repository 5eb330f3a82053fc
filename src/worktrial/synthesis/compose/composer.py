"""Composition of one task: its cases planted one after the other in a drawn state, their work and checks united."""

from collections.abc import Iterable, Mapping, Sequence, Set
from functools import cache
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

import jsonpatch
import msgspec
import yaml
from pydantic import TypeAdapter, ValidationError

from worktrial.agents.plan import Plan
from worktrial.errors import DataError
from worktrial.grading.check import Facts
from worktrial.grading.facts import changed_pointers, under
from worktrial.grading.state_checks import Check
from worktrial.language import JsonObject, JsonValue
from worktrial.outside import patches
from worktrial.synthesis.clauses.clause import Clause
from worktrial.synthesis.compose.about import admitted, naming_nobody_else, numbers_of, records_about
from worktrial.synthesis.compose.atoms import AtomName, situation_of
from worktrial.synthesis.compose.declared import paying_words
from worktrial.synthesis.compose.reported import handing_in, line_of, lines_of, refuse_unreportable
from worktrial.synthesis.compose.sums import amounts_of, told_otherwise, with_sums
from worktrial.synthesis.gates.door import Door
from worktrial.synthesis.gates.work import carry_out
from worktrial.workplaces.executable.atoms import Situation
from worktrial.workplaces.trajectory import Trajectory

CHECKS: TypeAdapter[list[Check]] = TypeAdapter(list[Check])
LEVELS = (2, 3)
"""Weight up to which a task is of level 1, and of level 2."""


class RecipeCase(msgspec.Struct, kw_only=True, frozen=True):
    """An atom and the seed of its draw."""

    atom: str
    seed: str


class Recipe(msgspec.Struct, kw_only=True, frozen=True):
    """All that a task follows from, beside the workplace's code; a line of `work/recipes.jsonl`."""

    id: str
    """Name of the task in the first language."""
    start: int
    """Seed of the initial state's draw."""
    cases: list[RecipeCase]
    distractors: int = 0
    """Most distractors that are planted."""
    languages: list[str] = msgspec.field(default_factory=lambda: ["en"])
    round: int = 0
    """Number of times that it was hardened or mended."""


class NotComposed(Exception):
    """These cases make no task together; another draw may."""


class ComposedTask(msgspec.Struct, kw_only=True, frozen=True):
    """A task in all its languages, as its recipe makes it."""

    recipe: Recipe
    patch: list[JsonObject]
    """Changes of the drawn state, as a JSON Patch (RFC 6902)."""
    instructions: dict[str, str]
    steps: list[JsonObject]
    checks: list[JsonObject]
    clauses: list[str]
    difficulty: int
    refusals: int
    exceptions: list[str]
    """Part that an exception plays in each case that has one in view: it `applies` or `does_not`."""
    human: str = ""
    case_of_check: list[int] = []
    """Index of the case that each check is of; -1 for all of them."""
    widened: int = 0
    """Times that its checks were widened to another end that the rules allow."""
    requests: list[dict[str, str]] = []
    """Requests of the cases by language, in the order of the recipe."""

    @property
    def id(self) -> str:
        """Name in the first language."""
        return self.recipe.id

    @property
    def level(self) -> int:
        """Difficulty, 1 to 3."""
        return self.difficulty

    @property
    def round(self) -> int:
        """Times that it was hardened or mended."""
        return self.recipe.round

    @property
    def atoms(self) -> list[str]:
        """Atoms of its cases."""
        return [case.atom for case in self.recipe.cases]


async def compose(
    recipe: Recipe, atoms: Mapping[str, AtomName], door: Door, clauses: Iterable[Clause] = ()
) -> ComposedTask:
    """Compose a task.

    Args:
        recipe: What it is made of.
        atoms: Those of the workplace, by name.
        door: Runs the workplace's code.
        clauses: Clauses that hold, whose sums letters may name.

    Raises:
        NotComposed: an atom finds no place in this state, two cases share a record, or a case lacks a language.
        DataError: an atom returns what is no situation, a patch that does not apply, or a report that cannot be
            handed in.
    """
    random = Random(f"{recipe.start}/{[(case.atom, case.seed) for case in recipe.cases]}")
    state = start = await door.start(recipe.start)
    cases: list[Situation] = []
    taken: set[str] = set()
    for case in recipe.cases:
        found = await situation_of(door, case.atom, state, case.seed)
        if found is None:
            raise NotComposed(f"{case.atom} finds no place in the state")
        if shared := _shared(taken, found.records):
            raise NotComposed(f"{case.atom} bears on {shared}, as another case does")
        if missing := [name for name in recipe.languages if not found.request.get(name)]:
            raise NotComposed(f"{case.atom} has no {', '.join(missing)}")
        refuse_unreportable(case.atom, found, door.home.report)
        taken |= set(found.records)
        state = patched(state, found.patch, case.atom)
        cases.append(found)
    offered = [
        (case.atom, patch) for case, found in zip(recipe.cases, cases, strict=True) for patch in found.distractors
    ]
    plain = state
    planted = random.sample(offered, min(recipe.distractors, len(offered)))
    for name, patch in planted:
        state = patched(state, patch, name)
    named = [atoms[case.atom] for case in recipe.cases]
    cited = [sorted({*atom.clauses, *case.clauses}) for atom, case in zip(named, cases, strict=True)]
    order = random.sample(range(len(cases)), len(cases))
    common, paying = amounts_of(clauses), paying_words(door.sources) or ()
    own = [
        with_sums(admitted(case.checks, case, plain), [*numbers_of(records_about(case, plain)), *common], paying)
        for case in cases
    ]
    checks, case_of_check = _checks(own, cases, cited)
    of_all = [*naming_nobody_else(cases, plain), lines_of(cases)]
    checks[-1:-1] = of_all  # before the check of changes, which is the last
    case_of_check[-1:-1] = [-1] * len(of_all)
    lead = random.randrange(1 << 16)
    task = ComposedTask(
        recipe=recipe,
        patch=list(jsonpatch.make_patch(start, state)),
        instructions={
            name: instructed([cases[i].request[name] for i in order], name, lead) for name in recipe.languages
        },
        steps=[*_steps(cases, random), handing_in([cases[i].report for i in order])],
        checks=checks,
        case_of_check=case_of_check,
        clauses=sorted({clause for of_case in cited for clause in of_case}),
        difficulty=_level(named, cases, cited, {name for name, _ in planted}),
        refusals=sum(case.refusal for case in cases),
        exceptions=[case.exception for case in cases if case.exception is not None],
        human=" ".join(case.human for case in cases if case.human),
        requests=[case.request for case in cases],
    )
    return await _narrowed(task, state, door)


async def _narrowed(task: ComposedTask, state: JsonObject, door: Door) -> ComposedTask:
    """The task with its check of changes narrowed to what its plan changes, down to the field and the new item.

    What an atom says it changes may be a whole record, or a list of letters: one act more would pass there. A plan
    that cannot be followed is left as it is; the proof says so.
    """
    try:
        plan = Plan.model_validate(plan_of(task, task.recipe.languages[0]))
    except ValidationError:
        return task
    (work,) = await carry_out(door, [(plan, state)])
    if work.broken or any(outcome.crash for outcome in work.outcomes):
        return task
    changed = changed_pointers(state, work.state)
    facts = Facts(state, work.state, Trajectory())
    *checks, last = (told_otherwise(check, facts) for check in task.checks)
    places = [place for place in changed if any(under(place, declared) for declared in last["at"])]
    return msgspec.structs.replace(task, checks=[*checks, {**last, "at": sorted(places)}])


def plan_of(task: ComposedTask, language: str) -> JsonObject:
    """Solution plan of the task in one of its languages."""
    return {"steps": task.steps, "answer": closing(language)}


async def state_of(task: ComposedTask, door: Door) -> JsonObject:
    """State in which the task begins.

    Raises:
        DataError: its patch does not apply.
    """
    return patched(await door.start(task.recipe.start), task.patch, task.recipe.id)


def patched(state: JsonObject, patch: Sequence[JsonObject], atom: str) -> JsonObject:
    """A copy of the state with a patch applied.

    Raises:
        DataError: it does not apply.
    """
    try:
        result: JsonObject = patches.patched(state, patch)
    except patches.BadPatch as e:
        raise DataError(f"atoms.py: {atom}", f"its patch does not apply: {e}") from None
    return result


def _shared(taken: set[str], records: Sequence[str]) -> str:
    """A record that is taken, or lies within or around one that is."""
    for record in records:
        for other in taken:
            if record == other or record.startswith(f"{other}/") or other.startswith(f"{record}/"):
                return record
    return ""


def _level(
    atoms: Sequence[AtomName], cases: Sequence[Situation], clauses: Sequence[Sequence[str]], led_astray: Set[str]
) -> int:
    """Difficulty of the hardest case, more where two under one clause end otherwise: three easy ones stay easy.

    Args:
        atoms: Those of the cases.
        cases: As they are planted.
        clauses: Clauses of each case.
        led_astray: Atoms with a distractor in the state.
    """
    weight = max(
        atom.weight + (case.exception is not None) + (atom.name in led_astray)
        for atom, case in zip(atoms, cases, strict=True)
    )
    ends = [(case.refusal, case.exception) for case in cases]
    weight += any(
        ends[i] != ends[j] and not set(clauses[i]).isdisjoint(clauses[j])
        for i, j in combinations(range(len(cases)), 2)
    )
    return 1 + sum(weight > most for most in LEVELS)


def _name(case: int, name: str) -> str:
    return f"case_{case + 1}_{name}"


def _steps(cases: Sequence[Situation], random: Random) -> list[JsonObject]:
    """All steps, those of each case in their order, merged by chance."""
    waiting = [[_step(case, step) for step in found.steps] for case, found in enumerate(cases)]
    merged: list[JsonObject] = []
    while any(waiting):
        # As likely as there are steps left: each merged order is as likely as any other.
        chosen = random.choices(range(len(waiting)), [len(steps) for steps in waiting])[0]
        merged.append(waiting[chosen].pop(0))
    return merged


def _step(case: int, step: JsonObject) -> JsonObject:
    renamed = {**step}
    if "as" in step:
        renamed["as"] = _name(case, step["as"])
    if "with" in step:
        renamed["with"] = _renamed(case, step["with"])
    return renamed


def _renamed(case: int, value: JsonValue) -> JsonValue:
    if isinstance(value, dict):
        if value.keys() == {"from", "at"}:
            return {**value, "from": _name(case, str(value["from"]))}
        return {key: _renamed(case, item) for key, item in value.items()}
    return [_renamed(case, item) for item in value] if isinstance(value, list) else value


def _checks(
    of_cases: Sequence[Sequence[JsonObject]], cases: Sequence[Situation], clauses: Sequence[list[str]]
) -> tuple[list[JsonObject], list[int]]:
    """Every check once, with the clauses of its case, and one that nothing else changed."""
    checks: list[JsonObject] = []
    of: list[int] = []
    for case, own_checks in enumerate(of_cases):
        for check in (*own_checks, line_of(cases[case])):
            if fault := _misplaced(str(check.get("check"))):
                raise DataError("atoms.py", *fault)
            same = [one for one in checks if {**one, "clauses": 0} == {**check, "clauses": 0}]
            if not same:
                checks.append({**check, "clauses": check.get("clauses") or clauses[case]})
                of.append(case)
    only: JsonObject = {"check": "only_changed", "at": sorted({place for case in cases for place in case.changes})}
    if left_open := sorted({place for case in cases for place in case.open}):
        about = sorted({place.rpartition("/")[2] for case in cases for place in case.records})
        only |= {"open": left_open, "about": about}
    return [*checks, only], [*of, -1]


def _misplaced(check: str) -> tuple[str, str] | None:
    """Reason and mending of a check that no case may have; None for others."""
    if check == "only_changed":
        return "a situation holds a check only_changed", "Say what changes in `changes`"
    if check.startswith("answer_"):
        return f"a situation holds a check {check}, and nobody reads prose", "Say in `report` what is reported"
    return None


def instructed(requests: Sequence[str], language: str, lead: int) -> str:
    """The instruction of a task: what its cases ask, in their order, and the sentence that asks for the report.

    Args:
        requests: What each case asks.
        language: Code (ISO 639-1); a language that has no frames gets the requests alone.
        lead: Number by which one of the wordings is taken.
    """
    asked = requests[0] if len(requests) == 1 else "\n".join(f"{at}. {one}" for at, one in enumerate(requests, 1))
    frames = _frames().get(language)
    if frames is None:
        return asked
    if len(requests) > 1:
        counts = frames["counts"]
        count = counts[len(requests) - 1] if len(requests) <= len(counts) else len(requests)
        asked = f"{frames['several'][lead % len(frames['several'])].format(count=count)}\n{asked}"
    return f"{asked}\n{frames['report'][lead % len(frames['report'])]}"


def closing(language: str) -> str:
    """Last sentence of every plan, which nobody checks: the report is what was handed in."""
    frames = _frames()
    return str(frames.get(language, frames["en"])["closing"])


@cache
def _frames() -> dict[str, Any]:
    frames: dict[str, Any] = yaml.safe_load((Path(__file__).parent / "frames.yaml").read_text(encoding="utf-8"))
    return frames
