"""An ensemble of judges for argument values that are neither equal to the gold ones nor plainly wrong."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path

from worktrial.errors import InvalidReason, InvalidSample, SettingError
from worktrial.grading.ballot import ballot_schema, continued, in_parallel
from worktrial.grading.questions import BallotQuestion, cast_ballot
from worktrial.language import Complete, JsonObject, Message
from worktrial.language.templates import templates
from worktrial.language.untrusted import encodable, mark
from worktrial.outside.files import files_fingerprint
from worktrial.suites.orchestration.planning.scenario import Language
from worktrial.suites.orchestration.planning.turns import ValueCase, Verdicts

SCHEMA = ballot_schema("reason", "same_meaning", longest=600)


@dataclass(frozen=True, slots=True)
class ValueBallot:
    """A judge's reply."""

    same_meaning: bool
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class ValueVote:
    """One judge's opinion on one case."""

    judge: str
    """Its name among the judges of the run."""
    same_meaning: bool | None
    """Vote; None because the judge could not be reached or understood."""
    reason: str | None = None
    """The judge's grounds."""
    raw: tuple[str, ...] = ()
    """The replies in order, as received."""
    problem: str | None = None
    """Why there is no vote, or why the first reply had to be asked for again."""
    trouble: InvalidReason | None = None
    """Set when the endpoint, not the reply, is why there is no vote."""


@dataclass(frozen=True, slots=True)
class CaseVotes:
    """A case and the votes on it, in the order of the judges; at least one of them is a real one."""

    case: ValueCase
    votes: tuple[ValueVote, ...]

    @property
    def share(self) -> float:
        """The mean of the real votes, 0-1."""
        real = self.ballots
        return sum(vote is True for vote in real) / sum(vote is not None for vote in real)

    @property
    def ballots(self) -> tuple[bool | None, ...]:
        """One entry for each judge, for measures of agreement; None is no vote."""
        return tuple(vote.same_meaning for vote in self.votes)

    def row(self) -> JsonObject:
        """Row for a record."""
        case = self.case
        return {
            "tool": case.tool,
            "key": case.key,
            "gold": list(case.gold),
            "predicted": list(case.predicted),
            "context": encodable(case.context),
            "share": self.share,
            "votes": [_row(vote) for vote in self.votes],
        }


@dataclass(frozen=True)
class JudgedValues:
    """The verdicts on some cases and what they rest on."""

    cases: Sequence[CaseVotes]
    """Each case once, sorted."""

    @cached_property
    def verdicts(self) -> Verdicts:
        """The share of judges, by case."""
        return {judged.case: judged.share for judged in self.cases}

    def rows(self) -> list[JsonObject]:
        """Row for a record."""
        return [judged.row() for judged in self.cases]


def _row(vote: ValueVote) -> JsonObject:
    return {
        "judge": vote.judge,
        "same_meaning": vote.same_meaning,
        "reason": vote.reason,
        "raw": list(vote.raw),
        "problem": vote.problem,
        "trouble": None if vote.trouble is None else vote.trouble.value,
    }


_PROMPTS = Path(__file__).parent / "templates" / "judge"


@cache
def judge_prompts_fingerprint() -> str:
    """SHA-256 over the templates of what judges of values are told."""
    return files_fingerprint(_PROMPTS, _PROMPTS.rglob("*.j2"))


def value_messages(case: ValueCase, language: Language) -> list[Message]:
    """The conversation about one case: byte for byte the same for equal cases."""
    data = "\n".join((case.context, case.tool, case.key, *case.gold, *case.predicted))
    text = _render(language, "case", case=case, mark=mark(encodable(data)))
    return [_message("system", _render(language, "judge")), _message("user", text)]


def asked_again(messages: list[Message], problem: str, language: Language) -> list[Message]:
    """The same question with what was wrong about the last reply, which is left out: endpoints refuse some."""
    return continued(messages, _render(language, "again", problem=problem))


def with_code(messages: list[Message], code: str, language: Language) -> list[Message]:
    """The same question, and at its end the code that the vote must give back."""
    return continued(messages, _render(language, "code", code=code))


def _message(role: str, text: str) -> Message:
    return {"role": role, "content": encodable(text)}


def _render(language: Language, name: str, **values: object) -> str:
    return templates(_PROMPTS).get_template(f"{language.value}/{name}.j2").render(**values)


Ask = Callable[[], Awaitable[CaseVotes]]
Key = tuple[str, ValueCase]
"""The language of the prompt, and the case."""


@dataclass(slots=True)
class _Flight:
    """A question that is being asked."""

    over: asyncio.Event
    failure: Exception | None = None
    """Error that it ended with, where it did not end with votes."""


@dataclass(slots=True)
class SharedVerdicts:
    """The verdicts of one run, found or on their way. For the tasks of one event loop."""

    _found: dict[Key, CaseVotes] = field(default_factory=dict)
    _flights: dict[Key, _Flight] = field(default_factory=dict)

    async def of(self, key: Key, ask: Ask) -> CaseVotes:
        """The votes on the case of `key`, from `ask` if nobody has asked yet.

        Who comes while the case is being asked about waits for that answer. If it fails, all who wait fail with
        it, but nothing is remembered, so that a later call asks again. If the one who asks is cancelled, the next
        of those who wait asks in its place.

        Raises:
            Exception: what `ask` raised.
        """
        while key not in self._found:
            flight = self._flights.get(key)
            if flight is not None:
                await flight.over.wait()
                if flight.failure is not None:
                    raise flight.failure
                continue
            flight = self._flights[key] = _Flight(asyncio.Event())
            try:
                self._found[key] = await ask()
            except Exception as e:
                flight.failure = e
                raise
            finally:
                del self._flights[key]
                flight.over.set()
        return self._found[key]


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
        language = self._language
        question = BallotQuestion(
            ValueBallot,
            SCHEMA,
            value_messages(case, language),
            lambda messages, problem: asked_again(messages, problem, language),
            lambda messages, code: with_code(messages, code, language),
            "\n".join(case.predicted),
        )
        judges = list(self._judges.items())

        async def cast(number: int) -> ValueVote:
            name, complete = judges[number]
            return await _vote(name, complete, question, number)

        votes = await in_parallel(cast, len(judges))
        if all(vote.same_meaning is None for vote in votes):
            blamed = next((vote for vote in votes if vote.trouble is not None), votes[0])
            detail = f"no vote of {len(votes)} judges on argument {case.key!r} of {case.tool!r}; {blamed.problem}"
            raise InvalidSample(blamed.trouble or InvalidReason.NO_MAJORITY, detail)
        return CaseVotes(case, tuple(votes))


async def _vote(name: str, complete: Complete, question: BallotQuestion[ValueBallot], number: int) -> ValueVote:
    # The draw differs by judge too: the same model in two chairs shall not answer from the cache.
    cast = await cast_ballot(complete, question, number)
    if cast.ballot is None:
        return ValueVote(name, None, raw=cast.raw, problem=cast.problem, trouble=cast.reason)
    reason = None if cast.ballot.reason is None else encodable(cast.ballot.reason)
    return ValueVote(name, cast.ballot.same_meaning, reason, cast.raw, cast.problem)
