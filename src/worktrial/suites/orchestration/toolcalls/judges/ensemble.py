"""Asking several judges about argument values; the verdict is the mean of their votes."""

from collections.abc import Iterable, Mapping

from worktrial.errors import InvalidReason, InvalidSample, SettingError, StopRun
from worktrial.grading.ballot import Unreadable, read_ballot
from worktrial.grading.characters import encodable
from worktrial.grading.parallel import in_parallel
from worktrial.language import Complete, Message
from worktrial.suites.orchestration.planning.answers import ValueCase
from worktrial.suites.orchestration.planning.scenario import Language
from worktrial.suites.orchestration.toolcalls.judges.prompt import asked_again, value_messages
from worktrial.suites.orchestration.toolcalls.judges.shared import SharedVerdicts
from worktrial.suites.orchestration.toolcalls.judges.votes import SCHEMA, Ballot, CaseVotes, JudgedValues, ValueVote


class ValueJudges:
    """Judges whether argument values mean the same as the gold ones (OrchestrationBench: three judges, mean).

    Every judge is asked about every case in a request of its own, so that a verdict depends on nothing but its
    case and can be shared by all who need it.
    """

    def __init__(
        self, judges: Mapping[str, Complete], language: Language, *, shared: SharedVerdicts | None = None
    ) -> None:
        """Set up an ensemble.

        Args:
            judges: The judges' models by name; their order is the order of votes. The same model may be there
                several times, as independent draws.
            language: Of the prompts.
            shared: Verdicts to share with other ensembles of the same judges, such as those of a run's other
                samples, whose lines to the models are their own.

        Raises:
            SettingError: there is no judge.
        """
        if not judges:
            raise SettingError("judges: at least one is needed; without any, give no ensemble at all")
        self._judges = dict(judges)
        self._language = language
        self._shared = shared if shared is not None else SharedVerdicts()

    async def verdicts(self, cases: Iterable[ValueCase]) -> JudgedValues:
        """The verdicts on `cases`, all asked about at the same time, each once.

        Raises:
            InvalidSample: no judge gave a vote on one of them.
            StopRun: an endpoint says that no request of this run can succeed.
        """
        ordered = sorted(
            set(cases), key=lambda case: (case.tool, case.key, case.gold, case.predicted, case.context)
        )

        async def judge(number: int) -> CaseVotes:
            case = ordered[number]
            return await self._shared.of((self._language.value, case), lambda: self._ask(case))

        return JudgedValues(await in_parallel(judge, len(ordered)))

    async def _ask(self, case: ValueCase) -> CaseVotes:
        messages = value_messages(case, self._language)
        judges = list(self._judges.items())

        async def cast(number: int) -> ValueVote:
            name, complete = judges[number]
            return await _vote(name, complete, messages, number, self._language)

        votes = await in_parallel(cast, len(judges))
        if all(vote.same_meaning is None for vote in votes):
            blamed = next((vote for vote in votes if vote.trouble is not None), votes[0])
            detail = f"no vote of {len(votes)} judges on argument {case.key!r} of {case.tool!r}; {blamed.problem}"
            raise InvalidSample(blamed.trouble or InvalidReason.NO_MAJORITY, detail)
        return CaseVotes(case, tuple(votes))


async def _vote(
    name: str, complete: Complete, messages: list[Message], number: int, language: Language
) -> ValueVote:
    """The vote of judge `number`; an unreadable reply is asked for once more, then it counts as no vote."""
    raw: list[str] = []
    problem: str | None = None
    for attempt in (0, 1):
        asked = messages if problem is None else asked_again(messages, problem, language)
        try:
            # The draw differs by judge too: the same model in two chairs shall not answer from the cache.
            reply = await complete(asked, schema=SCHEMA, draw=2 * number + attempt)
        except StopRun:
            raise
        except InvalidSample as e:
            return ValueVote(name, None, raw=tuple(raw), problem=e.detail, trouble=e.reason)
        raw.append(encodable(reply.text))
        try:
            ballot = read_ballot(reply, Ballot)
        except Unreadable as e:
            problem = str(e)
        else:
            reason = None if ballot.reason is None else encodable(ballot.reason)
            return ValueVote(name, ballot.same_meaning, reason, tuple(raw), problem)
    return ValueVote(name, None, raw=tuple(raw), problem=problem)
