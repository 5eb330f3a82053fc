"""Lints of workplaces and their tasks: find what runs, and yet misleads a simulator, an agent or a judge."""

import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from enum import StrEnum

from worktrial.finding import Finding as Finding
from worktrial.language import JsonObject, JsonValue
from worktrial.workplaces.tools import Tool
from worktrial.workplaces.values import objects


class LintCheck(StrEnum):
    """The checks."""

    RUBRIC_TOOLS = "rubric-tools"  # a rubric asks for tools that the workplace lacks
    RUBRIC_VALUES = "rubric-values"  # a rubric asks for codes that no tool can show
    DATES_WITHOUT_CLOCK = "dates-without-clock"  # absolute dates, and no tool tells today's
    UNDESCRIBED_STATE = "undescribed-state"  # a simulator has to guess what a field of the state means
    EXAMPLE_CLASH = "example-clash"  # example outputs contradict the initial state
    PROMPT_CALLS = "prompt-calls"  # the rules show calls to tools that do not exist


_SHOWN = 6


def listed(names: Sequence[str]) -> str:
    """`names` for a message: the first few, and how many there are beside them."""
    more = len(names) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (f" and {more} more" if more > 0 else "")


_CODE = re.compile(r"`([a-z]+(?:_[a-z0-9]+)+)`")
_WORD = re.compile(r"[A-Za-z]\w*")

_MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?"
    r"|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\.?"
)
_YEAR = r"(?:19|20)\d\d"
_ABSOLUTE_DATE = re.compile(
    rf"\b{_YEAR}-\d\d-\d\d"
    rf"|\b{_YEAR}/\d{{1,2}}/\d{{1,2}}\b|\b\d{{1,2}}/\d{{1,2}}/{_YEAR}\b"
    rf"|\b{_MONTH}\s+(?:\d{{1,2}}(?:st|nd|rd|th)?,?\s+)?{_YEAR}\b"
    rf"|\b{_YEAR}년\s*\d{{1,2}}월"
)
_CLOCK_WORDS = frozenset({"date", "time", "clock", "today", "now", "calendar"})


def tool_verbs(tools: Iterable[str], at_least: int = 5) -> frozenset[str]:
    """The words with which names of tools begin: those of at least so many different tools."""
    counts = Counter(name.split("_")[0] for name in set(tools))
    return frozenset(verb for verb, count in counts.items() if count >= at_least)


def tools_missing_from_rubric(
    rubric: str, *, tools: Collection[str], verbs: Collection[str], state: JsonObject, instruction: str
) -> Finding | None:
    """The tools that `rubric` names and the workplace lacks, as one finding.

    A rubric names a tool where it sets a word in snake case between backticks that begins like a tool's name
    and is no word of the state or the instruction. A judge who takes such a rubric at its word fails work
    that could not have been done otherwise.

    Args:
        rubric: The text the judge is held to.
        tools: Names of the workplace's tools.
        verbs: Words with which names of tools begin, from `tool_verbs`.
        state: The initial state, whose fields a rubric may well set in backticks.
        instruction: The task as the agent is given it.
    """
    named = dict.fromkeys(n for n in _CODE.findall(rubric) if n not in tools and n.split("_")[0] in verbs)
    if not named:
        return None
    known = set(_WORD.findall(json.dumps(state, ensure_ascii=False))) | set(_WORD.findall(instruction))
    lacking = [name for name in named if name not in known]
    if not lacking:
        return None
    return _finding(
        LintCheck.RUBRIC_TOOLS,
        "rubric",
        f"names {listed(lacking)}, and the workplace has no such tool",
        f"Name the workplace's own tools ({listed(sorted(tools))}), or say what must be true afterwards",
    )


_CODE_VALUE = re.compile(r"\b[A-Z][A-Z0-9]*(?:[-_][A-Z0-9]+)*[-_]?\d[A-Z0-9]*(?:[-_][A-Z0-9]+)*\b")


def values_out_of_reach(rubric: str, held: str) -> Finding | None:
    """The codes that `rubric` names and no tool can show, as one finding.

    A code is in capitals and has a digit: `P-1041`, `BS360-540`. One that neither the workplace nor the instruction
    holds can only be made up, by the simulator or by the agent.

    Args:
        rubric: The text the judge is held to.
        held: All text of the workplace (state, its description, rules, tools) and of the instruction.
    """
    lacking = [code for code in dict.fromkeys(_CODE_VALUE.findall(rubric)) if code not in held]
    if not lacking:
        return None
    return _finding(
        LintCheck.RUBRIC_VALUES,
        "rubric",
        f"asks for {listed(lacking)}, which no tool can show: nothing in the workplace holds it",
        "Put it into the state or the rules, or leave it out of the rubric",
    )


def dates_without_a_clock(instruction: str, state: JsonObject, tools: Iterable[str]) -> Finding | None:
    """A finding where a task deals in absolute dates and no tool of its workplace tells or moves the date.

    A date is absolute when it names its year: 2026-03-01, March 1, 2026, March 2026, 3/1/2026. A tool is about
    the date when its name has one of the words date, time, clock, today, now, calendar.
    """
    if any(_CLOCK_WORDS & set(name.lower().split("_")) for name in tools):
        return None
    text = json.dumps(state, ensure_ascii=False)
    in_task, in_state = _ABSOLUTE_DATE.search(instruction), _ABSOLUTE_DATE.search(text)
    first = in_task or in_state
    if first is None:
        return None
    where = "instruction" if in_task else "initial_state"
    return _finding(
        LintCheck.DATES_WITHOUT_CLOCK,
        where,
        f"holds absolute dates ({first[0]}, for one), and no tool tells what day it is",
        "Add a tool that tells the date, or a field of the state that fixes it; until then the sample's clock is "
        "derived from the data",
    )


_NAMED = re.compile(r'"name"\s*:\s*"([^"]*)"')


def unknown_calls(system_prompt: str, tools: Collection[str]) -> Finding | None:
    """The calls shown in the rules whose tool the workplace does not have, as one finding.

    A call is what the rules write as JSON with a `"name"`. An appendix that repeats state and tools is no part
    of the rules; reading the workplace cuts it off.
    """
    names = list(dict.fromkeys(name for name in _NAMED.findall(system_prompt) if name not in tools))
    if not names:
        return None
    return _finding(
        LintCheck.PROMPT_CALLS,
        "system_prompt",
        f"the rules show a call of {listed(names)}, and there is no such tool",
        "Show a call of one of the workplace's own tools, or none",
    )


def undescribed_state(state: JsonObject, description: JsonObject) -> Finding | None:
    """The top-level fields of `state` that `description` does not mention, as one finding.

    Only the top level counts: a field's description covers what is inside it. A state whose description is
    plain prose (kept under `about`) is taken as described.
    """
    if description.keys() == {"about"}:
        return None
    names = [name for name in state if name not in description]
    if not names:
        return None
    fields = f"field {names[0]}" if len(names) == 1 else f"{len(names)} fields ({listed(names)})"
    return _finding(
        LintCheck.UNDESCRIBED_STATE,
        "state_description",
        f"the state has {fields} without a description",
        "Describe what they mean and what changes them",
    )


_ID = re.compile(r"(?:^|_)id$")


def clashing_examples(tools: Iterable[Tool], state: JsonObject) -> Finding | None:
    """The tools whose example output shows things that the state does not hold, as one finding.

    An example clashes when it shows a text under a name that is a field of the state too, or under the name of
    an identifier (`id`, `…_id`), and that text occurs nowhere in the state: a simulator that leans on the
    example speaks of a patient, an order or a status that is not there. Numbers and booleans are left out,
    since they change as work goes on. Names count as fields of the state where they hold a single value.
    """
    fields = {name for name, _ in _leaves(state)}
    held = json.dumps(state, ensure_ascii=False)
    clashes: list[str] = []
    for tool in tools:
        strange = [
            f"{name} {value!r}"
            for name, value in _leaves(tool.example_output)
            if isinstance(value, str) and (name in fields or _ID.search(name)) and _written(value) not in held
        ]
        if strange:
            clashes.append(f"{tool.name} ({strange[0]})")
    if not clashes:
        return None
    return _finding(
        LintCheck.EXAMPLE_CLASH,
        "tools",
        f"example outputs show what the initial state does not hold: {listed(clashes)}",
        "Take the examples from the initial state, or mark them as shapes only",
    )


def _leaves(value: JsonValue) -> Iterator[tuple[str, JsonValue]]:
    """Name and value of every field, at any depth, that holds neither an object nor a list."""
    fields = (field for _, found in objects(value) for field in found.items())
    return (field for field in fields if not isinstance(field[1], dict | list))


def _written(text: str) -> str:
    """`text` as it stands between the quotes of a JSON document."""
    return json.dumps(text, ensure_ascii=False)[1:-1]


def _finding(check: LintCheck, field: str, what: str, fix: str) -> Finding:
    return Finding(check.value, "", "", field, what, fix)
