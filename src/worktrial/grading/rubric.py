"""The verdict on a rubric by a majority of independent votes, or by log-probabilities."""

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from worktrial.errors import InvalidReason, InvalidSample, SettingError, StopRun
from worktrial.grading.ballot import ballot_schema, in_parallel, loose
from worktrial.grading.evidence import LEAST_LIMIT, JudgeCase, evidence, json_line, plain_record, words_of_agent
from worktrial.grading.logprob import assess
from worktrial.grading.prompt import asked_again, rubric_messages, with_code
from worktrial.grading.questions import BallotQuestion, cast_ballot
from worktrial.grading.verdict import Outcome, Verdict, Vote, decide
from worktrial.language import Complete, JsonValue
from worktrial.language.untrusted import encodable

Method = Literal["votes", "logprob"]

_PLACE = {"type": "string", "maxLength": 40}
_CITED = {
    "type": "object",
    "properties": {"place": _PLACE, "field": {"type": "string", "maxLength": 400}},
    "required": ["place", "field"],
    "additionalProperties": False,
}
SCHEMA = ballot_schema("feedback", "is_correct", longest=1200)
SCHEMA["properties"]["contradiction"] = {"anyOf": [{"type": "null"}, {"type": "array", "items": _CITED}]}
SCHEMA["required"].append("contradiction")


@dataclass(frozen=True, slots=True)
class Cited:
    """A field with its value, as the workplace gave it."""

    place: str
    """`call 3`, `initial_state` or `final_state`."""
    field: str
    """Name and value as they stand there: `"count":448`."""


@dataclass(frozen=True, slots=True)
class Ballot:
    """A judge's reply."""

    is_correct: bool
    feedback: str | None = None
    contradiction: tuple[Cited, ...] | None = None
    """Two values of the workplace that cannot both be right, where they decide; None for none."""


class RubricJudge:
    """Judges finished work against its task's rubric.

    The verdict does not depend on whether votes are cast one after the other, stopped early, or cast in
    parallel; only the number of votes in it does.
    """

    def __init__(
        self,
        complete: Complete,
        *,
        votes: int = 3,
        parallel: bool = False,
        early_stop: bool = True,
        method: Method = "votes",
        max_record: int = 120_000,
    ) -> None:
        """Set up a judge.

        Args:
            complete: The judge's model.
            votes: Planned number of votes; more than half of them, equal, decide.
            parallel: Ask for all votes at once: quicker, at the price of every vote.
            early_stop: Without `parallel`, cast no further vote once the verdict is settled.
            method: `votes`, or `logprob` for one-token probabilities on the rubric's single statements,
                which suits models too small for a holistic verdict; `votes` is then without meaning.
            max_record: Most characters of the record of the work in the prompt.

        Raises:
            SettingError: a value makes no sense.
        """
        if votes < 1:
            raise SettingError(f"votes: {votes} is too few; at least 1 is needed")
        if method not in get_args(Method):
            raise SettingError(f"judge method: {method!r} is unknown; use one of {', '.join(get_args(Method))}")
        if max_record < LEAST_LIMIT:
            raise SettingError(f"max_record: {max_record} characters are too few; at least {LEAST_LIMIT}")
        self._complete = complete
        self._votes = votes
        self._parallel = parallel
        self._early_stop = early_stop
        self._method = method
        self._max_record = max_record

    async def judge(self, case: JudgeCase) -> Verdict:
        """The verdict on `case`. Trouble with the judge makes it `invalid`, never `fail`.

        Raises:
            StopRun: the endpoint says that no request of this run can succeed.
            SettingError: log-probabilities were asked for and the endpoint gives none.
        """
        if not case.rubric.strip():
            return Verdict(Outcome.INVALID, (), InvalidReason.TASK_DATA, "the task has no rubric to judge by")
        record = evidence(case, self._max_record)
        verdict = await self._judged(case, record)
        whole = limit = len(record)
        if verdict.reason is InvalidReason.CONTEXT_OVERFLOW and await self._has_room(case, whole):
            # What takes more room than plain text of its length buys nobody an invalid sample.
            while verdict.reason is InvalidReason.CONTEXT_OVERFLOW and limit >= 2 * LEAST_LIMIT:
                limit //= 2
                record = evidence(case, limit)
                verdict = await self._judged(case, record)
        if len(record) < whole:
            cut = f"the record was cut to {len(record):,} of {whole:,} characters for the judge's context"
            verdict = replace(verdict, detail=f"{verdict.detail}; {cut}")
        return verdict

    async def _judged(self, case: JudgeCase, record: str) -> Verdict:
        if self._method == "logprob":
            early_stop = self._early_stop and not self._parallel
            return await assess(self._complete, case, record, early_stop, self._parallel)
        question = BallotQuestion(
            Ballot,
            SCHEMA,
            rubric_messages(case, record),
            asked_again,
            with_code,
            words_of_agent(case.trajectory),
            lambda ballot: uncited(case, ballot.contradiction),
        )

        async def cast(number: int) -> Vote:
            return await _vote(self._complete, question, number, case)

        votes = await (in_parallel(cast, self._votes) if self._parallel else self._in_order(cast))
        decision = decide(votes, self._votes)
        assert decision is not None, "the last vote always settles the case"
        return Verdict(decision.outcome, tuple(votes), decision.reason, decision.detail)

    async def _has_room(self, case: JudgeCase, length: int) -> bool:
        """Whether plain text of so many characters fits into the judge's context."""
        try:
            await self._complete(rubric_messages(case, plain_record(length)), max_tokens=1)
        except StopRun:
            raise
        except InvalidSample:
            return False
        return True

    async def _in_order(self, cast: Callable[[int], Awaitable[Vote]]) -> list[Vote]:
        votes: list[Vote] = []
        while len(votes) < self._votes and not (self._early_stop and decide(votes, self._votes)):
            votes.append(await cast(len(votes)))
        return votes


async def _vote(complete: Complete, question: BallotQuestion[Ballot], number: int, case: JudgeCase) -> Vote:
    cast = await cast_ballot(complete, question, number)
    ballot = cast.ballot
    if ballot is None:
        return Vote(None, attempts=cast.attempts, raw=cast.raw, problem=cast.problem, reason=cast.reason)
    feedback = None if ballot.feedback is None else encodable(ballot.feedback)
    if ballot.contradiction and uncited(case, ballot.contradiction) is None:
        cited = " and ".join(f"{one.field} in {one.place}" for one in ballot.contradiction)
        problem, reason = f"the workplace contradicted itself: {encodable(cited)}", _CONTRADICTION
        return Vote(None, feedback, cast.attempts, cast.raw, problem, reason)
    return Vote(ballot.is_correct, feedback, cast.attempts, cast.raw, cast.problem)


_CONTRADICTION = InvalidReason.WORKPLACE_CONTRADICTION


def uncited(case: JudgeCase, cited: Sequence[Cited] | None) -> str | None:
    """Reason for which the record bears a contradiction not out; None where it is one, or none is claimed.

    Two values of one field have to stand in what the workplace itself gave at two places, neither of them degraded
    on purpose, and neither value may be the agent's. So no words of an agent bring it about.
    """
    if not cited:
        return None
    shown: dict[str, JsonValue] = {f"call {c.index}": c.observation.content for c in case.trajectory.calls}
    for row in case.fault_ledger:
        shown.pop(f"call {row.get('call')}", None)
    shown |= {"initial_state": case.initial_state, "final_state": case.final_state}
    places = {one.place for one in cited}
    if len(cited) != 2 or len(places) != 2 or places == {"initial_state", "final_state"}:
        return "`contradiction` takes two fields from two places, at least one of them a call"
    agents = loose(words_of_agent(case.trajectory))
    for one in cited:
        field = loose(one.field).strip("{},")
        whole = re.compile(rf"[{{,\[]{re.escape(field)}[\]}},]")
        if one.place not in shown or not whole.search(loose(json_line(shown[one.place]))):
            return f"`contradiction`: {one.field} is no whole field of {one.place} as the workplace gave it"
        if whole.search(agents):
            return f"`contradiction`: {one.field} is what the agent wrote"
    (name, _, value), (other, _, held) = (loose(one.field).strip("{},").partition(":") for one in cited)
    return None if name == other and value != held else "`contradiction` takes two values of the same field"
