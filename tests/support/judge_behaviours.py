"""Judges whose verdicts are given, or are no verdicts at all."""

from collections.abc import Sequence
from dataclasses import dataclass

from tests.support.combinators import PerConversation
from tests.support.happy import verdict, yes_or_no
from tests.support.request import ScriptedRequest
from tests.support.script import Answer, Behaviour
from tests.support.wire import Body, completion


@dataclass(frozen=True)
class Verdict(Behaviour):
    """The same verdict for every task."""

    is_correct: bool = True
    feedback: str | None = "As scripted."

    def answer(self, request: ScriptedRequest) -> Body:
        return verdict(self.is_correct, self.feedback)


def votes(*verdicts: bool) -> PerConversation:
    """The votes on each task, in order; further votes are left to the next step."""
    return PerConversation([Verdict(v) for v in verdicts])


@dataclass(frozen=True)
class Verdicts(Behaviour):
    """The role's requests get these verdicts one after the other, whatever the task; then the next step's."""

    verdicts: Sequence[bool]

    def answer(self, request: ScriptedRequest) -> Answer:
        n = request.number_in_role
        return verdict(self.verdicts[n], "As scripted.") if n < len(self.verdicts) else None


@dataclass(frozen=True)
class YesWith(Behaviour):
    """One token, ` yes` with this probability, with log-probabilities when they are asked for."""

    p_yes: float

    def answer(self, request: ScriptedRequest) -> Body:
        if not request.body.get("logprobs"):
            return completion(" yes" if self.p_yes >= 0.5 else " no")
        return yes_or_no(self.p_yes, request.body.get("top_logprobs") or 2)


def ignores_logprobs(request: ScriptedRequest) -> Body:
    """An endpoint that accepts `logprobs` and reports none."""
    return completion(" yes")


def prose(request: ScriptedRequest) -> Body:
    return completion("On the whole the agent did well, so I would say that it is correct.")


def false_as_text(request: ScriptedRequest) -> Body:
    """`is_correct` is the string "false"."""
    return verdict("false", "A point of the rubric is not met.")


def number_for_truth(request: ScriptedRequest) -> Body:
    """`is_correct` is the number 1."""
    return verdict(1, "Every point of the rubric is met.")


def null_feedback(request: ScriptedRequest) -> Body:
    return verdict(True, None)


def missing_feedback(request: ScriptedRequest) -> Body:
    return completion('{"is_correct": true}')


def contradicting_objects(request: ScriptedRequest) -> Body:
    """Two verdicts in one reply, one of each kind."""
    return completion(
        'First: {"is_correct": true, "feedback": "fine"}. Then: {"is_correct": false, "feedback": "not"}.'
    )


def same_object_twice(request: ScriptedRequest) -> Body:
    one = '{"is_correct": true, "feedback": "fine"}'
    return completion(f"{one}\nAgain:\n{one}")


def fenced_verdict(request: ScriptedRequest) -> Body:
    return completion('```json\n{"is_correct": true, "feedback": "fine"}\n```')


def verdict_after_thinking(request: ScriptedRequest) -> Body:
    """Thoughts in tags, with a draft of the verdict's shape but no JSON, and then the verdict."""
    return completion('<think>Is it {right or wrong}? Right.</think>\n{"is_correct": true, "feedback": "fine"}')


def missing_key(request: ScriptedRequest) -> Body:
    """A JSON object without `is_correct`."""
    return completion('{"feedback": "fine"}')


def extra_keys(request: ScriptedRequest) -> Body:
    return verdict(True, "fine", confidence=0.9, points=[1, 2])


def verdict_in_list(request: ScriptedRequest) -> Body:
    return completion('[{"is_correct": true, "feedback": "fine"}]')
