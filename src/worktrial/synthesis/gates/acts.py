"""Ways to do a task wrongly by an act: one too many, one in the place of another, another choice, an empty text."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import islice, product

from worktrial.grading.written.amounts import stated_numbers
from worktrial.grading.written.spelling import one_spelling
from worktrial.language import JsonObject, JsonValue
from worktrial.suites.executable.tasks import ExecutableTask
from worktrial.synthesis.clauses import Clause
from worktrial.synthesis.gates.catalogue import (
    KnownCall,
    StateRecords,
    few_of_each,
    id_places,
    records_of,
    replaced,
    value_at,
)
from worktrial.synthesis.gates.facts import (
    ID_LIKE,
    answer_checks,
    id_like,
    ids_named,
    numbers_in,
    told_values,
    wanted_in_state,
    words,
)
from worktrial.synthesis.gates.names import GateName
from worktrial.synthesis.gates.work import Call, CarriedOut
from worktrial.workplaces import Tool, Workplace
from worktrial.workplaces.values import id_name, scalars

OWN = 2
"""Records of the task's own that an act too many is done to, for each id that it names."""
OTHERS = 2
"""Records that the task has nothing to do with, likewise."""
ACTS_OF_A_TOOL = 12
"""Acts too many of one tool in one task, where its choices and records would give more."""
_FREE_TEXT = 4  # words: an agent writes its own
_NOTHING = "Please see our records, and thank you for your patience in this matter."
_AMOUNT = re.compile(
    r"\b(?:amounts?|sums?|fees?|prices?|figures?|totals?|how much)\b|금액|요금|얼마", re.IGNORECASE
)
_DAY = re.compile(r"\b(?:dates?|days?|until|by when|deadlines?)\b|날짜|기한|일자", re.IGNORECASE)
_REFERENCE = re.compile(r"\b(?:numbers?|ids?|references?|codes?)\b|번호|코드", re.IGNORECASE)
_STEM = 4
_ISO = re.compile(r"\d{4}-\d{2}-\d{2}")
_CONTENT = re.compile(r"[a-z]{4,}|[가-힣]{2,}")


@dataclass(frozen=True, slots=True)
class Variant:
    """A wrong way to do a task, which its checks have to notice."""

    gate: GateName
    task: ExecutableTask
    work: CarriedOut
    calls: Sequence[Call]
    field: str
    what: str
    counts: int | None = None
    """Position of the call that must not be refused for the variant to be one; None where all count."""
    by: str = ""
    """Tool that the finding is about, where a task may have one finding for each."""
    closed: bool = False
    """Whether no author may leave it open: codes, lists of ids, texts that a clause asks for."""


def other_acts(task: ExecutableTask, work: CarriedOut, acts: Sequence[Call]) -> Iterator[Variant]:
    """The plan and one more act, before its first write or after its last, and an act in place of a write.

    Args:
        task: What is to be done.
        work: What came of its plan.
        acts: Acts that the workplace may allow; see `Acts`.
    """
    calls = list(work.calls)
    first = work.writes[0]
    own = [calls[index] for index in work.writes]
    ids = records_of(work.state).ids
    made = ids_named([[calls[index][1], work.outcomes[index].content] for index in work.writes], ids)
    near = [act for act in acts if not made.isdisjoint(ids_named(act[1], ids))]
    for act in [*own, *acts]:
        told = shown(act)
        after = f"all checks pass when {told} is called as well, after the rest"
        yield Variant(GateName.EXTRA_ACT, task, work, [*calls, act], "checks", after, len(calls), f"extra {act[0]}")
        # On a record that the task has nothing to do with, before and after are the same.
        if act in own or any(_is_choice(act, one) for one in own) or act not in near:
            continue
        before = f"all checks pass when {told} is called as well, before step {first}"
        more = [*calls[:first], act, *calls[first:]]
        yield Variant(GateName.EXTRA_ACT, task, work, more, "checks", before, first, f"extra {act[0]}")
        for index in work.writes:
            if calls[index][0] == act[0]:
                continue  # another record or another choice, which are gates of their own
            said = f"all checks pass when {told} is called in place of step {index} ({calls[index][0]})"
            instead = [*calls[:index], act, *calls[index + 1 :]]
            place = f"plan.steps[{index}]"
            yield Variant(GateName.EXTRA_ACT, task, work, instead, place, said, index, f"instead {act[0]}")


def _is_choice(act: Call, planned: Call) -> bool:
    """Whether an act is a planned one with other values: another choice, and nothing that is done beside it."""
    if act[0] != planned[0] or not isinstance(act[1], dict) or not isinstance(planned[1], dict):
        return False
    return all(planned[1].get(key) == value for key, value in act[1].items() if id_name(key))


def filled_otherwise(
    gate: GateName,
    task: ExecutableTask,
    work: CarriedOut,
    index: int,
    path: Sequence[str | int],
    given: JsonValue,
    how: str,
    *,
    closed: bool,
) -> Variant:
    """The plan with other arguments in one of its writes.

    Args:
        gate: The gate that tries it.
        task: What is to be done.
        work: What came of its plan.
        index: Position of the write.
        path: Place among its arguments where it differs.
        given: All its arguments.
        how: What is said of the place: `is 'P' instead of 'Q'`.
        closed: Whether no author may leave it open.
    """
    name, where, calls = work.calls[index][0], ".".join(map(str, path)), list(work.calls)
    said = f"all checks pass when {where} of step {index} ({name}) {how}"
    moved = [*calls[:index], (name, given), *calls[index + 1 :]]
    by = f"{name} {where}"
    return Variant(gate, task, work, moved, f"plan.steps[{index}]", said, index, by, closed=closed)


def other_choices(task: ExecutableTask, work: CarriedOut) -> Iterator[Variant]:
    """The plan with one value of a write chosen otherwise: another of a list, a day or a number beside it."""
    for index in work.writes:
        name, given = work.calls[index]
        tool = task.home.artifact.tool(name)
        for path, value in choices_beside(tool, given) if tool is not None else ():
            how = f"is {value!r} instead of {value_at(given, path)!r}"
            closed = isinstance(value, str) and as_day(value) is None
            other = replaced(given, path, value)
            yield filled_otherwise(GateName.CHOICE, task, work, index, path, other, how, closed=closed)


def empty_texts(task: ExecutableTask, work: CarriedOut, clauses: Sequence[Clause]) -> Iterator[Variant]:
    """The plan with a text that a clause asks for saying nothing, or naming another figure than is due."""
    by_id = {clause.id: clause for clause in clauses}
    cited = [by_id[id] for id in task.clauses if id in by_id]
    facts = _facts(task)
    calls = list(work.calls)
    for index in work.writes:
        name, given = calls[index]
        tool = task.home.artifact.tool(name)
        for path, text in free_texts(tool, given) if tool is not None else ():
            parts = [part for part in path if isinstance(part, str)]
            naming = [clause for clause in cited if names_act(clause.quote, calls[index], parts)]
            if not naming:
                continue
            quotes = " ".join(clause.quote for clause in naming)
            ids = ", ".join(clause.id for clause in naming)
            emptied = [(_NOTHING, "says nothing")]
            emptied += [(other, f"says {new!r} for {old!r}") for old, new, other in _misstated(text, facts, quotes)]
            for other, how in emptied:
                emptied_text, how = replaced(given, path, other), f"{how} [{ids}]"
                yield filled_otherwise(GateName.LETTERS, task, work, index, path, emptied_text, how, closed=True)


def shown(call: Call) -> str:
    """A call in a line: `refund({"order_id": "O-1"})`."""
    return f"{call[0]}({json.dumps(call[1], ensure_ascii=False)[:200]})"


@dataclass(frozen=True)
class Acts:
    """Acts of a workplace's write tools, made for one task after the other from calls that are known to make sense.

    Args:
        workplace: The workplace.
        known: Calls that succeed somewhere.
    """

    workplace: Workplace
    known: Sequence[KnownCall]

    def of(self, task: ExecutableTask, work: CarriedOut) -> list[Call]:
        """Acts of every write tool on the task's own records and on others, with every choice that it has."""
        after = records_of(work.state)
        named = {value for _, given in work.calls for value in scalars(given) if isinstance(value, str)}
        named |= {value for outcome in work.outcomes for value in scalars(outcome.content) if value in after.ids}
        named |= after.ids - records_of(task.initial_state).ids
        acts: dict[str, Call] = {}
        for tool in self.workplace.tools:
            if tool.writes is False:
                continue
            found: dict[str, Call] = {}
            for base in few_of_each([call for call in self.known if call.tool == tool.name]):
                for given in self._moved(base, after, named):
                    for chosen in _chosen(tool, given):
                        if not tool.problems(chosen):
                            found.setdefault(json.dumps(chosen, sort_keys=True), (tool.name, chosen))
            acts |= {f"{tool.name} {key}": call for key, call in islice(found.items(), ACTS_OF_A_TOOL)}
        return [call for call in acts.values() if call not in work.calls]

    def _moved(self, base: KnownCall, records: StateRecords, named: set[str]) -> Iterator[JsonObject]:
        """The call with the ids of its records replaced by those of the task, and by those of others."""
        there = records_of(base.state)
        places = list(id_places(base.arguments, there.ids))
        choices: list[list[str]] = []
        for path in places:
            old = str(value_at(base.arguments, path))
            group = records.groups.get(there.group_of(old), [])
            own = [one for one in group if one in named]
            others = [one for one in group if one not in named]
            choices.append([*own[-OWN:], *others[:OTHERS]] or [old])
        for chosen in product(*choices):
            given: JsonValue = base.arguments
            for path, one in zip(places, chosen, strict=True):
                given = replaced(given, path, one)
            yield given


def _chosen(tool: Tool, given: JsonObject) -> Iterator[JsonObject]:
    yield given
    needed = {key: value for key, value in given.items() if key in tool.parameters.get("required", given)}
    if needed != given:
        yield needed
    for path, value in choices_beside(tool, given, closed=True):
        other: JsonObject = replaced(given, path, value)
        yield other


def choices_beside(
    tool: Tool, given: JsonValue, *, closed: bool = False
) -> Iterator[tuple[tuple[str | int, ...], JsonValue]]:
    """Other values that a call might have had, each with its place.

    Args:
        tool: Whose call it is.
        given: Its arguments.
        closed: Whether only those of closed lists, and the other of two, are of interest.
    """
    for path, value, schema in argument_leaves(tool.parameters, given):
        if listed := options(schema):
            yield from ((path, option) for option in listed if option != value)
        elif isinstance(value, bool):
            yield path, not value
        elif closed:
            continue
        elif isinstance(value, int | float):
            yield path, value + 1
        elif isinstance(value, str) and (day := as_day(value)) is not None:
            yield path, f"{day + timedelta(days=1)}{value[10:]}"


def argument_leaves(
    schema: JsonValue, value: JsonValue, path: tuple[str | int, ...] = ()
) -> Iterator[tuple[tuple[str | int, ...], JsonValue, JsonValue]]:
    """Scalars of a call's arguments, each with its place and its part of the schema."""
    known = schema if isinstance(schema, dict) else {}
    if isinstance(value, dict):
        fields = known.get("properties", {})
        for key, item in value.items():
            yield from argument_leaves(fields.get(key), item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from argument_leaves(known.get("items"), item, (*path, index))
    elif value is not None:
        yield path, value, known


def options(schema: JsonValue) -> list[JsonValue]:
    """Values of a closed list; [] where there is none."""
    if not isinstance(schema, dict):
        return []
    found = list(schema.get("enum", []))
    for alternative in schema.get("anyOf", []):
        found += options(alternative)
    return [one for one in found if one is not None]


def as_day(text: str) -> date | None:
    """The day that a text begins with, ISO 8601; None where it begins with none."""
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        return None


def free_texts(tool: Tool, given: JsonValue) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Texts of four words and more among a call's arguments, each with its place."""
    for path, value, schema in argument_leaves(tool.parameters, given):
        if isinstance(value, str) and len(value.split()) >= _FREE_TEXT and not options(schema):
            yield path, value


def names_act(quote: str, call: Call, more: Sequence[str] = ()) -> bool:
    """Whether a clause speaks of a call: the `letter` of `send_letter`, the `APPROVAL` that a record is put on.

    What the call is done to does not count: `claim` in `decide_claim` with a `claim_id`.
    """
    name, given = call
    keys = set(given) if isinstance(given, dict) else set()
    objects = {part for key in keys if id_name(key) for part in _parts(key)}
    chosen = [value for value in scalars(given) if isinstance(value, str) and len(value.split()) == 1]
    told = {part for text in (name, *more, *chosen) for part in _parts(text)} - objects - _VERBS
    said = {_stem(word) for word in words(quote)}
    return any(_stem(part) in said for part in told)


def _parts(name: str) -> list[str]:
    """Words of a name in any of the usual spellings."""
    return _CONTENT.findall(re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower())


_VERBS = frozenset(
    ["send", "write", "text", "make", "record", "create", "update", "body", "post", "give", "customer"]
)
"""Words of tools' and arguments' names that say nothing about what kind of act it is."""


def _stem(word: str) -> str:
    """The beginning that `decide`, `decided` and `decision` have in common; short words without an `s`."""
    word = word.lower()
    return word[:_STEM] if len(word) > _STEM + 1 else word.removesuffix("s")


def _facts(task: ExecutableTask) -> set[str]:
    """Values that the task's checks ask for in state, answer or report, as texts.

    An id that the instruction names is what the case is called by, and nothing that a text has to tell.
    """
    values = [value for value in wanted_in_state(task.checks) if value is not None and not isinstance(value, bool)]
    told = {value for check in answer_checks(task) for value in told_values(check)}
    return ({str(value) for value in values} | told) - id_like(task.instruction)


def _misstated(text: str, facts: set[str], quotes: str) -> Iterator[tuple[str, str, str]]:
    """The text with one fact changed that the clauses want in it: what stood, what stands now, and the text."""
    said = one_spelling(text)
    # Nothing is said in many ways: 0.00, no money.
    wanted = {value for fact in facts for value in numbers_in(fact) if value}
    spans = []
    if _AMOUNT.search(quotes):
        spans += [(one.start, one.end) for one in stated_numbers(said) if not wanted.isdisjoint(one.values)]
    for kind, form in ((_DAY, _ISO), (_REFERENCE, ID_LIKE)):
        if kind.search(quotes):
            spans += [found.span() for found in form.finditer(said) if found[0] in facts]
    for start, end in spans:
        old = said[start:end]
        # The last digit: the rest may say what kind of number it is.
        new = re.sub(r"\d(?=\D*$)", lambda digit: str((int(digit[0]) + 1) % 10), old)
        if new != old:
            yield old, new, said.replace(old, new)
