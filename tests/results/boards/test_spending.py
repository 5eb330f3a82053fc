"""Effort sweeps and the cost frontier."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.results.runs import record, store

from worktrial.engine.record import RoleUsage
from worktrial.engine.stored import StoredRun
from worktrial.results.boards import offers, sweeps


def made(folder: Path, passed: int, cost: float | None, *, n: int = 10, **role: object) -> StoredRun:
    records = [
        record(str(k), "pass" if k < passed else "fail", usage={"agent": RoleUsage(cost=cost)}, cost=cost)
        for k in range(n)
    ]
    return store(folder, records, roles={"agent": {"model": "m", **role}})


def test_who_is_beaten_is_not_efficient(tmp_path: Path) -> None:
    rows = [
        made(tmp_path / "cheap", 4, 0.1),
        made(tmp_path / "beaten", 4, 0.2),
        made(tmp_path / "good", 8, 0.3),
        made(tmp_path / "same", 8, 0.3),
        made(tmp_path / "dear", 7, 0.9),
        made(tmp_path / "unknown", 10, None),
    ]
    found, basis = offers(rows, "E0")
    assert basis == "agent_cost_per_task"
    assert [(offer.run.folder.name, offer.efficient) for offer in found] == [
        ("cheap", True),
        ("beaten", False),
        ("good", True),
        ("same", True),
        ("dear", False),
    ]
    assert offers([], "E0")[0] == []


def test_an_agent_without_a_model_makes_no_offer(tmp_path: Path) -> None:
    """A report once told that a reference agent was worth its money: 100.0 % for $0.00."""
    plan = store(tmp_path / "plan", [record(str(n)) for n in range(10)], agent="plan")
    plan.manifest.suite = "starter"
    model = made(tmp_path / "model", 4, 0.1)
    found, _ = offers([plan, model], "E0")
    assert [offer.run.folder.name for offer in found] == ["model"]


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=8))
def test_every_offer_is_matched_by_an_efficient_one(
    tmp_path_factory: pytest.TempPathFactory, points: list[tuple[int, int]]
) -> None:
    folder = tmp_path_factory.mktemp("runs")
    found, _ = offers(
        [made(folder / str(n), passed, cost / 10, n=5) for n, (passed, cost) in enumerate(points)], "E0"
    )
    best = [offer for offer in found if offer.efficient]
    for offer in found:
        assert any(
            other.cost <= offer.cost and (other.completion.value or 0) >= (offer.completion.value or 0)
            for other in best
        )


def test_efforts_of_one_agent_in_their_order(tmp_path: Path) -> None:
    rows = [
        made(tmp_path / "high", 8, 0.3, effort="high"),
        made(tmp_path / "none", 3, 0.1, effort=None),
        made(tmp_path / "odd", 5, 0.1, effort="odd"),
        made(tmp_path / "low", 5, 0.1, effort="low"),
        made(tmp_path / "other", 5, 0.1, effort="low", temperature=1.0),
    ]
    (found,) = sweeps(rows)
    assert found.agent == "m"
    assert [effort for effort, _ in found.runs] == ["", "low", "high", "odd"]
    assert sweeps(rows[3:]) == []
