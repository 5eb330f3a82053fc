import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.grading.cases import case, trajectory
from tests.support.votes import code_of, with_code, without_code

from worktrial.errors import ContextOverflow, InvalidReason, InvalidSample, SettingError, StopRun
from worktrial.grading import JudgeCase, Outcome, RubricJudge, Verdict
from worktrial.grading.rubric import SCHEMA
from worktrial.language import Completion, Message

YES, NO = '{"feedback": "met", "is_correct": true}', '{"feedback": "not met", "is_correct": false}'
PROSE = "I am not sure."
DOWN = InvalidSample(InvalidReason.ENDPOINT_UNAVAILABLE, "503 after 6 tries")


class KeyRefused(StopRun):
    pass


class Judge:
    """Gives each draw its scripted reply; draws 2n and 2n + 1 are the two attempts of vote n."""

    def __init__(
        self, by_draw: dict[int, str | Exception], otherwise: str | Exception = PROSE, *, codes: bool = True
    ) -> None:
        self.by_draw = by_draw
        self.otherwise = otherwise
        self.codes = codes
        """Whether votes give back their codes, as they were asked to."""
        self.asked: list[tuple[int, Sequence[Message], dict[str, Any]]] = []
        self.at_once = self.most_at_once = 0

    async def __call__(self, messages: Sequence[Message], *, draw: int = 0, **options: Any) -> Completion:
        self.asked.append((draw, messages, options))
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        # The later a vote, the sooner its reply, so that parallel votes arrive in reverse.
        await asyncio.sleep(0.001 * max(0, 6 - draw))
        self.at_once -= 1
        said = self.by_draw.get(draw, self.otherwise)
        if isinstance(said, Exception):
            raise said
        return Completion({"role": "assistant", "content": with_code(said, messages) if self.codes else said})

    @property
    def draws(self) -> list[int]:
        return [draw for draw, _, _ in self.asked]


def first_attempts(*said: str | Exception) -> Judge:
    return Judge({2 * n: reply for n, reply in enumerate(said)})


def judged(judge: Judge, **settings: Any) -> Verdict:
    return asyncio.run(RubricJudge(judge, **settings).judge(case()))


def test_two_equal_votes_are_enough() -> None:
    judge = first_attempts(YES, YES, NO)
    verdict = judged(judge)
    assert verdict.outcome is Outcome.PASS
    assert [(v.is_correct, v.feedback, v.attempts) for v in verdict.votes] == [(True, "met", 1)] * 2
    assert [without_code(*v.raw) for v in verdict.votes] == [YES] * 2
    assert judge.draws == [0, 2]


def test_third_vote_decides_and_early_stop_can_be_switched_off() -> None:
    assert judged(first_attempts(NO, YES, NO)).outcome is Outcome.FAIL
    verdict = judged(first_attempts(YES, YES, NO), early_stop=False)
    assert verdict.outcome is Outcome.PASS
    assert [v.is_correct for v in verdict.votes] == [True, True, False]


def test_request_is_the_same_for_all_votes_but_for_their_codes() -> None:
    judge = first_attempts(YES, NO, YES)
    judged(judge)
    assert [options["schema"] for _, _, options in judge.asked] == [SCHEMA] * 3
    assert len({messages[-1]["content"].rpartition("\n")[0] for _, messages, _ in judge.asked}) == 1
    assert len({code_of(messages) for _, messages, _ in judge.asked}) == 3
    assert list(SCHEMA["properties"]) == ["code", "feedback", "is_correct", "contradiction"]


def test_a_vote_without_its_code_is_asked_for_again_with_another() -> None:
    judge = Judge({}, YES, codes=False)
    verdict = judged(judge)
    assert (verdict.outcome, verdict.reason) == (Outcome.INVALID, InvalidReason.NO_MAJORITY)
    assert "not the code of this vote" in (verdict.votes[0].problem or "")
    assert len({code_of(messages) for _, messages, _ in judge.asked}) == len(judge.asked) == 4
    # The code of an earlier vote will not do.
    late = Judge({}, with_code(YES, judge.asked[0][1]), codes=False)
    assert [vote.attempts for vote in judged(late).votes] == [1, 2, 2]


def test_unreadable_vote_is_asked_again_with_the_problem() -> None:
    judge = Judge({0: PROSE, 1: YES, 2: YES})
    verdict = judged(judge)
    assert verdict.outcome is Outcome.PASS
    assert verdict.votes[0].attempts == 2
    assert (verdict.votes[0].raw[0], without_code(verdict.votes[0].raw[1])) == (PROSE, YES)
    assert verdict.votes[0].problem == "the reply holds no complete JSON object"
    assert verdict.votes[1].problem is None
    assert judge.draws == [0, 1, 2]
    assert "the reply holds no complete JSON object" in judge.asked[1][1][-1]["content"]


def test_unreadable_twice_is_no_vote() -> None:
    judge = Judge({2: YES, 4: YES}, otherwise='{"is_correct": "false"}')
    verdict = judged(judge)
    assert verdict.outcome is Outcome.PASS
    assert [v.is_correct for v in verdict.votes] == [None, True, True]
    assert verdict.votes[0].attempts == 2
    assert "Expected `bool`, got `str`" in (verdict.votes[0].problem or "")


def test_no_majority() -> None:
    verdict = judged(Judge({0: YES, 4: NO}))
    assert (verdict.outcome, verdict.reason) == (Outcome.INVALID, InvalidReason.NO_MAJORITY)
    assert verdict.detail.startswith("1 for, 1 against, 1 without a vote; 3 planned")


def test_stops_when_no_majority_can_be_reached_any_more() -> None:
    judge = Judge({4: YES})
    verdict = judged(judge)
    assert verdict.reason is InvalidReason.NO_MAJORITY
    assert len(verdict.votes) == 2
    assert judge.draws == [0, 1, 2, 3]


def test_endpoint_trouble_is_no_vote_and_gives_the_reason() -> None:
    assert judged(first_attempts(DOWN, YES, YES)).outcome is Outcome.PASS
    verdict = judged(first_attempts(DOWN, YES, NO))
    assert (verdict.outcome, verdict.reason) == (Outcome.INVALID, InvalidReason.ENDPOINT_UNAVAILABLE)
    assert "503 after 6 tries" in verdict.detail
    assert verdict.votes[0].reason is InvalidReason.ENDPOINT_UNAVAILABLE
    assert judged(Judge({}, ContextOverflow("9000 tokens"))).reason is InvalidReason.CONTEXT_OVERFLOW


def test_trouble_at_the_second_attempt_keeps_the_first_reply() -> None:
    vote = judged(Judge({0: PROSE, 1: DOWN, 2: YES, 4: YES})).votes[0]
    assert (vote.is_correct, vote.attempts, vote.raw) == (None, 2, (PROSE,))
    assert vote.problem == "503 after 6 tries"


@pytest.mark.parametrize("parallel", [False, True])
@pytest.mark.parametrize("method", ["votes", "logprob"])
def test_what_stops_the_run_passes_through_as_itself(parallel: bool, method: str) -> None:
    with pytest.raises(KeyRefused, match="401"):
        judged(Judge({}, KeyRefused("401")), parallel=parallel, method=method)


def test_a_stop_that_is_also_an_invalid_sample_stops() -> None:
    class Both(InvalidSample, StopRun):
        pass

    with pytest.raises(Both):
        judged(Judge({}, Both(InvalidReason.ENDPOINT_REFUSED, "404")))


def test_parallel_asks_at_once_and_keeps_the_order_of_votes() -> None:
    judge = first_attempts(YES, NO, YES)
    verdict = judged(judge, parallel=True)
    assert judge.most_at_once == 3
    assert [v.is_correct for v in verdict.votes] == [True, False, True]
    assert verdict.outcome is Outcome.PASS


@settings(max_examples=80, deadline=None)
@given(st.integers(1, 5), st.lists(st.sampled_from([YES, NO, PROSE, DOWN]), min_size=10, max_size=10))
def test_same_verdict_in_every_mode(votes: int, said: list[str | Exception]) -> None:
    verdicts = [
        judged(Judge(dict(enumerate(said))), votes=votes, parallel=parallel, early_stop=early_stop)
        for parallel, early_stop in ((False, True), (False, False), (True, True), (True, False))
    ]
    assert len({(v.outcome, v.reason, v.detail) for v in verdicts}) == 1
    full = verdicts[1].votes
    assert all(v.votes == full[: len(v.votes)] for v in verdicts)
    assert len(full) == votes


def test_blank_rubric_cannot_be_judged() -> None:
    judge = Judge({}, YES)
    verdict = asyncio.run(RubricJudge(judge).judge(case(rubric=" \n")))
    assert (verdict.outcome, verdict.reason) == (Outcome.INVALID, InvalidReason.TASK_DATA)
    assert judge.asked == []


def test_broken_characters_in_replies_can_be_stored() -> None:
    reply = '{"feedback": "\\ud83d", "is_correct": true}'
    verdict = judged(first_attempts(reply, YES.replace("met", "\ud83d")))
    assert verdict.outcome is Outcome.PASS
    assert json.loads(msgspec.json.encode(verdict))["votes"][0]["feedback"] == "\\ud83d"


@pytest.mark.parametrize("wrong", [{"votes": 0}, {"method": "guess"}, {"max_record": 10}])
def test_settings_that_make_no_sense(wrong: dict[str, Any]) -> None:
    with pytest.raises(SettingError, match=next(iter(wrong)).replace("method", "judge method")):
        RubricJudge(Judge({}), **wrong)


def test_a_workplace_that_contradicted_itself_is_nobody_s_fail() -> None:
    """The verdict needs two values that the workplace itself gave; words of an agent bring none about."""
    shown: list[Any] = [("look", {"part": "P-7"}, {"count": 450}), ("look", {"part": "P-7"}, {"count": 448})]
    work = case(trajectory(shown, answer="There are 450, or 448."))

    def cited(one: str, other: str, places: tuple[str, str] = ("call 0", "call 1")) -> str:
        fields = [{"place": place, "field": field} for place, field in zip(places, (one, other), strict=True)]
        return json.dumps({"feedback": "450 or 448?", "is_correct": False, "contradiction": fields})

    def verdict(said: str, judged: JudgeCase = work) -> Verdict:
        return asyncio.run(RubricJudge(Judge({}, said)).judge(judged))

    found = verdict(cited('"count": 450', '"count":448'))
    assert (found.outcome, found.reason) == (Outcome.INVALID, InvalidReason.WORKPLACE_CONTRADICTION)
    assert '"count": 450 in call 0' in found.detail
    # One such vote beside two others decides nothing.
    [contradicted, no] = cited('"count":450', '"count":448'), NO
    assert asyncio.run(RubricJudge(Judge({0: contradicted}, no)).judge(work)).outcome is Outcome.FAIL
    # What the record does not bear out is asked for again, and then the vote is what it says beside.
    degraded = replace(work, fault_ledger=[{"call": 1, "kind": "wrong_value"}])
    said_so = case(trajectory([*shown, ("note", {"count": 448}, {"status": "ok"})]))
    for said, judged in (
        (cited('"count":450', '"count":44'), work),
        (cited('"count":450', '"count":450'), work),
        (cited('"count":450', '"count":448', ("call 0", "call 7")), work),
        (cited('"count":450', '"count":448', ("initial_state", "final_state")), work),
        (cited('"count":450', '"count":448'), degraded),
        (cited('"count":450', '"count":448'), said_so),
    ):
        failed = verdict(said, judged)
        assert (failed.outcome, [v.attempts for v in failed.votes]) == (Outcome.FAIL, [2, 2])
        assert "`contradiction`" in (failed.votes[0].problem or "")
