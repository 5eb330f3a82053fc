import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.results.runs import CLEAN_ANSWER, answer, event, raw, row, work

from worktrial.language import JsonValue
from worktrial.results.fault_metrics import FaultMetrics, Funnel, fault_metrics, total
from worktrial.results.turns import StoredCall


def _implicit(*steps: str, at_once: bool = False) -> Funnel:
    """One implicit event over all spoilt calls."""
    calls = work(*steps, at_once=at_once)
    spoilt = [call for call, step in zip(calls, steps, strict=True) if step.endswith("!")]
    ledger = [row(0, "E2", call) for call in spoilt]
    return fault_metrics([event(0, "E2", spoilt[0].index, len(spoilt))], ledger, calls).implicit


def test_an_agent_that_trusts_every_answer() -> None:
    assert _implicit("bed 1", "bed 3!", "bed 4") == Funnel(planned=1, reached=1, struck=1, exposure=1)


def test_an_agent_that_looks_again() -> None:
    assert _implicit("bed 3!", "bed 3") == Funnel(1, 1, 1, 1, 1, 1, (1,))
    assert _implicit("bed 3!", "nurse 1", "bed 3") == Funnel(1, 1, 1, 1, 1, 1, (2,))


def test_looking_again_too_early_is_detection_each_time() -> None:
    found = _implicit("bed 3!", "bed 3!", "bed 3")
    assert (found.exposure, found.asked_again, found.recovered) == (2, 2, 2)
    assert found.calls_to_recovery == (2, 1)
    assert found.mean_calls_to_recovery == 1.5
    given_up = _implicit("bed 3!", "bed 3!")
    assert (given_up.exposure, given_up.asked_again, given_up.recovered) == (2, 1, 0)
    assert given_up.mean_calls_to_recovery is None


@pytest.mark.parametrize("other", ["bed 4", "ward 3"])
def test_another_tool_or_entity_is_another_question(other: str) -> None:
    assert _implicit("bed 3!", other).asked_again == 0


@pytest.mark.parametrize(
    ("first", "then", "is_same"),
    [
        ({"x": 1, "y": 2}, {"y": 2, "x": 1}, True),
        ({"at": {"x": 1, "y": 2}}, {"at": {"y": 2, "x": 1}}, True),
        ({"x": [1, 2]}, {"x": [2, 1]}, False),
        ({"x": 1}, {"x": True}, False),
    ],
)
def test_the_same_question_has_equal_arguments_whatever_the_order_of_fields(
    first: JsonValue, then: JsonValue, is_same: bool
) -> None:
    calls = work("bed 3!", "bed 3")
    calls[0].arguments, calls[1].arguments = raw(first), raw(then)
    found = fault_metrics([event(0, "E2", 0)], [row(0, "E2", calls[0])], calls).implicit
    assert found.recovered == int(is_same)


def test_what_was_asked_before_does_not_count() -> None:
    assert _implicit("bed 3", "bed 3!").asked_again == 0


def test_calls_of_one_message_do_not_react_to_each_other() -> None:
    assert _implicit("bed 3!", "bed 3", at_once=True).asked_again == 0


def test_a_changed_answer_is_detection_without_recovery() -> None:
    calls = work("bed 3!", "bed 3")
    calls[1] = StoredCall(1, 1, "bed", raw({"id": "3"}), answer({**CLEAN_ANSWER, "free": False}))
    found = fault_metrics([event(0, "E2", 0)], [row(0, "E2", calls[0])], calls).implicit
    assert (found.asked_again, found.recovered) == (1, 0)


def test_an_explicit_fault_is_overcome_by_any_real_answer() -> None:
    calls = work("bed 3!", "bed 3!", "bed 3")
    ledger = [row(0, "E1", call) for call in calls[:2]]
    found = fault_metrics([event(0, "E1", 0)], ledger, calls)
    assert found == FaultMetrics(explicit=Funnel(1, 1, 1, 2, 2, 2, (2, 1)))
    refused = work("bed 3!", "bed 3?")
    found = fault_metrics([event(0, "E1", 0)], [row(0, "E1", refused[0])], refused)
    assert (found.explicit.asked_again, found.explicit.recovered) == (1, 0)


@pytest.mark.parametrize(
    ("first", "unit", "reached"),
    [(0, "call", 1), (2, "call", 1), (3, "call", 0), (0, "turn", 1), (1, "turn", 0)],
)
def test_reached_is_not_struck(first: int, unit: str, reached: int) -> None:
    # Three refusals in one message: time passed, and nothing could be degraded.
    calls = work("bed 3?", "bed 3?", "bed 3?", at_once=True)
    found = fault_metrics([event(0, "E2", first, unit=unit)], [], calls).implicit
    assert (found.planned, found.reached, found.struck, found.exposure) == (1, reached, 0, 0)
    assert fault_metrics([event(0, "E2", 0)], [], []).implicit == Funnel(planned=1)


def test_both_kinds_are_kept_apart() -> None:
    calls = work("bed 1!", "bed 1", "bed 2!", "bed 3")
    plan = [event(0, "E1", 0, 1), event(1, "E2", 2, 1), event(2, "E1", 9)]
    found = fault_metrics(plan, [row(0, "E1", calls[0]), row(1, "E2", calls[2])], calls)
    assert (found.explicit, found.implicit) == (Funnel(2, 1, 1, 1, 1, 1, (1,)), Funnel(1, 1, 1, 1))


@given(st.lists(st.sampled_from(["bed 1", "bed 1!", "bed 2", "bed 2!", "bed 1?"]), min_size=1, max_size=12))
def test_the_funnel_only_narrows(steps: list[str]) -> None:
    calls = work(*steps)
    ledger = [row(0, "E2", call) for call, step in zip(calls, steps, strict=True) if step.endswith("!")]
    found = fault_metrics([event(0, "E2", 0, len(steps))], ledger, calls).implicit
    assert found.planned >= found.reached >= found.struck
    assert len(ledger) == found.exposure >= found.asked_again >= found.recovered == len(found.calls_to_recovery)
    assert all(1 <= later < len(steps) for later in found.calls_to_recovery)


def test_a_total_adds_everything() -> None:
    one = FaultMetrics(Funnel(2, 1, 1, 2, 2, 1, (3,)), Funnel(1, 1, 1, 1))
    other = FaultMetrics(Funnel(2, 2, 2, 4, 2, 2, (1, 2)))
    assert total([one, other]) == FaultMetrics(Funnel(4, 3, 3, 6, 4, 3, (3, 1, 2)), Funnel(1, 1, 1, 1))
    assert total([]) == FaultMetrics()


def test_only_what_an_agent_could_have_seen_counts() -> None:
    # What a call did twice, its answer does not show; making it again is no recovery.
    calls = work("bed 3!", "bed 3")
    twice = msgspec.structs.replace(row(0, "E2", calls[0]), kind="duplicate_delivery")
    twice = msgspec.structs.replace(twice, degraded=twice.clean)
    found = fault_metrics([event(0, "E2", 0)], [twice], calls).implicit
    assert (found.struck, found.exposure, found.asked_again, found.recovered) == (1, 0, 0, 0)
    # A look after a write of one's own is a look at that; the write made again itself is not.
    for mode in ("E1", "E2"):
        calls = work("bed 3!", "move 3", "bed 3")
        spoilt = msgspec.structs.replace(row(0, mode, calls[0]), until=1)
        metrics = fault_metrics([event(0, mode, 0)], [spoilt], calls)
        found = metrics.explicit if mode == "E1" else metrics.implicit
        assert (found.exposure, found.asked_again, found.recovered) == (1, 0, 0)
    calls = work("move 3!", "move 3")
    spoilt = msgspec.structs.replace(row(0, "E1", calls[0]), until=1)
    assert fault_metrics([event(0, "E1", 0)], [spoilt], calls).explicit.recovered == 1
