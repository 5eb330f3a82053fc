"""The published workflow score: the published program's recorded figures, and small cases of our own."""

import itertools
import json
import random
import time
from typing import Any

import pytest
from tests.support.data import real_data_dir
from tests.support.growth import calls, growth

from worktrial.suites.orchestration.scoring.distance.ours import PlanScore
from worktrial.suites.orchestration.scoring.distance.published import (
    GraphMatch,
    GraphSize,
    PublishedMatch,
    published_match,
    published_score,
    published_text_score,
)


def _step(agent: Any, status: Any = "pending") -> dict[str, Any]:
    return {"name": agent, "status": status}


def _plan(*chains: str, **dependencies: Any) -> dict[str, Any]:
    """A workflow per chain of one-letter agents; `w2=["workflow_1"]` gives the second `depends_on`."""
    return {
        f"workflow_{n}": {
            "steps": [_step(agent) for agent in chain],
            **({"depends_on": dependencies[f"w{n}"]} if f"w{n}" in dependencies else {}),
        }
        for n, chain in enumerate(chains, 1)
    }


def test_equal_plans() -> None:
    plan = _plan("ab", "c", w2=["workflow_1"])
    assert published_score(plan, plan) == PlanScore(1.0, 1.0, 1.0)
    assert published_score({}, {}) == PlanScore(1.0, 1.0, 1.0)


@pytest.mark.parametrize(
    ("step", "cost"),
    [
        (_step("a"), 0.0),
        ({"agent_id": "a", "name": "z", "status": "pending"}, 0.0),
        ({"agent_id": "", "name": "a", "status": "pending"}, 0.0),
        (_step("a", "paused"), 0.2),
        ({"name": "a"}, 0.2),
        (_step("z"), 0.8),
        (_step("z", "paused"), 1.0),
        ({"status": "pending"}, 1.0),
    ],
)
def test_costs_of_one_step(step: dict[str, Any], cost: float) -> None:
    match = published_match(_plan("a"), {"workflow_1": {"steps": [step]}})
    assert match.components.cost == pytest.approx(cost)
    assert match.structure.cost == 0


def test_graphs() -> None:
    chained = published_match(_plan("ab", "c", w2=["workflow_1"]), _plan("ab", "c"))
    assert chained.structure == GraphMatch(1.0, 5.0, GraphSize(2, 0, 0), GraphSize(2, 1, 0))
    assert chained.components == GraphMatch(1.0, 9.0, GraphSize(3, 1, 0), GraphSize(3, 2, 0))
    # Equal (agent, status) pairs are one node; an edge to itself comes from dependencies alone.
    assert published_match(_plan("aa"), _plan("a", "a", w2=["workflow_1"])).components.predicted == GraphSize(
        1, 1, 1
    )
    # `depend_on` shapes the components, not the structure; a string in `depends_on` is walked letter by letter.
    single = _plan("a", "b")
    single["workflow_2"]["depend_on"] = "workflow_1"
    assert published_match(single, single).components.gold.edges == 1
    assert published_match(single, single).structure.gold == GraphSize(2, 0, 0)
    assert published_match(_plan("a", "b", w2="abba"), single).structure.gold == GraphSize(4, 2, 0)


def test_an_edge_to_itself_of_a_lone_node_is_not_counted() -> None:
    match = published_match(_plan("a", "a", w2=["workflow_1"]), _plan("a"))
    assert (match.components.cost, match.components.most) == (0.0, 3.0)


def test_keys_that_do_not_mention_workflows_are_ignored() -> None:
    plan = _plan("a", "b")
    assert published_score(plan, {**plan, "note": "x", "status": ["y"]}) == PlanScore(1.0, 1.0, 1.0)


@pytest.mark.parametrize(
    ("predicted", "error"),
    [
        (None, "AttributeError"),
        ([], "AttributeError"),
        ({1: {}}, "TypeError"),
        ({"workflow_1": "pending"}, "AttributeError"),
        ({"workflow_1": {"depends_on": 1}}, "TypeError"),
        ({"workflow_1": {"depends_on": [None]}}, "ValueError"),
        ({"workflow_1": {"depends_on": [["workflow_1"]]}}, "TypeError"),
        ({"workflow_1": {"steps": 5}}, "TypeError"),
        ({"workflow_1": {"steps": {"1": {}}}}, "AttributeError"),
        ({"workflow_1": {"steps": [_step(["a"])]}}, "TypeError"),
        ({"workflow_1": {"steps": [_step("a", {})]}}, "TypeError"),
        ({"workflow_1": {"steps": [_step(["a"]), "x"]}}, "TypeError"),
        ({"workflow_1": {"steps": ["x", _step(["a"])]}}, "AttributeError"),
        ({"workflow_1": {"depend_on": 1, "steps": [_step("a")]}}, "TypeError"),
    ],
)
def test_shapes_that_bring_the_program_down(predicted: Any, error: str) -> None:
    assert published_score(_plan("a"), predicted) == PlanScore(0.0, 0.0, 0.0, error=error)


def test_texts() -> None:
    gold = json.dumps(_plan("ab"))
    assert published_text_score(gold, f"Here: {gold}") == PlanScore(1.0, 1.0, 1.0)
    assert published_text_score(gold, "none").error == "unparsed_prediction"
    assert published_text_score("none", gold) == PlanScore(0.0, 0.0, 0.0, error="unparsed_gold")
    assert published_text_score(gold, "workflow_1:\n  day: 2025-02-30").error == "ValueError"


def _tangle(size: int, stride: int) -> dict[str, Any]:
    return {
        f"workflow_{n}": {
            "depends_on": [f"workflow_{(n * stride + k) % size}" for k in (1, 3)],
            "steps": [_step(f"agent_{n * stride % 7}", "pc"[n % 2])],
        }
        for n in range(size)
    }


def test_ten_by_ten_answers_within_its_bound_and_says_that_it_is_not_exact() -> None:
    published_score(_plan("a"), _plan("b"))  # networkx and scipy are loaded
    assert calls(lambda: published_score(_tangle(10, 3), _tangle(10, 7), nodes=250)) < 100_000
    score = published_score(_tangle(10, 3), _tangle(10, 7), nodes=250)
    assert score == published_score(_tangle(10, 3), _tangle(10, 7), nodes=250)
    assert not score.exact
    assert 0 < score.score < 1


def test_a_busy_machine_changes_no_score(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hours may pass between two looks at a clock."""
    plans = _plan("abc", "da", "b", w2=["workflow_1"]), _plan("ab", "cd", "bb", w3=["workflow_2"])
    score = published_score(*plans)
    hours = itertools.count(step=3600)
    for clock in ("perf_counter", "monotonic", "time"):
        monkeypatch.setattr(time, clock, lambda: float(next(hours)))
    monkeypatch.setattr(
        "worktrial.suites.orchestration.scoring.distance.published.perf_counter", time.perf_counter, raising=False
    )
    assert published_score(*plans) == score
    assert score.exact


def test_the_bound_changes_nothing_that_it_does_not_cut_short() -> None:
    rng = random.Random(2)
    for _ in range(40):
        plans = [
            _plan(*("".join(rng.choices("abcd", k=rng.randint(1, 3))) for _ in range(3)), w2=["workflow_1"])
            for _ in range(2)
        ]
        for gold, predicted in (plans, plans[::-1]):
            free = published_match(gold, predicted, nodes=None)
            assert published_match(gold, predicted) == free
            for found, whole in zip(
                _graphs_of(published_match(gold, predicted, nodes=1)), _graphs_of(free), strict=True
            ):
                assert found.cost >= whole.cost
                assert not found.exact or found == whole


def _graphs_of(match: PublishedMatch) -> tuple[GraphMatch, GraphMatch]:
    return match.structure, match.components


def test_plans_beyond_all_measure_are_not_searched() -> None:
    plans = {n: _tangle(n, 3) for n in (1250, 5000)}
    assert growth(lambda n: published_score(_plan("a"), plans[n]), 1250) < 8
    score = published_score(_plan("a"), plans[5000])
    assert not score.exact
    assert score.structure == 0


@pytest.mark.real_data
def test_every_recorded_pair() -> None:
    path = real_data_dir() / "oracles" / "workflow_pairs.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert len(rows) >= 250
    for row in rows:
        _equals_record(row)


def _equals_record(row: dict[str, Any]) -> None:
    ref, name = row["ref"], row["id"]
    if "gold_text" in row:
        score = published_text_score(row["gold_text"], row["predicted_text"], nodes=None)
    else:
        score = published_score(row["gold_workflow"], row["predicted_workflow"], nodes=None)
    if ref["error"] or ref.get("parse_failed"):
        error = ref["error"] or "unparsed_prediction"
        assert score == PlanScore(0.0, 0.0, 0.0, error=error), name
        return
    expected = (ref["overall"], ref["struct"]["sim"], ref["comp"]["sim"])
    assert (score.score, score.structure, score.components) == pytest.approx(expected, abs=1e-9), name
    assert score.exact, name
    assert score.error is None, name
    if "gold_workflow" in row:
        match = published_match(row["gold_workflow"], row["predicted_workflow"])
        for found, there in ((match.structure, ref["struct"]), (match.components, ref["comp"])):
            assert (found.cost, found.most) == pytest.approx((there["cost"], there["max"]), abs=1e-9), name
        size = ref["size"]
        for found_size, side in ((match.components.predicted, "pred"), (match.components.gold, "gold")):
            assert found_size == GraphSize(size[f"{side}_n"], size[f"{side}_e"], size[f"{side}_selfloops"]), name
