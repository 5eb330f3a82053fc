from collections.abc import Sequence

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from worktrial.errors import InvalidReason
from worktrial.grading import Outcome, Verdict, Vote, decide, majority

YES, NO = Vote(True), Vote(False)
PROSE = Vote(None, problem="the reply holds no complete JSON object")
DOWN = Vote(None, problem="503 after 6 tries", reason=InvalidReason.ENDPOINT_UNAVAILABLE)
any_vote = st.sampled_from([YES, NO, PROSE, DOWN])


@pytest.mark.parametrize(
    ("votes", "outcome", "reason"),
    [
        ([YES, YES], Outcome.PASS, None),
        ([NO, YES, NO], Outcome.FAIL, None),
        ([PROSE, YES, YES], Outcome.PASS, None),
        ([YES, PROSE, NO], Outcome.INVALID, InvalidReason.NO_MAJORITY),
        ([YES, NO, DOWN], Outcome.INVALID, InvalidReason.ENDPOINT_UNAVAILABLE),
        ([PROSE, YES, DOWN], Outcome.INVALID, InvalidReason.ENDPOINT_UNAVAILABLE),
        ([PROSE, PROSE], Outcome.INVALID, InvalidReason.NO_MAJORITY),
        ([PROSE, PROSE, DOWN], Outcome.INVALID, InvalidReason.NO_MAJORITY),
        ([DOWN, DOWN, YES], Outcome.INVALID, InvalidReason.ENDPOINT_UNAVAILABLE),
    ],
)
def test_three_planned(votes: list[Vote], outcome: Outcome, reason: InvalidReason | None) -> None:
    decision = decide(votes, 3)
    assert decision is not None
    assert (decision.outcome, decision.reason) == (outcome, reason)


@pytest.mark.parametrize(
    ("votes", "planned"), [([], 3), ([YES], 3), ([YES, NO], 3), ([PROSE, YES], 3), ([YES] * 2, 4)]
)
def test_open(votes: list[Vote], planned: int) -> None:
    assert decide(votes, planned) is None


def test_even_split_has_no_majority() -> None:
    decision = decide([YES, NO, NO, YES], 4)
    assert decision is not None
    assert decision.reason is InvalidReason.NO_MAJORITY
    assert decision.detail == "2 for, 2 against, 0 without a vote; 4 planned"
    assert [majority(n) for n in range(1, 6)] == [1, 2, 2, 3, 3]


def test_detail_names_the_endpoint_s_trouble_before_an_unreadable_reply() -> None:
    decision = decide([PROSE, YES, DOWN], 3)
    assert decision is not None
    assert decision.detail == "1 for, 0 against, 2 without a vote; 3 planned; 503 after 6 tries"


@given(st.lists(any_vote, min_size=1, max_size=9))
def test_all_votes_settle_and_what_is_settled_stays(votes: Sequence[Vote]) -> None:
    final = decide(votes, len(votes))
    assert final is not None
    for cast in range(len(votes)):
        assert decide(votes[:cast], len(votes)) in (None, final)


@given(st.lists(any_vote, min_size=1, max_size=9))
def test_outcome_is_the_strict_majority_of_those_planned(votes: Sequence[Vote]) -> None:
    yes, no = votes.count(YES), votes.count(NO)
    expected = Outcome.PASS if 2 * yes > len(votes) else Outcome.FAIL if 2 * no > len(votes) else Outcome.INVALID
    decision = decide(votes, len(votes))
    assert decision is not None
    assert decision.outcome is expected
    assert (decision.reason is not None) == (expected is Outcome.INVALID)


def test_verdict_survives_storage() -> None:
    verdict = Verdict(
        Outcome.INVALID, (Vote(True, "ok", 2, ("a", "b"), "p"), DOWN, Vote(None, "s", probability=0.25)),
        InvalidReason.NO_MAJORITY, "why",
    )  # fmt: skip
    assert msgspec.json.decode(msgspec.json.encode(verdict), type=Verdict) == verdict
