"""Truth of a task from a second side: the ends of plan and solver compared, and a ruling where they differ."""

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Annotated, Literal

import msgspec

from worktrial.audits.fidelity import Field, FieldStatus, compare
from worktrial.grading.check import Facts
from worktrial.grading.facts import at
from worktrial.grading.report_checks import ReportLine
from worktrial.grading.state_checks import StateItems
from worktrial.language import JsonObject, JsonValue
from worktrial.language.untrusted import encodable
from worktrial.suites.executable.tasks import ExecutableTask
from worktrial.synthesis.artifacts import SlotRun, Text
from worktrial.synthesis.author import Author
from worktrial.synthesis.files import hash_of
from worktrial.synthesis.gates.door import Door
from worktrial.synthesis.gates.report import reporting
from worktrial.synthesis.gates.work import carry_out
from worktrial.synthesis.prompting import compact, fenced, render, within
from worktrial.synthesis.proving.alignment import aligned
from worktrial.workplaces.executable.report_form import REPORT_TOOL, one_spelling_of
from worktrial.workplaces.signals import is_error
from worktrial.workplaces.values import ids, parts

_FREE_WORDS = 4
"""Words from which a text is taken to be worded freely."""
_SHOWN = 40
"""Differences that a ruling is shown."""
RULE_TOKENS, RECORD_TOKENS = 12_000, 6_000
"""Most tokens of rules, and of records, in the request for a ruling."""


class EndDifference(msgspec.Struct, kw_only=True, frozen=True):
    """A place at which two ends of a task differ."""

    at: str
    """JSON Pointer into the final state; `report/CASE/FIELD` for what was reported."""
    author: JsonValue = None
    """Value there; in a list of values, those that the other end lacks."""
    solver: JsonValue = None
    shared: list[JsonValue] | None = None
    """Values of the list that both have; None where it is no list of values."""


class RuleQuote(msgspec.Struct, kw_only=True, frozen=True):
    """Words of a rule."""

    id: Text
    quote: Text


class Ruling(msgspec.Struct, kw_only=True, frozen=True):
    """Decision between two ends; a line of `work/rulings.jsonl`."""

    task: Text
    content: Text
    """Hash of the task that it was made on."""
    right: Literal["author", "solver", "both", "neither", "unsaid"]
    """`unsaid`: the rules do not say, and whoever wrote them has to choose."""
    why: str
    quotes: list[RuleQuote]
    differences: list[EndDifference]
    model: str
    question: str = ""
    """Choice that is left to the owner of the rules, where they do not say."""
    rules: str = ""
    """Hash of all rules that it was made by."""


class _Reply(msgspec.Struct, kw_only=True, frozen=True):
    why: Text
    right: Literal["first", "second", "both", "neither", "unsaid"]
    quotes: Annotated[list[RuleQuote], msgspec.Meta(min_length=1)]
    question: str = ""


@dataclass(frozen=True, slots=True)
class End:
    """State and report with which work on a task ended."""

    state: JsonObject
    report: Sequence[Mapping[str, JsonValue]] | None = None
    """Lines that were handed in; None where none were."""
    seen: frozenset[str] = frozenset()
    """Ids that calls were made with or answered with."""


async def end_of_plan(task: ExecutableTask, door: Door) -> End:
    """The end that the task's own plan comes to, which gates have found to hold."""
    (work,) = await carry_out(door, [(task.plan_alone, task.initial_state)])
    looked = [given for _, given in work.calls] + [made.content for made in work.outcomes]
    made = work.calls[-1:] if work.calls and work.calls[-1][0] == REPORT_TOOL else []
    return End(work.state, [line for _, given in made for line in given["cases"]] if made else None, _ids(looked))


def end_of_run(row: SlotRun) -> End:
    """The end of a run that was stored with its trajectory."""
    line = row.trajectory or {}
    calls = line.get("calls") or []
    looked = [value for call in calls for value in (call["arguments"], call["observation"]["content"])]
    made = [
        call["arguments"]["cases"]
        for call in calls
        if call.get("tool") == REPORT_TOOL and not is_error(call["observation"]["content"])
    ]
    return End(line.get("final_state") or {}, made[-1] if made else None, _ids(looked))


def _ids(values: Iterable[JsonValue]) -> frozenset[str]:
    return frozenset(id for value in values for _, id in ids(value))


def differences(task: ExecutableTask, author: End, solver: End, *, exact: bool = False) -> list[EndDifference]:
    """Places at which the ends differ.

    Records that both created go by the author's ids, whatever order they were created in. Lists of values differ
    by what only one of them holds, in any order, unless checks admit what either holds. Texts of four words and
    more may be worded otherwise, as long as both say something. Of reports the fields are compared that the plan's
    has; what its check allows is no difference.

    Args:
        task: What was worked on.
        author: End of the plan.
        solver: End of the second worker.
        exact: Whether ids, orders and wordings are compared as they stand, and all that was reported.
    """

    def is_free(at: str, text: str) -> bool:
        return not exact and len(text.split()) >= _FREE_WORDS

    state = solver.state
    if not exact and state != author.state:
        known = {*_names(task.initial_state), *_words(task)}
        state = aligned(author.state, state, known, lambda text: "" if is_free("", text) else text)
    fields = [] if state == author.state else compare(author.state, state, is_free)
    off = [field for field in fields if field.status not in (FieldStatus.EQUAL, FieldStatus.FREE)]
    admits = None if exact else partial(_admits, task, Facts(task.initial_state, solver.state, reporting([])))
    found = list(_shown(off, author.state, admits))
    return [*found, *_reported(task, author, solver, exact=exact)]


def _reported(task: ExecutableTask, author: End, solver: End, *, exact: bool) -> Iterator[EndDifference]:
    """Fields in which two reports differ."""
    checks = [check for check in task.checks if isinstance(check, ReportLine)]
    spellings = {one_spelling_of(name): check.case[0] for check in checks for name in check.case}
    ours, theirs = (
        {spellings.get(one_spelling_of(str(line["case"])), str(line["case"])): line for line in end.report or ()}
        for end in (author, solver)
    )
    for case in dict.fromkeys([*ours, *theirs]):
        mine, other = ours.get(case, {}), theirs.get(case, {})
        own = next((check for check in checks if check.case[0] == case), None)
        if not exact and own is not None and own.others and own.run(Facts({}, {}, reporting([other]))).passed:
            continue
        for name in ("outcome", "amount", "date", "number", "ids"):
            if mine.get(name) == other.get(name):
                continue
            if exact or own is None or (name in mine and not _allows(own, mine, name, other.get(name))):
                yield EndDifference(at=f"report/{case}/{name}", author=mine.get(name), solver=other.get(name))


def _allows(check: ReportLine, line: Mapping[str, JsonValue], name: str, value: JsonValue) -> bool:
    """Whether a line that is right stays so with another value in one field, or none."""
    other = {key: part for key, part in line.items() if key != name} | ({} if value is None else {name: value})
    return "outcome" in other and check.run(Facts({}, {}, reporting([other]))).passed is True


def _admits(task: ExecutableTask, end: Facts, place: str) -> bool:
    """Whether checks name the values that a list may have, and are content with those of an end."""
    own = [one for one in task.checks if isinstance(one, StateItems) and one.at == place and one.one_of]
    return bool(own) and all(one.run(end).passed for one in own)


def _shown(
    off: Sequence[Field], state: JsonObject, admits: Callable[[str], bool] | None
) -> Iterator[EndDifference]:
    """Fields that differ; those of a list of values as one difference of sets, if it is one.

    Args:
        off: The fields.
        state: Of the author's end.
        admits: Whether the other end's list at a place is as good; None where all is compared as it stands.
    """
    listed: dict[str, list[Field]] = {}
    for field in off:
        place = None if admits is None else _list_of_values(field.at, state)
        if place is None:
            yield EndDifference(at=field.at, author=field.truth, solver=field.simulated)
        else:
            listed.setdefault(place, []).append(field)
    for place, fields in listed.items():
        if admits is not None and admits(place):
            continue
        ours = Counter(compact(one.truth) for one in fields if one.status is not FieldStatus.EXTRA)
        theirs = Counter(compact(one.simulated) for one in fields if one.status is not FieldStatus.MISSING)
        only = [[json.loads(one) for one in side.elements()] for side in (ours - theirs, theirs - ours)]
        if any(only):
            shared = list(at(state, place))
            for value in only[0]:
                shared.remove(value)
            yield EndDifference(at=place, author=only[0], solver=only[1], shared=shared)


def _list_of_values(pointer: str, state: JsonObject) -> str | None:
    """The list of the author's, without records, that a place belongs to; None where there is none."""
    place, _, index = pointer.rpartition("/")
    found = at(state, place) if index.isdigit() else None
    return place if isinstance(found, list) and not any(isinstance(one, dict | list) for one in found) else None


def _names(value: JsonValue) -> Iterator[str]:
    """All keys and texts at any depth."""
    if isinstance(value, str):
        yield value
    for key, item in parts(value):
        yield str(key)
        yield from _names(item)


async def ruled(
    task: ExecutableTask,
    content: str,
    found: Sequence[EndDifference],
    rules: Mapping[str, str],
    author: Author,
    *,
    headings: Mapping[str, str] = MappingProxyType({}),
    seen: Collection[str] = (),
    asked: int = 0,
    questions: Collection[str] = (),
) -> Ruling:
    """Let a third decide from the rules which end is right.

    Whose end stands first follows from the content, so that a preference for either place favours nobody.

    Args:
        task: What was worked on.
        content: Its hash.
        found: Where the ends differ.
        rules: Text of each clause or section by its id.
        author: The model that decides.
        headings: Number and title of the section in which each rule stands.
        seen: Ids of records that either worker looked at; as many are shown as there is room for.
        questions: Those that are with the owner already; one that comes up again is asked in the same words.
        asked: Earlier sessions to which it gave none; their replies are not taken from the cache again.

    Raises:
        UnusableReplies: it gives no decision with quotes that stand in the rules.
        InvalidSample: it cannot be reached.
    """
    swapped = int(content[:8], 16) % 2 == 1

    def wrong(reply: _Reply) -> list[str]:
        faults = [fault for quote in reply.quotes if (fault := _misquoted(quote, rules))]
        if reply.right == "unsaid" and not reply.question.strip():
            faults.append("`question` is missing: what has the owner of the rules to choose, in one sentence?")
        return faults

    data = render(
        "ruling_data",
        rules=within(_under_headings(rules, headings), RULE_TOKENS),
        instruction=task.instruction,
        clock=task.clock,
        outcomes=_outcomes(task),
        records=_records(task, found, seen),
        differences=[
            {
                "at": one.at,
                "first": compact(one.solver if swapped else one.author),
                "second": compact(one.author if swapped else one.solver),
                "shared": None if one.shared is None else compact(one.shared),
            }
            for one in found[:_SHOWN]
        ],
    )
    known = fenced(encodable("\n".join(f"- {one}" for one in questions))) if questions else ""
    prompt = render("ruling", data=fenced(encodable(data)), questions=known)
    reply = await author.write(
        prompt, _Reply, salt=f"ruling/{task.id}/{content}{f'/{asked}' if asked else ''}", check=wrong
    )
    sides: dict[str, Literal["author", "solver", "both", "neither", "unsaid"]] = {
        "first": "solver" if swapped else "author",
        "second": "author" if swapped else "solver",
        "both": "both",
        "neither": "neither",
        "unsaid": "unsaid",
    }
    return Ruling(
        task=task.id,
        content=content,
        right=sides[reply.right],
        why=reply.why,
        quotes=reply.quotes,
        differences=list(found),
        model=author.model,
        question=" ".join(reply.question.split()) if reply.right == "unsaid" else "",
        rules=rules_hash(rules),
    )


def _outcomes(task: ExecutableTask) -> str:
    """Codes that a report may give, with their meanings; "" where there is no form."""
    tool = task.home.artifact.tool(REPORT_TOOL)
    if tool is None:
        return ""
    return str(tool.parameters["properties"]["cases"]["items"]["properties"]["outcome"]["description"])


def rules_hash(rules: Mapping[str, str]) -> str:
    """Hash of all rules by which a ruling is made."""
    return hash_of(dict(rules))


def _under_headings(rules: Mapping[str, str], headings: Mapping[str, str]) -> Iterator[str]:
    """The rules, a line each; the first of a section has the section's heading above it."""
    above = ""
    for id, text in rules.items():
        heading = headings.get(id, "")
        yield f"\n{heading}\n{id}: {text}" if heading and heading != above else f"{id}: {text}"
        above = heading


def _misquoted(quote: RuleQuote, rules: Mapping[str, str]) -> str:
    if quote.id not in rules:
        return f"there is no rule {quote.id}"
    if _folded(quote.quote) not in _folded(rules[quote.id]):
        return f"{quote.quote!r} does not stand in {quote.id}"
    return ""


def _folded(text: str) -> str:
    return " ".join(text.split()).strip(" .\"'").casefold()


def _records(task: ExecutableTask, found: Sequence[EndDifference], seen: Collection[str]) -> list[str]:
    """Records before the work as JSON: what a difference, the plan or the instruction names, then what was seen."""
    words = _words(task)
    near: list[str] = []
    further: list[str] = []
    for name, part in task.initial_state.items():
        if isinstance(part, dict):
            for id, record in part.items():
                if id in words or _touched(found, name, id):
                    near.append(f"{name}/{id}: {compact(record)}")
                elif id in seen:
                    further.append(f"{name}/{id}: {compact(record)}")
        elif isinstance(part, list):
            for item in part:
                if words & _values(item):
                    near.append(f"{name}: {compact(item)}")
                elif not _ids([item]).isdisjoint(seen):
                    further.append(f"{name}: {compact(item)}")
        else:
            near.append(f"{name}: {compact(part)}")
    return within([*near, *further], RECORD_TOKENS)


def _words(task: ExecutableTask) -> frozenset[str]:
    """Values that the task's plan and instruction name."""
    plan = _values(task.plan.model_dump(mode="json", by_alias=True))
    return plan | frozenset(word.strip(".,:;()") for word in task.instruction.split())


def _values(value: JsonValue) -> frozenset[str]:
    if isinstance(value, dict):
        return frozenset().union(*(_values(item) for item in value.values()))
    if isinstance(value, list):
        return frozenset().union(*(_values(item) for item in value))
    return frozenset({str(value)})


def _touched(found: Sequence[EndDifference], *parts: str) -> bool:
    start = "/" + "/".join(parts)
    return any(one.at == start or one.at.startswith(f"{start}/") for one in found)
