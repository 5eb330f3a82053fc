"""The questions that judges of values are asked, in English and Korean."""

from pathlib import Path

from worktrial.grading.characters import encodable
from worktrial.grading.fence import mark
from worktrial.language import Message
from worktrial.language.templates import templates
from worktrial.suites.orchestration.planning.answers import ValueCase
from worktrial.suites.orchestration.planning.scenario import Language

_PROMPTS = Path(__file__).parent / "prompts"


def value_messages(case: ValueCase, language: Language) -> list[Message]:
    """The conversation about one case: byte for byte the same for equal cases."""
    data = "\n".join((case.context, case.tool, case.key, *case.gold, *case.predicted))
    text = _render(language, "case", case=case, mark=mark(encodable(data)))
    return [_message("system", _render(language, "judge")), _message("user", text)]


def asked_again(messages: list[Message], problem: str, language: Language) -> list[Message]:
    """The same question with what was wrong about the last reply, which is left out: endpoints refuse some."""
    text = messages[-1]["content"] + _render(language, "again", problem=problem)
    return [*messages[:-1], _message("user", text)]


def _message(role: str, text: str) -> Message:
    return {"role": role, "content": encodable(text)}


def _render(language: Language, name: str, **values: object) -> str:
    return templates(_PROMPTS).get_template(f"{language.value}/{name}.j2").render(**values)
