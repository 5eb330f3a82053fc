import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.suites.orchestration.scoring.calls.team import TEAM, call, gold, refusal, said
from tests.support.growth import calls

from worktrial.suites.orchestration.planning.scenario import CallStep, RefusalType
from worktrial.suites.orchestration.scoring.calls.calls import StepDecision
from worktrial.suites.orchestration.scoring.calls.ours import CallScores, OurStepScore, score_step

LUNCH = ("search", {"query": "lunch", "sort": "near"})
TEA = ("search", {"query": "tea", "sort": "cheap"})

arguments = st.dictionaries(
    st.sampled_from(["query", "sort", "limit", "tags", "open_now", "other"]),
    st.sampled_from(["near", "cheap", "sushi", 5, 6.0, True, ["a", "b"], {"x": 1}]),
    max_size=4,
)
some_calls = st.lists(st.tuples(st.sampled_from(["search", "ping", "nowhere"]), arguments), min_size=1, max_size=4)


def step(wanted: CallStep, *made: tuple[str, Any]) -> OurStepScore:
    return score_step(wanted, said("", *(call(tool, given) for tool, given in made)), TEAM)


def test_gold_echoed_is_1_in_everything() -> None:
    score = step(gold(LUNCH), LUNCH)
    assert score.calls(None) == CallScores(1, 1, 1)
    assert score.is_right(None) and score.needs == ()


def test_zeros_stay_and_a_refused_call_counts_as_0() -> None:
    for answer in (said("status: AWAITING_USER_INPUT"), said("Hm."), said(trouble="503")):
        score = score_step(gold(LUNCH), answer, TEAM)
        assert score.calls(None).mean == 0 and not score.is_right(None)
    assert step(gold(LUNCH), ("search", {"limit": 3})).calls(None) == CallScores(1, 0, 0)
    assert step(gold(LUNCH), ("ping", LUNCH[1])).calls(None) == CallScores(0, 0, 0)


def test_keys_and_values_are_f1() -> None:
    score = step(gold(LUNCH), ("search", {"query": "lunch", "sort": "cheap", "limit": 9}))
    assert score.calls(None) == CallScores(1, pytest.approx(4 / 5), pytest.approx(2 / 5))
    row = score.row(None)
    assert row["calls"][0]["arguments"] == [
        {"key": "query", "outcome": "equal", "score": 1.0},
        {
            "key": "sort",
            "outcome": "wrong",
            "score": 0.0,
            "reason": "another choice",
            "gold": '"near"',
            "predicted": '"cheap"',
        },
        {
            "key": "limit",
            "outcome": "extra",
            "score": 0.0,
            "reason": "the gold call has no such argument",
            "gold": None,
            "predicted": "9",
        },
    ]


def test_a_default_left_out_on_either_side_is_equal() -> None:
    assert step(gold(LUNCH), ("search", {**LUNCH[1], "limit": 5})).is_right(None)
    assert step(gold(("search", {"query": "a", "limit": 5})), ("search", {"query": "a"})).is_right(None)
    assert not step(gold(LUNCH), ("search", {**LUNCH[1], "limit": 6})).is_right(None)


def test_an_open_value_waits_for_a_judge_and_equal_ones_are_kept() -> None:
    wanted = gold(("search", {"query": "sushi near me", "sort": "near"}))
    answer = said("", call("search", {"query": "sushi close by", "sort": "near"}))
    score = score_step(wanted, answer, TEAM, "Find sushi.")
    (case,) = score.needs
    assert (case.tool, case.key, case.context) == ("search", "query", "Find sushi.")
    assert (case.gold, case.predicted) == (('"sushi near me"',), ('"sushi close by"',))
    assert score.calls(None).values == 0.5
    assert score.calls({case: 2 / 3}).values == pytest.approx((1 + 2 / 3) / 2)
    assert [score.is_right(v) for v in (None, {case: 0.5}, {case: 2 / 3})] == [False, False, True]
    assert score.row({case: 2 / 3})["calls"][0]["arguments"][0]["outcome"] == "judged"
    assert score.row(None)["calls"][0]["arguments"][0]["outcome"] == "open"
    with pytest.raises(KeyError):
        score.calls({})


@pytest.mark.parametrize("bad", ["{", "[]", "null", '{"query": NaN}'])
def test_arguments_that_are_none_are_scored(bad: str) -> None:
    score = step(gold(LUNCH), ("search", bad))
    assert score.calls(None) == CallScores(1, 0, 0)
    assert "arguments" in score.row(None)["calls"][0]["problem"]


def test_a_call_without_arguments() -> None:
    assert step(gold(("ping", {})), ("ping", "")).is_right(None)
    assert step(gold(("ping", {})), ("ping", "{")).calls(None) == CallScores(1, 0, 0)


def test_several_calls_find_their_partners_and_extra_and_missing_ones_cost() -> None:
    both = gold(LUNCH, TEA)
    assert step(both, TEA, LUNCH).calls(None) == CallScores(1, 1, 1)
    assert step(both, TEA).calls(None) == CallScores(*[pytest.approx(2 / 3)] * 3)
    assert step(both, TEA, LUNCH, LUNCH).calls(None) == CallScores(*[pytest.approx(4 / 5)] * 3)
    # The paraphrases are told apart by what they say, before any judge has spoken.
    near = ("search", {"query": "where is lunch"}), ("search", {"query": "where is tea"})
    pairs = step(gold(("search", {"query": "tea"}), ("search", {"query": "lunch"})), *near).needs
    assert [(case.gold[0], case.predicted[0]) for case in pairs] == [
        ('"tea"', '"where is tea"'),
        ('"lunch"', '"where is lunch"'),
    ]


def test_the_schema_of_another_agents_tool() -> None:
    score = step(gold(("lend", {"days": 3})), ("lend", {"days": "3"}))
    assert score.row(None)["calls"][0]["arguments"][0]["reason"] == "not of the schema's type"


def test_refusals_have_a_type() -> None:
    right = score_step(refusal(), said("status: AWAITING_USER_INPUT"), TEAM)
    other = score_step(refusal(RefusalType.TOOL_CONSTRAINT_VIOLATION), said("status: AWAITING_USER_INPUT"), TEAM)
    called = score_step(refusal(), said("", call("search", {})), TEAM)
    assert [s.is_right(None) for s in (right, other, called)] == [True, False, False]
    assert (other.gold, called.predicted) == (StepDecision.TOOL_CONSTRAINT_VIOLATION, StepDecision.CALL)
    assert right.row(None) == {"gold": "AWAITING_USER_INPUT", "predicted": "AWAITING_USER_INPUT", "right": True}


def test_a_flood_of_calls_is_bounded() -> None:
    flood = [("search", {"query": f"lunch {n}" * 50}) for n in range(3000)]
    scores = step(gold(LUNCH, TEA, LUNCH), *flood).calls(None)
    # A few for each call of the flood, and no comparison beyond the first hundred.
    assert calls(lambda: step(gold(LUNCH, TEA, LUNCH), *flood).calls(None)) < 400_000
    assert scores.tool == pytest.approx(6 / 3003)


def test_a_record_can_be_stored_whatever_was_said() -> None:
    import msgspec

    made = call("s\ud83d", {"query\ud83d": "\ud83d", "query": "\udc00" + "x" * 5000})
    answer = said("", made, call("search", {"query\ud83d": "\ud83d", "query": "\udc00" + "x" * 1500}))
    row = score_step(gold(LUNCH), answer, TEAM).row(None)
    assert len(msgspec.json.encode(row)) < 3000


@settings(max_examples=200, deadline=None)
@given(some_calls, some_calls)
def test_1_exactly_if_gold_is_echoed_and_always_between_0_and_1(a: Any, b: Any) -> None:
    scores = step(gold(*a), *b).calls(None)
    assert 0 <= scores.values <= scores.keys <= scores.tool <= 1
    assert (scores.mean == pytest.approx(1)) == step(gold(*a), *b).is_right(None)
    assert step(gold(*a), *a).calls(None) == CallScores(1, 1, 1)

    def spelled(calls: Any) -> list[str]:
        # 5 is the default of `limit`.
        kept = [(t, {k: v for k, v in g.items() if t != "search" or (k, v) != ("limit", 5)}) for t, g in calls]
        return sorted(json.dumps(c, sort_keys=True) for c in kept)

    if spelled(a) != spelled(b):
        assert scores.mean < 1


@settings(max_examples=100, deadline=None)
@given(some_calls, some_calls, st.randoms())
def test_order_changes_nothing(a: Any, b: Any, random: Any) -> None:
    def shuffled(calls: Any) -> list[Any]:
        mixed = [(tool, dict(random.sample(list(given.items()), len(given)))) for tool, given in calls]
        random.shuffle(mixed)
        return mixed

    before, after = step(gold(*a), *b), step(gold(*shuffled(a)), *shuffled(b))
    assert before.calls(None) == after.calls(None)
    assert sorted(map(repr, before.needs)) == sorted(map(repr, after.needs))
    assert before.calls(dict.fromkeys(before.needs, 0.7)) == after.calls(dict.fromkeys(after.needs, 0.7))
