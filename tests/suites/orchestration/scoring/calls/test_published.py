import json

import pytest
from tests.suites.orchestration.scoring.calls.steps import answer, call, gold_calls, gold_refusal, score

from worktrial.suites.orchestration.scoring.calls.published import ConfusionCell

GOLD = gold_calls(("book", {"room": "12"}))
RIGHT = call("book", '{"room": "12"}')
AWAIT, VIOLATION = "status: AWAITING_USER_INPUT", "status: TOOL_CONSTRAINT_VIOLATION"


@pytest.mark.parametrize(
    ("content", "calls", "label", "cell"),
    [
        ("", [RIGHT], GOLD, ConfusionCell.CALLED),
        ("I shall book it.", [], GOLD, ConfusionCell.CALLED),
        (AWAIT, [], GOLD, ConfusionCell.UNDERACTED),
        (AWAIT, [RIGHT], GOLD, ConfusionCell.CALLED),
        (AWAIT, [], gold_refusal(), ConfusionCell.REFUSED),
        ("Which room?", [], gold_refusal(), ConfusionCell.OVERACTED),
        ("", [RIGHT], gold_refusal(), ConfusionCell.OVERACTED),
        (AWAIT, [], {}, ConfusionCell.REFUSED),
    ],
)
def test_cells(content: str, calls: list[dict[str, object]], label: dict[str, object], cell: ConfusionCell) -> None:
    assert score(answer(*calls, content=content), label).cell is cell


def test_reasons_of_refusals() -> None:
    def mismatch(said: str, gold: str) -> bool:
        return score(answer(content=said), gold_refusal(gold)).type_mismatch

    assert not mismatch(AWAIT, AWAIT)
    assert mismatch(VIOLATION, AWAIT)
    # The first of two tags counts, and a gold refusal without a tag is of another type than either.
    assert not mismatch(f"{VIOLATION} or {AWAIT}", AWAIT)
    assert mismatch(AWAIT, "The date is missing.")


def test_an_argument_named_like_a_tag_is_a_refusal() -> None:
    assert score(answer(call("book", {"AWAITING_USER_INPUT": "x"})), GOLD).cell is ConfusionCell.UNDERACTED


def test_names_and_keys_are_pooled_over_calls() -> None:
    gold = gold_calls(("book", {"room": "1"}), ("pay", {"sum": 3}), ("pay", {"sum": 4}))
    both = score(answer(call("pay", '{"sum": 4}'), call("cancel", '{"room": "1", "why": ""}')), gold)
    assert both.name == pytest.approx(1 / 2)
    assert both.key == pytest.approx(4 / 5)
    assert score(answer(content="hm"), gold_calls()).name == 0.0


@pytest.mark.parametrize(
    ("label", "cell"), [(GOLD, ConfusionCell.LOST_CALL), (gold_refusal(), ConfusionCell.LOST_REFUSAL)]
)
def test_a_request_that_failed_for_good_is_neither_call_nor_refusal(
    label: dict[str, object], cell: ConfusionCell
) -> None:
    lost = score(answer(trouble="endpoint_unavailable: 503"), label)
    assert lost.cell is cell
    assert lost.detail == "endpoint_unavailable: 503"
    assert (lost.name or 0.0) == (lost.key or 0.0) == 0.0


@pytest.mark.parametrize(
    ("step", "kind"),
    [
        (answer(call("book", "[]")), "AttributeError"),
        (answer(call("book", "3")), "AttributeError"),
        (answer(call("book", "null")), "AttributeError"),
        (answer(call("book", None)), "TypeError"),
        (answer(call("book", 3)), "TypeError"),
        (answer(call("book", '{"guests": ' + "9" * 10_000 + "}")), "ValueError"),
        (answer(call("book", '{"room": ' + "[" * 100_000)), "RecursionError"),
        (answer(call({}, "{}")), "TypeError"),
        (answer({"id": "call_1"}), "KeyError"),
        (answer({"function": {"name": "book"}}), "KeyError"),
        (answer({"function": None}), "TypeError"),
        (answer("book"), "TypeError"),
        (answer(content=None), "TypeError"),
        (answer() | {"tool_calls": None}, "TypeError"),
        (answer() | {"tool_calls": "book"}, "TypeError"),
        (answer(call("book", "{"), call("book", '{"error": 1}')), "AttributeError"),
    ],
)
def test_what_the_published_program_raises_on(step: dict[str, object], kind: str) -> None:
    found = score(step, GOLD)
    assert (found.error, found.cell) == (kind, None)
    assert found.detail


def test_arguments_that_are_no_json_are_one_long_wrong_value() -> None:
    found = score(answer(call("book", '{"room": "12"'), RIGHT), GOLD)
    assert found.values is not None
    assert {r.key: (r.counts.tp, r.counts.fp, r.counts.fn) for r in found.values.settled} == {
        "error": (0, 27 + len('{"room": "12"'), 0),
        "room": (1, 0, 0),
    }
    assert found.key == pytest.approx(2 / 3)


def test_values_nested_as_deep_as_json_reads_them_are_scored() -> None:
    for depth in (50, 300, 600, 900):
        value = "[" * depth + "]" * depth
        found = score(answer(call("book", f'{{"room": {value}}}')), GOLD)
        assert found.error in (None, "RecursionError")
        if found.error is None:
            assert found.values is not None
            assert found.values.counts(None).f1 == 0.0
            assert json.loads(found.values.open[0].case.gold[0]) == "12"
