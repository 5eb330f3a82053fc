"""Two runs compared, sample by sample."""

from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.stats import norm
from statsmodels.stats.contingency_tables import mcnemar as reference_mcnemar
from tests.results.runs import event, record, store
from tests.support.made_runs import make_run

from worktrial.engine.record import RoleUsage, SampleRecord
from worktrial.engine.stored import StoredRun, open_run
from worktrial.results.comparison import Comparison, ConditionComparison, compare_runs
from worktrial.statistics import Change, Conclusion, Estimand, conclude


def _run(folder: Path, outcomes: str, **more: object) -> StoredRun:
    """Tasks 0, 1, … with `p`, `f` or `i` for each."""
    names = {"p": "pass", "f": "fail", "i": "invalid"}
    return store(folder, [record(str(n), names[o], **more) for n, o in enumerate(outcomes)])


def _own(found: Comparison, condition: str = "E0") -> ConditionComparison:
    own = found.of(condition)
    assert own is not None
    return own


def _rate(found: Comparison, condition: str = "E0", estimand: Estimand = Estimand.WORK) -> Change:
    return found.figures.get("completion_of_valid", condition, estimand=estimand)


def test_the_paired_table_the_effect_and_mcnemar(tmp_path: Path) -> None:
    first, second = _run(tmp_path / "a", "pppppffffi" * 3), _run(tmp_path / "b", "pppffpppfp" * 3)
    found = compare_runs(first, second)
    own, work, these = _own(found), _rate(found), _rate(found, estimand=Estimand.THESE)
    table = own.table
    assert (table.both, table.only_first, table.only_second, table.neither) == (9, 6, 9, 3)
    assert (table.left_out, table.invalid_first, table.invalid_second) == (3, 3, 0)
    assert (work.first, work.value) == pytest.approx((15 / 27, 3 / 27))
    assert work.interval is not None
    assert work.interval.low < 3 / 27 < work.interval.high
    # Of all 30, the three invalid ones of the first run count as not passed.
    of_all = found.figures.get("completion", "E0")
    assert (of_all.first, of_all.second, of_all.n) == (0.5, 0.7, 30)
    # Single tries of unrelated tasks: both questions have the same answer.
    assert these.interval == work.interval
    statistic = reference_mcnemar([[9, 6], [9, 3]], exact=False, correction=False).statistic
    # The variance of 27 pairs is divided by 26.
    assert these.p == work.p == pytest.approx(2 * norm.sf((statistic * 26 / 27) ** 0.5))
    assert (own.tasks, work.clusters, own.repeats) == (27, 27, 1)


def test_flips_name_the_tasks(tmp_path: Path) -> None:
    own = _own(compare_runs(_run(tmp_path / "a", "ppfi"), _run(tmp_path / "b", "pfpp")))
    assert [(f.sample, f.gained, f.majority) for f in own.flips] == [("1", False, True), ("2", True, True)]
    assert own.flips[0].keys == (("1", 0, "E0"),)


def test_with_repeats_a_task_flips_by_its_share(tmp_path: Path) -> None:
    outcomes = {"1": ("ppp", "ppf"), "2": ("fff", "ppf"), "3": ("pfp", "fpp"), "4": ("pif", "fpf")}

    def side(folder: Path, which: int) -> StoredRun:
        names = {"p": "pass", "f": "fail", "i": "invalid"}
        return store(
            folder,
            [record(task, names[both[which][n]], repeat=n) for n in range(3) for task, both in outcomes.items()],
        )

    compared = compare_runs(side(tmp_path / "a", 0), side(tmp_path / "b", 1))
    found = [
        (f.sample, f.gained, f.passed_first, f.passed_second, f.repeats, f.majority) for f in _own(compared).flips
    ]
    # Of task 4 the repeats 0 and 2 have two verdicts.
    assert found == [("4", False, 1, 0, 2, False), ("1", False, 3, 2, 3, False), ("2", True, 0, 2, 3, True)]
    # Differences -1, +2, 0, -1: their sum is 0.
    these = _rate(compared, estimand=Estimand.THESE)
    assert (these.value, these.p, _rate(compared).p) == (0, 1, 1)


def test_tasks_that_share_a_scenario_are_no_independent_evidence(tmp_path: Path) -> None:
    # Twelve tasks gained, all in two scenarios; twelve scenarios more without a change.
    tags = [{"scenario": "one"}] * 6 + [{"scenario": "two"}] * 6 + [{"scenario": f"s{n}"} for n in range(12)]
    first = store(tmp_path / "a", [record(str(n), "fail", tags=t) for n, t in enumerate(tags)])
    second = store(
        tmp_path / "b", [record(str(n), "pass" if n < 12 else "fail", tags=t) for n, t in enumerate(tags)]
    )
    found = compare_runs(first, second)
    work, these = _rate(found), _rate(found, estimand=Estimand.THESE)
    assert work.clusters == 14
    # Sure on these tasks; of other work two scenarios say little.
    assert conclude(these) is Conclusion.BETTER and conclude(work) is Conclusion.UNKNOWN
    assert work.p is not None and work.p > 0.05


def test_no_difference_at_all_is_not_certainty(tmp_path: Path) -> None:
    own = _rate(compare_runs(_run(tmp_path / "a", "p" * 20), _run(tmp_path / "b", "p" * 20)))
    low, high = own.interval or (0.0, 0.0)
    assert low == pytest.approx(-high) and 0.1 < high < 0.2
    lost = _rate(compare_runs(_run(tmp_path / "e", "p" * 20), _run(tmp_path / "f", "f" * 20)))
    low, high = lost.interval or (0.0, 0.0)
    assert low == -1 and -0.9 < high < -0.6
    single = _rate(compare_runs(_run(tmp_path / "c", "p"), _run(tmp_path / "d", "f")))
    low, high = single.interval or (0.0, 0.0)
    assert (single.value, low) == (-1.0, -1.0) and high > 0.4


def test_what_only_one_run_has(tmp_path: Path) -> None:
    first = store(tmp_path / "a", [record("1"), record("2"), record("1", condition="E1")])
    second = store(tmp_path / "b", [record("1"), record("3"), record("1", condition="E2")])
    found = compare_runs(first, second)
    assert found.only_first == (("2", 0, "E0"), ("1", 0, "E1"))
    assert found.only_second == (("3", 0, "E0"), ("1", 0, "E2"))
    assert [one.condition for one in found.conditions] == ["E0"]
    assert found.untried == (("E1",), ("E2",))
    assert found.is_fair


def test_other_conditions_do_no_harm_but_other_faults_do(tmp_path: Path) -> None:
    plain = store(tmp_path / "a", [record("1")])
    e2 = {"mode": "E2", "count": 2, "duration": 2, "seed": 0, "unit": "call"}
    faults = {"settings": [{"mode": "E0"}, e2], "prompted": False}
    under = [record("1"), record("1", condition="E2", fault_plan=[event(0, "E2", 3)])]
    assert compare_runs(plain, store(tmp_path / "b", under, faults=faults)).is_fair
    other = [record("1"), record("1", condition="E2", fault_plan=[event(0, "E2", 4)])]
    unfair = compare_runs(open_run(tmp_path / "b"), store(tmp_path / "c", other, faults=faults))
    assert unfair.differing_faults == (("1", 0, "E2"),)
    assert not unfair.is_fair
    # What was tried under other faults is no evidence.
    assert _rate(unfair, "E2").value is None and unfair.conditions[1].table.left_out == 1
    prompted = store(tmp_path / "d", under, faults={**faults, "prompted": True})
    assert [d.what for d in compare_runs(plain, prompted).differences] == ["faults.prompted"]


def test_nothing_in_common(tmp_path: Path) -> None:
    found = compare_runs(store(tmp_path / "a", [record("1")]), store(tmp_path / "b", [record("2")]))
    assert (found.conditions, found.headline, found.figures.listed) == ((), "", ())
    found = compare_runs(_run(tmp_path / "c", "ii"), _run(tmp_path / "d", "pp"))
    broken = _rate(found)
    assert (broken.value, broken.unknown, _own(found).tasks) == (None, "no sample has a verdict in both runs", 0)
    assert found.figures.get("completion").second == 1.0


def _priced(sample: str, dollars: float | None, seconds: float, replayed: int = 0) -> SampleRecord:
    own = RoleUsage(1, 100, 10, 0, dollars, replayed=replayed, replayed_cost=None if replayed else 0.0)
    usage = {"agent": own, "judge": RoleUsage(1, 5, 5, 0, 0.001)}
    total = None if dollars is None else dollars + 0.001
    return record(sample, usage=usage, cost=total, seconds=seconds, calls=3, replayed=replayed)


AGENT = {"agent": {"model": "m"}}


def test_what_samples_took(tmp_path: Path) -> None:
    first = store(tmp_path / "a", [_priced(str(n), 0.01 * (1 + n % 3), 10 + n) for n in range(30)], roles=AGENT)
    second = store(tmp_path / "b", [_priced(str(n), 0.02 * (1 + n % 3), 5 + n) for n in range(30)], roles=AGENT)
    figures = compare_runs(first, second).figures
    cost, seconds, tokens = map(figures.get, ("agent_cost_per_task", "seconds", "tokens"))
    assert (cost.first, cost.second, cost.ratio) == pytest.approx((0.02, 0.04, 2.0))
    # Each of thirty tasks costs twice as much; that another would not is not ruled out.
    assert cost.ratio_low is not None and cost.ratio_high is not None
    assert 1 < cost.ratio_low < 2 < cost.ratio_high
    assert cost.interval is not None and cost.interval.low > 0
    assert seconds.value == pytest.approx(-5)
    assert (tokens.first, tokens.value, tokens.note) == (120, 0, "")


def test_a_few_tasks_do_not_show_how_much_others_take(tmp_path: Path) -> None:
    first = store(tmp_path / "a", [_priced(str(n), 0.01 * (1 + n % 3), 10 + n) for n in range(29)], roles=AGENT)
    second = store(tmp_path / "b", [_priced(str(n), 0.02 * (1 + n % 3), 5 + n) for n in range(29)], roles=AGENT)
    cost = compare_runs(first, second).figures.get("agent_cost_per_task")
    assert cost.ratio == pytest.approx(2.0)
    assert cost.interval is None and cost.ratio_low is None
    assert cost.note.startswith("too few tasks for an interval of what they take: 29 that are drawn apart")


@pytest.mark.parametrize(
    ("change", "settings_", "unknown"),
    [
        ({"dollars": None}, {}, {"cost_per_task": "the price of a model is unknown in 1 sample"}),
        (
            {"replayed": 2},
            {},
            {
                "cost_per_task": "what replayed requests would have cost, or "
                "the price of a model is unknown in 1 sample"
            },
        ),
        (
            {},
            {"agent": "python:mine:work"},
            {"cost_per_task": "nobody sees what an agent of one's own (python:…) spends"},
        ),
        ({}, {"regraded": {"source": "x"}}, {"seconds": "stored work was only judged again"}),
    ],
)
def test_what_is_not_known(
    tmp_path: Path, change: dict[str, object], settings_: dict[str, object], unknown: dict[str, str]
) -> None:
    first = store(tmp_path / "a", [_priced("1", 0.01, 1), _priced("2", 0.01, 1)])
    odd = _priced("1", **{"dollars": 0.01, "seconds": 1, **change})  # type: ignore[arg-type]
    second = store(tmp_path / "b", [odd, _priced("2", 0.01, 1)], **settings_)
    figures = compare_runs(first, second).figures
    for name, why in unknown.items():
        assert (figures.get(name).value, figures.get(name).unknown) == (None, why)
    assert figures.get("calls").value is not None


def test_industries_are_corrected_for_their_number(tmp_path: Path) -> None:
    def side(folder: Path, lucky: str) -> StoredRun:
        return store(
            folder,
            [
                record(f"{name}-{n}", "pass" if name == lucky and n < 8 else "fail", tags={"category": name})
                for name in ("Health", "Trade", "Law")
                for n in range(10)
            ],
        )

    found = compare_runs(side(tmp_path / "a", ""), side(tmp_path / "b", "Trade")).figures
    by_name = found.groups("category", "E0")
    assert list(by_name) == ["Health", "Law", "Trade"]
    trade = by_name["Trade"]
    assert trade.value == pytest.approx(0.8)
    assert trade.p == pytest.approx(2 * norm.sf((8 * 9 / 10) ** 0.5))
    assert trade.p_adjusted == pytest.approx(6 * norm.sf((8 * 9 / 10) ** 0.5))
    assert by_name["Law"].p_adjusted == 1.0


def test_an_industry_whose_interval_leaves_out_0_is_significant_among_all(tmp_path: Path) -> None:
    def side(folder: Path, passes: int) -> StoredRun:
        records = [
            record(f"{name}-{n}", "pass" if n < passes else "fail", tags={"category": name})
            for name in ("Health", "Trade", "Law")
            for n in range(12)
        ]
        return store(folder, records)

    for gained in range(3, 12):
        found = compare_runs(side(tmp_path / f"a{gained}", 0), side(tmp_path / f"b{gained}", gained))
        for one in found.figures.groups("category", "E0").values():
            assert one.interval is not None and one.p_adjusted is not None
            if one.interval.low > 0:
                assert one.p_adjusted < 0.05


def test_robustness_is_compared_on_common_tasks(tmp_path: Path) -> None:
    modes = ("E0", "E1", "E2", "E3")
    make_run(tmp_path / "a", agent="a", tasks=60, skill=0.8, conditions=modes, trajectories=False)
    make_run(tmp_path / "b", agent="b", tasks=60, skill=0.8, conditions=modes, trajectories=False)
    runs = open_run(tmp_path / "a"), open_run(tmp_path / "b")
    change = compare_runs(*runs).figures.get("robustness", "")

    def rate(run: StoredRun, mode: str, tasks: set[str]) -> int:
        return sum(r.outcome == "pass" for r in run.records if r.condition == mode and r.sample in tasks)

    broken = {r.sample for run in runs for r in run.records if r.outcome == "invalid"}
    tasks = {r.sample for r in runs[0].records} - broken
    expected = [min(rate(run, mode, tasks) for mode in modes[1:]) / rate(run, "E0", tasks) for run in runs]
    assert change.n == len(tasks)
    assert [change.first, change.second] == pytest.approx(expected)
    assert change.value == pytest.approx(expected[1] - expected[0])
    assert change.interval is not None
    assert change.interval.low < expected[1] - expected[0] < change.interval.high


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.sampled_from("pfi"), st.sampled_from("pfi")), min_size=1, max_size=25))
def test_the_other_way_round_is_the_mirror_image(tmp_path: Path, pairs: list[tuple[str, str]]) -> None:
    first = _run(tmp_path / "a", "".join(a for a, _ in pairs))
    second = _run(tmp_path / "b", "".join(b for _, b in pairs))
    found, other = compare_runs(first, second), compare_runs(second, first)
    (there, one), (back, two) = ((_own(of), _rate(of)) for of in (found, other))
    assert (one.value is None) == (two.value is None)
    assert [(f.sample, not f.gained) for f in there.flips if f.gained] == [
        (f.sample, f.gained) for f in back.flips if not f.gained
    ]
    if one.value is None or two.value is None or one.interval is None or two.interval is None:
        return
    assert one.value == pytest.approx(-two.value)
    assert one.p == pytest.approx(two.p)
    table = there.table
    judged = table.both + table.only_first + table.only_second + table.neither
    assert judged + table.left_out == len(pairs)
    assert one.value == pytest.approx((table.only_second - table.only_first) / judged)
    assert one.interval == pytest.approx((-two.interval.high, -two.interval.low), abs=1e-6)


def test_the_test_keeps_its_level(tmp_path: Path) -> None:
    """Of two equal agents, a difference is found in about one of twenty comparisons, or in fewer."""
    random = Random(1)
    found = 0
    for trial in range(200):
        outcomes = ["".join(random.choices("pf", k=40)) for _ in "ab"]
        runs = [_run(tmp_path / f"{trial}{n}", text) for n, text in enumerate(outcomes)]
        found += conclude(_rate(compare_runs(*runs))) in (Conclusion.BETTER, Conclusion.WORSE)
    assert found <= 16
