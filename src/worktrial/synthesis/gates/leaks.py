"""Gates of texts: neither instruction, nor tools, nor records hold what has to be found out, and rubrics fit."""

import re
from collections.abc import Collection, Iterator, Sequence, Set
from fractions import Fraction
from typing import Any

from worktrial.finding import Finding
from worktrial.grading.answer_checks import (
    AnswerChoice,
    AnswerDate,
    AnswerId,
    AnswerTime,
)
from worktrial.grading.facts import ABSENT, at
from worktrial.grading.report_checks import ReportLine
from worktrial.grading.state_checks import AnyCheck, OnlyChanged, StateAbsent
from worktrial.language import JsonObject, JsonValue
from worktrial.suites.executable.tasks import ExecutableTask
from worktrial.synthesis.clauses import Clause
from worktrial.synthesis.gates.facts import (
    SYMBOL,
    amounts_asked,
    answer_checks,
    as_word,
    call_arguments,
    id_form,
    id_like,
    is_code,
    is_telling,
    known_numbers,
    number,
    numbers_in,
    pointers,
    shingles,
    states,
    texts_of,
    told_values,
    wanted_in_state,
    words,
)
from worktrial.synthesis.gates.names import GateName, finding
from worktrial.synthesis.gates.work import CarriedOut
from worktrial.workplaces import Workplace
from worktrial.workplaces.executable.report_form import REPORT_TOOL
from worktrial.workplaces.lint import tool_verbs, tools_missing_from_rubric
from worktrial.workplaces.values import leaves, scalars

RUN = 8
"""Words in a row that two texts have in common only when one was copied."""
SHARE = 0.5
"""Share of a rubric's runs of four words that an instruction may have at most."""
STEPS = 3
"""Steps of a plan, in order, that an instruction may not tell."""
_SENTENCE = re.compile(r"(?<=[.;!?\n])\s+")
_NOT = re.compile(
    r"\b(?:not|never|no|none|nothing|neither|nor|without|instead|rather|cannot|only|but)\b|n't\b|않|아니|없|말고|못|대신",
    re.IGNORECASE,
)
_ASKS = re.compile(r"[?]|\b(?:whether|if|which|who|what|when|how)\b|인지|는지|여부|할지", re.IGNORECASE)
_BACKTICKED = re.compile(r"`([A-Za-z_]\w*)`")
_READS = {
    "get": "get|open|look|read|check|fetch|pull|retrieve|view",
    "list": "list|look|go through|check|pull|read",
    "find": "find|search|look",
    "search": "search|find|look",
    "read": "read|look|check|open",
    "show": "show|look|open|check",
}
_KEY_TELLS = re.compile(
    r"(?:^|_)(?:expected|solution|ground_?truth|correct|right_answer|answer_key|rubric|should_be|intended)(?:_|$)",
    re.IGNORECASE,
)


def told_findings(task: ExecutableTask, work: CarriedOut) -> list[Finding]:
    """Findings on an instruction that holds the answer, the steps or the rubric."""
    reads = {tool.name for tool in task.home.artifact.tools if not tool.writes}
    calls = [step.call for step in task.plan_alone.steps if step.call != REPORT_TOOL]
    steps = steps_told(task.id, task.instruction, calls, reads)
    return [*_solution(task, work), *steps, *rubric_told(task.id, task.instruction, task.rubric)]


def _solution(task: ExecutableTask, work: CarriedOut) -> Iterator[Finding]:
    """Facts of the answer, worked-out values and chosen codes that the instruction holds."""
    fix = "Take it out of the instruction: it has to be found or worked out"
    held = texts_of(task.initial_state)
    known = known_numbers(task.initial_state)
    given = numbers_in(task.instruction)
    told = [check for check in answer_checks(task) if _gives_away(check, task, held, known)]
    if told:
        values = dict.fromkeys(value for check in told for value in told_values(check))
        said = f"holds what the answer has to tell: {', '.join(values)}"
        yield finding(GateName.SOLUTION_TOLD, task.id, "instruction", said, fix)
        return
    chosen = _chosen_codes(task, work)
    named = [code for code in chosen if as_word(code).search(task.instruction)]
    wanted = dict.fromkeys(v for v in wanted_in_state(task.checks) if is_telling(v) and number(v) not in known)
    # One sum may be what is asked for, such as the volume to prepare; all of them are the solution.
    worked_out = [*wanted] if len(wanted) > 1 and all(number(value) in given for value in wanted) else []
    if named or worked_out:
        what = ", ".join(str(value) for value in (*named, *worked_out))
        said = f"holds what has to be decided or worked out: {what}"
        yield finding(GateName.SOLUTION_TOLD, task.id, "instruction", said, fix)


def _gives_away(check: AnyCheck, task: ExecutableTask, held: Set[str], known: Set[Fraction]) -> bool:
    """Whether the instruction states what a check of answer or report asks for, and did not have to."""
    if isinstance(check, ReportLine):
        day = AnswerDate(check="answer_date", value=check.date, clauses=()) if check.date else None
        told = [value for value in amounts_asked(check) if number(value) in numbers_in(task.instruction)]
        return (
            any(as_word(code).search(task.instruction) for code in check.outcome if is_code(code))
            or any(is_telling(value) and number(value) not in known for value in told)
            or (day is not None and _gives_away(day, task, held, known))
        )
    if not states(task.instruction, check):
        return False
    if isinstance(check, AnswerId):
        # Which of several named records it is may well be the question; a new one's id is not known beforehand.
        return check.value not in held
    if amounts := amounts_asked(check):
        return any(is_telling(value) and number(value) not in known for value in amounts)
    if isinstance(check, AnswerDate | AnswerTime):
        return not any(told_values(check)[0][:16] in text for text in held)
    return isinstance(check, AnswerChoice) and states(_statements(task.instruction), check)


def _statements(text: str) -> str:
    """Sentences of an instruction that ask nothing: `whether it passed` tells nobody that it did."""
    return " ".join(sentence for sentence in _SENTENCE.split(text) if not _ASKS.search(sentence))


def _chosen_codes(task: ExecutableTask, work: CarriedOut) -> list[str]:
    """Codes in capitals or snake case that the plan's writes choose."""
    codes: list[str] = []
    for index in work.writes:
        _, given = work.calls[index]
        codes += [v for v in scalars(given) if is_code(v)]
    return list(dict.fromkeys(codes))


def steps_told(id: str, instruction: str, calls: Sequence[str], reads: Collection[str]) -> Iterator[Finding]:
    """Findings on an instruction that names the tools of its plan, or tells its steps in order.

    Args:
        id: Id of the task.
        instruction: Its instruction.
        calls: Tools that the plan calls, in order.
        reads: Tools that only read.
    """
    tools = list(dict.fromkeys(calls))
    fix = "Say what is wanted, not how it is done"
    named = [tool for tool in tools if len(tool) > 6 and as_word(tool).search(instruction)]
    if len(named) >= 2 or (named and (named[0] != named[0].lower() or not named[0].isalnum())):
        yield finding(GateName.STEPS_TOLD, id, "instruction", f"names the tools {', '.join(named)}", fix)
        return
    text = " ".join(words(instruction))
    place, told, looked_up = 0, [], 0
    for tool in tools:
        found = _step_pattern(tool).search(text, place)
        if found is not None:
            place = found.end()
            told.append(tool)
            looked_up += tool in reads
    if len(told) >= STEPS and looked_up >= 2 and 2 * len(told) >= len(tools):
        said = f"tells the plan's steps in order: {', '.join(told)}"
        yield finding(GateName.STEPS_TOLD, id, "instruction", said, fix)


def _step_pattern(tool: str) -> re.Pattern[str]:
    """Pattern of a tool's name in prose: its verb, or one like it, then its noun within a few words."""
    verb, *nouns = (part.casefold() for part in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+", tool))
    verbs = _READS.get(verb, re.escape(verb[:5]))
    rest = "".join(rf"\w*(?: \w+){{0,4}}? {re.escape(noun.rstrip('s')[:6])}" for noun in nouns)
    return re.compile(rf"\b(?:{verbs}){rest}")


def rubric_told(id: str, instruction: str, rubric: str) -> Iterator[Finding]:
    """Findings on an instruction that repeats the rubric."""
    common = shingles(instruction, RUN) & shingles(rubric, RUN)
    fours, own = shingles(instruction, 4), shingles(rubric, 4)
    if common or (len(own) >= 4 and len(fours & own) > SHARE * len(own)):
        run = " ".join(min(common)) if common else "most of its words"
        said = f"repeats the rubric: {run!r}"
        yield finding(GateName.RUBRIC_TOLD, id, "instruction", said, "Leave the rubric to whoever judges")


def leak_findings(workplace: Workplace, task: ExecutableTask, clauses: Sequence[Clause] = ()) -> list[Finding]:
    """Findings on tools and records that hold what the task wants found out.

    Clauses that the rubric quotes are none of its own words: who wrote the tools had them, too.
    """
    found: list[Finding] = []
    known = known_numbers(task.initial_state)
    facts = {number(v): v for v in _facts(task) if is_telling(v) and number(v) not in known}
    answers = {check.value for check in task.checks if isinstance(check, AnswerId)}
    ids = [id for id in sorted(answers) if id_like(id) and not as_word(id).search(task.instruction)]
    own = [task.rubric]
    for clause in clauses:
        own = [piece for text in own for piece in text.split(clause.quote)]
    rubric = {run for piece in own for run in shingles(piece, RUN)}
    for tool in workplace.tools:
        described = [tool.description, *_descriptions(tool.parameters)]
        for text in described:
            told = [facts[value] for value in facts if value in numbers_in(text)]
            told += [id for id in ids if as_word(id).search(text)]
            if told or rubric & shingles(text, RUN):
                what = f"holds {told[0]}" if told else "repeats the rubric"
                said = f"the description of {tool.name} {what}, which the task asks for"
                place = f"tools.{tool.name}"
                found.append(finding(GateName.LEAKS, task.id, place, said, "Describe what the tool does"))
                break
    handbook = {text for value in task.home.artifact.initial_state.values() for text in _strings(value)}
    for pointer, value in leaves(task.initial_state):
        key = next((part for part in reversed(pointer.split("/")) if not part.isdigit()), "")
        if _KEY_TELLS.search(key) and value not in (None, "", [], {}):
            said = f"the record's field {key} tells what has to be found out"
        elif isinstance(value, str) and value not in handbook and rubric & shingles(value, RUN):
            said = "a text in the state repeats the rubric"
        else:
            continue
        found.append(finding(GateName.LEAKS, task.id, f"state {pointer}", said, "Leave it out of the state"))
        break
    return found


def record_findings(task: ExecutableTask, work: CarriedOut) -> list[Finding]:
    """Findings on records that instruction or checks speak of and that are nowhere.

    A record that is not there may be what the task is about: then the plan asks for it and is told so.
    """
    held = {text.casefold() for text in texts_of(task.initial_state) | texts_of(work.state)}
    forms = {id_form(text) for text in held if id_like(text) and len(text) <= 24}
    joined = "\n".join(held)
    asked = {
        value.casefold()
        for (_, given), outcome in zip(work.calls, work.outcomes, strict=True)
        if outcome.error
        for value in scalars(given)
        if isinstance(value, str)
    }
    strange = [
        id
        for id in sorted(id_like(task.instruction))
        if id_form(id) in forms and id.casefold() not in joined and id.casefold() not in asked
    ]
    fix = "Name a record of the initial state"
    found = []
    if strange:
        said = f"speaks of {', '.join(strange)}, which no record of the state is"
        found.append(finding(GateName.STRANGE_RECORDS, task.id, "instruction", said, fix))
    nowhere = [
        pointer
        for check in task.checks
        for pointer in pointers([check])
        # What may change need not be there: an incident that an agent may open, or not.
        if not isinstance(check, OnlyChanged)
        if not isinstance(check, StateAbsent) or not _may_be_there(task.initial_state, pointer, held)
        if pointer and at(task.initial_state, pointer) is ABSENT and at(work.state, pointer) is ABSENT
    ]
    if nowhere:
        said = f"look at {', '.join(dict.fromkeys(nowhere))}, which is there neither before nor after"
        found.append(finding(GateName.STRANGE_RECORDS, task.id, "checks", said, fix))
    ids = [
        value
        for check in task.checks
        for value in scalars(call_arguments(check))
        if isinstance(value, str) and id_like(value) == {value}
        if id_form(value) in forms and value.casefold() not in joined and value.casefold() not in asked
    ]
    if ids:
        said = f"are about calls with {', '.join(dict.fromkeys(ids))}, which no record of the state is"
        found.append(finding(GateName.STRANGE_RECORDS, task.id, "checks", said, fix))
    return found


def rubric_findings(task: ExecutableTask, work: CarriedOut, clauses: Sequence[Clause] = ()) -> list[Finding]:
    """Findings on a rubric that says otherwise than plan and checks; clauses that it quotes are none of its own."""
    said = task.rubric
    for clause in clauses:
        said = said.replace(clause.quote, " ")
    for clause in clauses:
        said = re.sub(rf"(?<![A-Za-z0-9-]){re.escape(clause.id)}(?![A-Za-z0-9-])", " ", said)
    task = task.model_copy(update={"rubric": said})
    artifact = task.home.artifact
    names = {tool.name for tool in artifact.tools}
    verbs = tool_verbs(names, at_least=1)
    facts: dict[str, Any] = {
        "tools": names,
        "verbs": verbs,
        "state": task.initial_state,
        "instruction": task.instruction,
    }
    found = []
    missing = tools_missing_from_rubric(task.rubric, **facts)
    if missing is not None:
        found.append(finding(GateName.RUBRIC, task.id, "rubric", missing.what, missing.fix))
    for what in (
        *_other_tools(task),
        *_other_choices(task, work),
        *_other_amounts(task),
        *_other_records(task, work),
    ):
        fix = "Let rubric, checks and plan say the same"
        found.append(finding(GateName.RUBRIC, task.id, "rubric", what, fix))
    return found


def _other_tools(task: ExecutableTask) -> Iterator[str]:
    """Writes that the rubric wants called and the plan does not call."""
    artifact = task.home.artifact
    called = {step.call for step in task.plan.steps}
    for sentence in _SENTENCE.split(task.rubric):
        if _NOT.search(sentence):
            continue
        for name in _BACKTICKED.findall(sentence):
            tool = artifact.tool(name)
            if tool is not None and tool.writes and name not in called:
                yield f"says that `{name}` is called, and the plan never calls it"


def _other_choices(task: ExecutableTask, work: CarriedOut) -> Iterator[str]:
    """Closed sets of which the rubric names another value than the plan writes."""
    for index in work.writes:
        tool, given = work.calls[index]
        known = task.home.artifact.tool(tool)
        properties = known.parameters.get("properties", {}) if known is not None else {}
        for name, value in given.items() if isinstance(given, dict) else ():
            choices = [one for one in _choices(properties.get(name, {})) if isinstance(one, str)]
            if not isinstance(value, str) or value not in choices or len(value) < 3:
                continue
            named = [one for one in choices if len(one) >= 3 and _says(task.rubric, one)]
            written = {given.get(name) for call, given in work.calls if call == tool and isinstance(given, dict)}
            if named and not written & set(named):
                yield f"speaks of {name} {' or '.join(named)}, and the plan writes {value}"


def _choices(schema: JsonObject) -> Iterator[JsonValue]:
    """Closed set of an argument, which may also be left empty."""
    yield from schema.get("enum", ())
    for way in schema.get("anyOf", ()):
        yield from _choices(way)


def _says(text: str, choice: str) -> bool:
    """Whether a text has a value of a closed set as a word that is told apart from prose."""
    if SYMBOL.fullmatch(choice):
        return as_word(choice).search(text) is not None
    return f"`{choice}`" in text


def _other_amounts(task: ExecutableTask) -> Iterator[str]:
    """Amounts that the checks ask for and a rubric with amounts does not have."""
    own = numbers_in(task.rubric)
    if not any(value != int(value) or abs(value) >= 100 for value in own):
        return
    asked = [value for check in task.checks for value in amounts_asked(check)]
    missing = [value for value in dict.fromkeys(asked) if is_telling(value) and number(value) not in own]
    if missing:
        listed = ", ".join(map(str, missing))
        yield f"has amounts, and not the {listed} that the checks ask for"


def _other_records(task: ExecutableTask, work: CarriedOut) -> Iterator[str]:
    held = "\n".join(texts_of(task.initial_state) | texts_of(work.state)).casefold()
    forms = {id_form(id) for id in id_like(held) if len(id) <= 24}
    said = f"{task.instruction} {work.answer}".casefold()
    strange = [
        id
        for id in sorted(id_like(task.rubric))
        if id_form(id) in forms and id.casefold() not in held and id.casefold() not in said
    ]
    if strange:
        yield f"speaks of {', '.join(strange)}, which no record of the state is"


def _facts(task: ExecutableTask) -> Iterator[JsonValue]:
    for check in task.checks:
        yield from amounts_asked(check)
    yield from wanted_in_state(task.checks)


def _descriptions(schema: JsonValue) -> Iterator[str]:
    if isinstance(schema, dict):
        for key, value in schema.items():
            if key == "description" and isinstance(value, str):
                yield value
            else:
                yield from _descriptions(value)
    elif isinstance(schema, list):
        for item in schema:
            yield from _descriptions(item)


def _strings(value: JsonValue) -> Iterator[str]:
    return (one for one in scalars(value) if isinstance(one, str))


def _may_be_there(state: JsonObject, pointer: str, held: Set[str]) -> bool:
    """Whether work might put something at a pointer: on its record, or as one under an id that others name.

    Decisions lie under the ids of claims, so `/decisions/C-7` is a place where there is nothing yet.
    """
    place = pointer.split("/")[:3]
    collection, record = "/".join(place[:2]), place[-1]
    if at(state, "/".join(place)) is not ABSENT:
        return True
    return len(place) == 3 and isinstance(at(state, collection), dict) and record.casefold() in held
