"""Whom to hire: hand-made runs with p values worked out by hand."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.results.runs import event, record, store

from worktrial.engine.record import RoleUsage
from worktrial.engine.stored import StoredRun
from worktrial.results.boards import Basis, HireConclusion, recommend, recommend_by

OUTCOMES = {"p": "pass", "f": "fail", "i": "invalid"}


def run(folder: Path, letters: str, cost: float | None = 0.0, category: str = "c") -> StoredRun:
    """A run with one task for each letter; `cost` is that of the agent's requests for each."""
    records = [
        record(
            str(n),
            OUTCOMES[letter],
            tags={"category": category},
            usage={"agent": RoleUsage(cost=cost)},
            cost=cost,
        )
        for n, letter in enumerate(letters)
    ]
    return store(folder, records, roles={"agent": {"model": folder.name}})


def hired(found: object) -> str | None:
    return None if found is None else found.folder.name  # type: ignore[attr-defined]


def test_significantly_better_than_all(tmp_path: Path) -> None:
    good, bad = run(tmp_path / "good", "p" * 20, 0.5), run(tmp_path / "bad", "p" * 12 + "f" * 8, 0.1)
    found = recommend([bad, good], "E0")
    # 8 tasks, all one way: 2 / 2^8.
    assert found.contenders[1].p == pytest.approx(2 / 256)
    assert found.finding is HireConclusion.CLEAR and hired(found.hire) == "good" and found.behind is None
    assert [c.run.folder.name for c in found.equals] == ["good"]
    contest = found.contenders[1].against_best
    assert contest is not None and (contest.only_first, contest.only_second, contest.tasks) == (8, 0, 20)


def test_no_difference_takes_the_cheapest_and_says_how_far_it_is_behind(tmp_path: Path) -> None:
    best, cheap = run(tmp_path / "best", "p" * 11 + "f" * 9, 0.5), run(tmp_path / "cheap", "p" * 10 + "f" * 10, 0.1)
    found = recommend([best, cheap], "E0")
    assert found.finding is HireConclusion.NO_DIFFERENCE and found.contenders[1].p == 1.0
    assert hired(found.hire) == "cheap" and found.basis is Basis.AGENT
    assert found.behind is not None and found.behind.value == pytest.approx(0.05)
    assert found.behind.interval is not None and found.behind.interval.low <= 0 <= found.behind.interval.high


def test_who_is_hardly_cheaper_does_not_replace_the_best(tmp_path: Path) -> None:
    def priced(name: str, passed: int, costs: list[float]) -> StoredRun:
        records = [
            record(str(n), "pass" if n < passed else "fail", usage={"agent": RoleUsage(cost=costs[n % 2])})
            for n in range(20)
        ]
        return store(tmp_path / name, records, roles={"agent": {"model": name}})

    # A cent less on average, and dearer on every other task.
    best, other = priced("best", 11, [0.50, 0.50]), priced("other", 10, [0.98, 0.0])
    found = recommend([best, other], "E0")
    assert found.finding is HireConclusion.NO_DIFFERENCE and hired(found.hire) == "best" and found.behind is None


def test_of_equal_rates_the_cheaper_one_is_the_best(tmp_path: Path) -> None:
    dear, cheap = run(tmp_path / "dear", "pf" * 10, 0.5), run(tmp_path / "cheap", "fp" * 10, 0.1)
    found = recommend([dear, cheap], "E0")
    assert hired(found.hire) == "cheap" and found.contenders[0].run is cheap and found.behind is None


def test_correction_is_for_every_pair(tmp_path: Path) -> None:
    runs = [run(tmp_path / "a", "p" * 30), run(tmp_path / "b", "p" * 24 + "f" * 6), run(tmp_path / "c", "p" * 30)]
    found = recommend(runs, "E0")
    # 2 / 2^6 = 0.03125 for one test; three pairs of agents make it 0.094.
    b = next(c for c in found.contenders if c.run is runs[1])
    assert b.against_best is not None and b.against_best.p == pytest.approx(0.03125)
    assert b.p == pytest.approx(3 * 0.03125) and b.is_equal
    assert found.finding is HireConclusion.NO_DIFFERENCE


def test_who_is_worse_but_for_the_correction_is_not_hired_for_being_cheap(tmp_path: Path) -> None:
    runs = [
        run(tmp_path / "a", "p" * 30, 0.5),
        run(tmp_path / "b", "p" * 24 + "f" * 6, 0.1),
        run(tmp_path / "c", "p" * 30, 0.4),
    ]
    assert hired(recommend(runs, "E0").hire) == "c"


def test_better_than_some(tmp_path: Path) -> None:
    runs = [run(tmp_path / "a", "p" * 30), run(tmp_path / "b", "p" * 29 + "f"), run(tmp_path / "c", "f" * 30)]
    found = recommend(runs, "E0")
    assert found.finding is HireConclusion.AMONG
    assert [c.run.folder.name for c in found.equals] == ["a", "b"]


def test_too_few_tasks_for_any_test(tmp_path: Path) -> None:
    # With five tasks all one way p is 2 / 2^5 = 0.0625; with six it is 0.031.
    five = recommend([run(tmp_path / "a", "p" * 5), run(tmp_path / "b", "f" * 5)], "E0")
    assert five.finding is HireConclusion.TOO_FEW and five.hire is None and five.contenders
    six = recommend([run(tmp_path / "c", "p" * 6), run(tmp_path / "d", "f" * 6)], "E0")
    assert six.finding is HireConclusion.CLEAR


def test_invalid_samples_count_in_the_rate_and_not_in_the_test(tmp_path: Path) -> None:
    found = recommend([run(tmp_path / "a", "p" * 12), run(tmp_path / "b", "p" * 8 + "i" * 4)], "E0")
    worse = found.contenders[1]
    assert (worse.passed, worse.samples, worse.rate.value) == (8, 12, pytest.approx(8 / 12))
    assert worse.against_best is not None
    assert (worse.against_best.tasks, worse.against_best.left_out, worse.p) == (8, 4, 1.0)


def test_nobody_to_compare_with(tmp_path: Path) -> None:
    alone = run(tmp_path / "a", "ppp")
    assert recommend([alone], "E0").finding is HireConclusion.ALONE
    assert (
        recommend([run(tmp_path / "b", "fff"), run(tmp_path / "c", "fif")], "E0").finding
        is HireConclusion.NOTHING_PASSED
    )
    assert recommend([alone], "E9").finding is HireConclusion.ALONE


def test_no_common_task(tmp_path: Path) -> None:
    first = store(tmp_path / "a", [record("1"), record("2")])
    second = store(tmp_path / "b", [record("3"), record("4")])
    found = recommend([first, second], "E0")
    assert found.finding is HireConclusion.NOTHING_SHARED and found.not_shared == 2


def test_a_run_that_has_hardly_begun_is_left_out(tmp_path: Path) -> None:
    runs = [run(tmp_path / "a", "p" * 20), run(tmp_path / "b", "f" * 18), run(tmp_path / "c", "p" * 3)]
    found = recommend(runs, "E0")
    assert [r.folder.name for r in found.left_out] == ["c"]
    assert found.finding is HireConclusion.CLEAR and found.not_shared == 2
    assert {c.samples for c in found.contenders} == {18}


def test_cost_of_the_trial_decides_where_that_of_the_agent_is_not_known(tmp_path: Path) -> None:
    def callable_run(name: str, cost: float | None) -> StoredRun:
        return store(tmp_path / name, [record(str(n), cost=cost) for n in range(10)])

    found = recommend([callable_run("a", 0.3), callable_run("b", 0.2)], "E0")
    assert hired(found.hire) == "b" and found.basis is Basis.TRIAL
    unknown = recommend([callable_run("c", None), callable_run("d", 0.2)], "E0")
    assert unknown.finding is HireConclusion.NO_DIFFERENCE and unknown.hire is None and unknown.basis is None


def test_tries_of_a_task_go_together(tmp_path: Path) -> None:
    """Five tasks tried four times are five tasks: no result could be significant, though 20 samples differ."""

    def repeated(name: str, outcome: str) -> StoredRun:
        return store(tmp_path / name, [record(str(n), outcome, repeat=r) for n in range(5) for r in range(4)])

    found = recommend([repeated("a", "pass"), repeated("b", "fail")], "E0")
    assert found.finding is HireConclusion.TOO_FEW
    assert found.contenders[1].p == pytest.approx(2 / 2**5)


def test_tasks_of_a_scenario_go_together(tmp_path: Path) -> None:
    def shared(name: str, outcome: str) -> StoredRun:
        records = [record(str(n), outcome, tags={"scenario": str(n // 4)}) for n in range(16)]
        return store(tmp_path / name, records)

    found = recommend([shared("a", "pass"), shared("b", "fail")], "E0")
    assert found.contenders[1].p == pytest.approx(2 / 2**4) and found.finding is HireConclusion.TOO_FEW


def test_samples_under_other_faults_are_not_compared(tmp_path: Path) -> None:
    def faulted(name: str, first: int) -> StoredRun:
        plan = [event(0, "E1", first)]
        return store(tmp_path / name, [record(str(n), condition="E1", fault_plan=plan) for n in range(8)])

    found = recommend([faulted("a", 1), faulted("b", 2)], "E1")
    contest = found.contenders[1].against_best
    assert contest is not None and (contest.tasks, contest.left_out) == (0, 8)
    assert found.finding is HireConclusion.TOO_FEW


def _with_industries(folder: Path, letters: Sequence[str]) -> StoredRun:
    return store(
        folder,
        [
            record(f"{category}{n}", OUTCOMES[letter], tags={"category": category})
            for category, of_category in zip("xyz", letters, strict=True)
            for n, letter in enumerate(of_category)
        ],
    )


def test_industries_are_one_family(tmp_path: Path) -> None:
    good = _with_industries(tmp_path / "a", ["p" * 10, "p" * 10, "pp"])
    bad = _with_industries(tmp_path / "b", ["f" * 10, "p" * 10, "pf"])
    found = recommend_by([good, bad], "E0")
    assert list(found) == ["x", "y", "z"]
    # 2 / 2^10, three comparisons.
    assert found["x"].contenders[1].p == pytest.approx(3 * 2 / 1024) and found["x"].finding is HireConclusion.CLEAR
    assert found["y"].finding is HireConclusion.NO_DIFFERENCE
    assert found["z"].finding is HireConclusion.TOO_FEW
    assert recommend_by([good, bad], "E0", "no such tag") == {}


def test_repeats_of_one_keep_nobody_out(tmp_path: Path) -> None:
    once = run(tmp_path / "once", "p" * 20)
    records = [record(str(n), "fail", repeat=repeat) for n in range(20) for repeat in range(3)]
    thrice = store(tmp_path / "thrice", records)
    found = recommend([thrice, once], "E0")
    assert hired(found.hire) == "once" and not found.left_out
    assert (found.contenders[0].samples, found.not_shared) == (20, 40)
