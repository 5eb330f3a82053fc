"""Tasks that ask for what their workplace does not offer."""

import json
import re
from collections import Counter
from collections.abc import Collection, Iterable

from worktrial.language import JsonObject
from worktrial.workplaces.lint.hazard import Finding, listed

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
    return Finding(
        "rubric",
        f"names {listed(lacking)}, and the workplace has no such tool",
        f"Name the workplace's own tools ({listed(sorted(tools))}), or say what must be true afterwards",
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
    return Finding(
        where,
        f"holds absolute dates ({first[0]}, for one), and no tool tells what day it is",
        "Add a tool that tells the date, or a field of the state that fixes it; until then the sample's clock is "
        "derived from the data",
    )
