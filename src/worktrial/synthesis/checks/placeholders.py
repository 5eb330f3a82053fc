"""Texts that were left to be filled in."""

import re
from collections.abc import Iterator

import msgspec

from worktrial.finding import Finding
from worktrial.synthesis.checks.case import Artifact, CheckName, SlotDraft, problem, texts

_ALWAYS = re.compile(
    r"\b(?:TODO|TBD|FIXME)\b|\blorem ipsum\b|\{\{.*?\}\}|\[(?:insert|your|placeholder|fill in|to be)\b[^\]]*\]"
    r"|<(?:insert|your|placeholder|fill in|to be|todo)\b[^<>]*>",
    re.IGNORECASE | re.DOTALL,
)
# Rules and descriptions may show a form in angle brackets; what is handed to an agent or a judge may not.
_IN_TASK = re.compile(r"<[A-Za-z][A-Za-z0-9]*(?:[ _-][A-Za-z0-9]+)+>|<[A-Z][A-Z0-9]+>")


def left_over(text: str, *, forms: bool = False) -> list[str]:
    """Every place-holder in a text, once each; with `forms` it may show a form, as in `<order number>`."""
    patterns = (_ALWAYS,) if forms else (_ALWAYS, _IN_TASK)
    return list(dict.fromkeys(hit[0] for pattern in patterns for hit in pattern.finditer(text)))


_FILLED = ("{{initial_state}}", "{{state_descriptions}}", "{{action_set_definitions}}")
"""Place-holders that a simulator's prompt fills in itself."""

# An author that cut a list short.
_CUT_SHORT = re.compile(r"\s*(?:\.\.\.|…|etc\.?|\(?(?:and )?(?:\d+ )?more(?: \w+)?\.*\)?)\s*", re.IGNORECASE)


def placeholders(case: SlotDraft) -> Iterator[Finding]:
    """Texts that are still to be filled in, once for each artifact.

    Addresses such as example.com are not among it: in a made-up world they are the right ones.
    """
    for artifact, named in _places(case).items():
        found = [(path, left) for path, text, strict, data in named if (left := _left(text, strict, data))]
        if found:
            path, left = found[0]
            more = f" and {len(found) - 1} more" if len(found) > 1 else ""
            fix = "Write what belongs there"
            yield problem(CheckName.PLACEHOLDERS, artifact, path, f"still has the placeholder {left!r}{more}", fix)


def _places(case: SlotDraft) -> dict[Artifact, list[tuple[str, str, bool, bool]]]:
    """Artifact to (place, text, whether it is handed to agent or judge, whether it is a value of data)."""
    workplace, task = case.workplace, case.task
    state = [(path, text, False, True) for path, text in texts(workplace.initial_state, "initial_state")]
    rules = [("system_prompt", workplace.system_prompt, False, False)]
    meaning = [(path, text, False, False) for path, text in texts(workplace.state_description, "state_description")]
    tools = [
        (path, text, False, ".example_output" in path)
        for index, tool in enumerate(workplace.tools)
        for path, text in texts(msgspec.to_builtins(tool), f"tools[{index}]")
    ]
    plan = [
        (path, text, True, True)
        for index, step in enumerate(task.plan)
        for path, text in texts(step.arguments, f"plan[{index}].arguments")
    ]
    return {
        "workplace": rules + meaning + state,
        "tools": tools,
        "instruction": [("instruction", task.instruction, True, False)],
        "plan": plan,
        "rubric": [("rubric", task.rubric, True, False)],
    }


def _left(text: str, strict: bool, data: bool) -> str:
    for filled in _FILLED:
        text = text.replace(filled, "")
    found = left_over(text, forms=not strict)
    if not found and data and (cut := _CUT_SHORT.fullmatch(text)):
        found = [cut[0]]
    return found[0].strip() if found else ""
