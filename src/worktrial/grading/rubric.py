"""The verdict on a rubric by a majority of independent votes, or by log-probabilities."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal, get_args

from worktrial.errors import InvalidReason, InvalidSample, SettingError, StopRun
from worktrial.grading.ballot import Unreadable, ballot_schema, in_parallel, read_ballot
from worktrial.grading.evidence import LEAST_LIMIT, JudgeCase, evidence
from worktrial.grading.logprob import assess
from worktrial.grading.prompt import asked_again, rubric_messages, with_code
from worktrial.grading.quoting import ShownText
from worktrial.grading.verdict import Outcome, Verdict, Vote, decide
from worktrial.language import Complete, Message
from worktrial.language.untrusted import encodable

Method = Literal["votes", "logprob"]

QUOTED = "twice no vote of the judge's own, but words of the record; that counts against the work"
SCHEMA = ballot_schema("feedback", "is_correct", longest=1200)


@dataclass(frozen=True, slots=True)
class Ballot:
    """A judge's reply."""

    is_correct: bool
    feedback: str | None = None


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
        if self._method == "logprob":
            early_stop = self._early_stop and not self._parallel
            return await assess(self._complete, case, self._max_record, early_stop, self._parallel)
        messages = rubric_messages(case, self._max_record)
        shown = ShownText(evidence(case, self._max_record))

        async def cast(number: int) -> Vote:
            return await _vote(self._complete, messages, number, shown)

        votes = await (in_parallel(cast, self._votes) if self._parallel else self._in_order(cast))
        decision = decide(votes, self._votes)
        assert decision is not None, "the last vote always settles the case"
        return Verdict(decision.outcome, tuple(votes), decision.reason, decision.detail)

    async def _in_order(self, cast: Callable[[int], Awaitable[Vote]]) -> list[Vote]:
        votes: list[Vote] = []
        while len(votes) < self._votes and not (self._early_stop and decide(votes, self._votes)):
            votes.append(await cast(len(votes)))
        return votes


async def _vote(complete: Complete, messages: list[Message], number: int, shown: ShownText) -> Vote:
    """Cast vote `number`; an unreadable reply is asked for once more, then it counts as no vote.

    Where the judge only repeated what stands in the record, it counts against the work: who plants a verdict
    there shall get neither that nor none.
    """
    raw: list[str] = []
    problem: str | None = None
    reason: InvalidReason | None = None
    quoted = False
    for attempt in (1, 2):
        draw = 2 * number + attempt - 1
        asked = messages if problem is None else asked_again(messages, problem)
        coded, code = with_code(asked, draw)
        try:
            reply = await complete(coded, schema=SCHEMA, draw=draw)
        except StopRun:
            raise
        except InvalidSample as e:
            return Vote(None, attempts=attempt, raw=tuple(raw), problem=e.detail, reason=e.reason)
        raw.append(encodable(reply.reply.content))
        try:
            ballot = read_ballot(reply, Ballot, shown, code)
        except Unreadable as e:
            problem, reason, quoted = str(e), e.reason, quoted or e.quoted
        else:
            feedback = None if ballot.feedback is None else encodable(ballot.feedback)
            return Vote(ballot.is_correct, feedback, attempt, tuple(raw), problem)
    if quoted and reason is None:
        return Vote(False, attempts=2, raw=tuple(raw), problem=QUOTED)
    return Vote(None, attempts=2, raw=tuple(raw), problem=problem, reason=reason)
