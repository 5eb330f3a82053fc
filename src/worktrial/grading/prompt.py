"""The judge's prompts, rendered once for each case."""

from __future__ import annotations

import json
from functools import cache
from hashlib import sha256
from pathlib import Path

from worktrial.grading.ballot import continued
from worktrial.grading.evidence import JudgeCase
from worktrial.language import JsonValue, Message
from worktrial.language.templates import templates
from worktrial.language.untrusted import encodable, mark

_PROMPTS = Path(__file__).parent / "prompts"

ENDINGS = {
    "answered": "the agent gave its answer",
    "empty_answer": "the agent sent a message with neither text nor a tool call",
    "cut_answer": "the agent's last message was cut off at its output limit",
    "unread_call": "the agent's last message calls a tool in a form that could not be read",
    "content_filter": "the agent's last message was taken away, or cut off, by its provider's content filter",
    "refused": "the agent's provider sent a refusal in place of its last message",
    "turn_limit": "the agent was stopped at the limit on turns",
    "token_limit": "the agent was stopped at the limit on tokens",
    "time_limit": "the agent was stopped at the limit on time",
    "cost_limit": "the agent was stopped at the limit on costs",
    "context_limit": "the agent was stopped because the conversation outgrew its context",
}


_TEMPLATES = {
    "votes": ("judge", "case", "rubric", "again", "code", "untrusted"),
    "logprob": ("assess", "case", "statement", "untrusted"),
}
"""Everything that a judge may be told, by the method that decides."""


@cache
def prompt_fingerprint(method: str) -> str:
    """SHA-256 of the templates from which a judge's prompts are made.

    Args:
        method: `votes` or `logprob`.
    """
    digest = sha256()
    for name in _TEMPLATES[method]:
        digest.update((_PROMPTS / f"{name}.j2").read_bytes() + b"\0")
    digest.update(json.dumps(ENDINGS).encode())
    return digest.hexdigest()


def rubric_messages(case: JudgeCase, record: str) -> list[Message]:
    """The conversation that asks for a verdict on the whole rubric, on a record as `evidence` gives it."""
    text = _case(case, record) + _render("rubric.j2", case=case)
    return [_message("system", _render("judge.j2")), _message("user", text)]


def asked_again(messages: list[Message], problem: str) -> list[Message]:
    """The same question with what was wrong about the last reply.

    The reply itself is left out: some endpoints refuse one that is empty or that calls tools.
    """
    return continued(messages, _render("again.j2", problem=problem))


def with_code(messages: list[Message], code: str) -> list[Message]:
    """The same question, and at its end the code that the vote must give back."""
    return continued(messages, _render("code.j2", code=code))


def statement_messages(case: JudgeCase, record: str, statements: tuple[str, ...]) -> list[list[Message]]:
    """One conversation for each statement, alike up to the statement so that a prompt cache serves them all."""
    system, text = _message("system", _render("assess.j2")), _case(case, record)
    return [[system, _message("user", text + _render("statement.j2", statement=s))] for s in statements]


def statement_again(messages: list[Message], statement: str) -> list[Message]:
    """The question about one statement with the statement and what is asked of it put once more."""
    return continued(messages, _render("statement.j2", statement=statement))


def _case(case: JudgeCase, record: str) -> str:
    return _render(
        "case.j2",
        case=case,
        initial_state=_json(case.initial_state),
        state_description=_json(case.state_description),
        ended=case.trajectory.stop_reason.value,
        endings=ENDINGS,
        record=record,
        mark=mark(record),
    )


def _message(role: str, text: str) -> Message:
    return {"role": role, "content": encodable(text)}


def _json(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _render(template: str, **values: object) -> str:
    return templates(_PROMPTS).get_template(template).render(**values)
