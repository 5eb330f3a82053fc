"""Whom to hire, on hand-made runs."""

from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest
from tests.results.runs import event, record, store

from worktrial.engine.record import RoleUsage
from worktrial.engine.stored import StoredRun
from worktrial.results.boards import Basis, HireConclusion, recommend, recommend_by
from worktrial.statistics import Conclusion

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


def test_better_than_all(tmp_path: Path) -> None:
    good, bad = run(tmp_path / "good", "p" * 20, 0.5), run(tmp_path / "bad", "p" * 12 + "f" * 8, 0.1)
    found = recommend([bad, good], "E0")
    assert found.finding is HireConclusion.BETTER and hired(found.hire) == "good"
    assert [c.run.folder.name for c in found.candidates] == ["good"]
    contest = found.contenders[1].against_best
    assert contest is not None and (contest.only_first, contest.only_second, contest.tasks) == (8, 0, 20)
    assert contest.conclusion is Conclusion.WORSE and contest.difference is not None
    assert contest.difference.value == pytest.approx(-0.4)


def test_nobody_is_hired_where_too_little_is_known(tmp_path: Path) -> None:
    """No significant difference over 20 tasks once sufficed to hire the cheaper one."""
    best, cheap = run(tmp_path / "best", "p" * 11 + "f" * 9, 0.5), run(tmp_path / "cheap", "p" * 10 + "f" * 10, 0.1)
    found = recommend([best, cheap], "E0")
    assert found.finding is HireConclusion.UNKNOWN and found.hire is None and not found.candidates
    one_lost = recommend([run(tmp_path / "a", "p"), run(tmp_path / "b", "f")], "E0")
    assert one_lost.finding is HireConclusion.UNKNOWN


def test_as_good_and_cheaper(tmp_path: Path) -> None:
    best = run(tmp_path / "best", "p" * 251 + "f" * 149, 0.5)
    cheap = run(tmp_path / "cheap", "p" * 250 + "f" * 150, 0.1)
    found = recommend([best, cheap], "E0")
    assert found.finding is HireConclusion.AS_GOOD and len(found.candidates) == 2
    assert hired(found.hire) == "cheap" and found.basis is Basis.AGENT
    # With a margin of a tenth of a point not even the best is shown to be as good.
    strict = recommend([best, cheap], "E0", margin=0.001)
    assert strict.finding is HireConclusion.UNKNOWN and strict.hire is None


def test_who_is_hardly_cheaper_does_not_replace_the_best(tmp_path: Path) -> None:
    def priced(name: str, passed: int, costs: list[float]) -> StoredRun:
        records = [
            record(str(n), "pass" if n < passed else "fail", usage={"agent": RoleUsage(cost=costs[n % 2])})
            for n in range(400)
        ]
        return store(tmp_path / name, records, roles={"agent": {"model": name}})

    # A fifth of a cent less on average, and dearer on every other task.
    best, other = priced("best", 211, [0.50, 0.50]), priced("other", 210, [0.996, 0.0])
    found = recommend([best, other], "E0")
    assert found.finding is HireConclusion.AS_GOOD and hired(found.hire) == "best"


def test_of_equal_rates_the_cheaper_one_is_the_best(tmp_path: Path) -> None:
    dear, cheap = run(tmp_path / "dear", "pf" * 200, 0.5), run(tmp_path / "cheap", "pf" * 200, 0.1)
    found = recommend([dear, cheap], "E0")
    assert hired(found.hire) == "cheap" and found.contenders[0].run is cheap


def test_all_agents_are_one_family(tmp_path: Path) -> None:
    def width(n: int) -> float:
        runs = [run(tmp_path / f"{n}-{k}", "p" * (30 - k) + "f" * k) for k in range(n)]
        contest = recommend(runs, "E0").contenders[1].against_best
        assert contest is not None and contest.difference is not None
        return contest.difference.interval.half_width

    assert width(2) < width(3) < width(6)


def test_better_than_some(tmp_path: Path) -> None:
    runs = [
        run(tmp_path / "a", "p" * 300),
        run(tmp_path / "b", "p" * 299 + "f"),
        run(tmp_path / "c", "f" * 300),
    ]
    found = recommend(runs, "E0")
    assert found.finding is HireConclusion.AS_GOOD
    assert [c.run.folder.name for c in found.candidates] == ["a", "b"]


def test_references_are_never_hired(tmp_path: Path) -> None:
    def of(name: str, outcome: str, agent: str) -> StoredRun:
        made = store(tmp_path / name, [record(str(n), outcome) for n in range(60)], agent=agent)
        made.manifest.suite = "starter"
        return made

    plan, one, two = of("x", "pass", "plan"), of("y", "fail", "model-1"), of("z", "pass", "model-2")
    found = recommend([plan, one, two], "E0")
    assert found.references == (plan,) and hired(found.hire) == "z"
    assert recommend([plan, one], "E0").finding is HireConclusion.ALONE


def test_two_runs_of_one_agent_are_no_choice(tmp_path: Path) -> None:
    def of(name: str, tasks: int, effort: str) -> StoredRun:
        role = {"model": "m", "effort": effort}
        return store(tmp_path / name, [record(str(n)) for n in range(tasks)], agent="m", roles={"agent": role})

    short, long = of("a", 20, "low"), of("b", 40, "low")
    found = recommend([short, long], "E0")
    assert found.finding is HireConclusion.ALONE and found.repeated == (short,)
    # With another setting it is another agent, and so it is with others who work for it.
    assert recommend([short, of("c", 20, "high")], "E0").finding is not HireConclusion.ALONE
    team = {"agent": {"model": "m", "effort": "low"}, "sub-agent": {"model": "n"}, "judge": {"model": "j"}}
    led = store(tmp_path / "d", [record(str(n)) for n in range(20)], agent="m", roles=team)
    assert recommend([short, led], "E0").finding is not HireConclusion.ALONE


def test_an_agent_that_is_worse_everywhere_is_hardly_ever_hired(tmp_path: Path) -> None:
    """Reports of 43 tasks hired an agent 12 points worse in 32 of 40, being cheaper and not significantly worse."""
    random, wrong = Random(3), 0
    for n in range(60):
        hard = [random.random() for _ in range(43)]
        good, bad = ("".join("p" if h < rate else "f" for h in hard) for rate in (0.72, 0.60))
        # Half of the tasks are tried with luck of their own.
        mixed = "".join(b if random.random() < 0.5 else random.choices("pf", (0.6, 0.4))[0] for b in bad)
        found = recommend([run(tmp_path / f"g{n}", good, 0.5), run(tmp_path / f"b{n}", mixed, 0.1)], "E0")
        wrong += hired(found.hire) == f"b{n}"
    assert wrong <= 3


def test_invalid_samples_count_in_the_rate_and_not_in_the_test(tmp_path: Path) -> None:
    found = recommend([run(tmp_path / "a", "p" * 12), run(tmp_path / "b", "p" * 8 + "i" * 4)], "E0")
    worse = found.contenders[1]
    assert (worse.passed, worse.samples, worse.rate.value) == (8, 12, pytest.approx(8 / 12))
    assert worse.against_best is not None
    assert (worse.against_best.tasks, worse.against_best.left_out) == (8, 4)
    assert worse.against_best.conclusion is Conclusion.UNKNOWN


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
    assert found.finding is HireConclusion.BETTER and found.not_shared == 2
    assert {c.samples for c in found.contenders} == {18}


def test_cost_of_the_trial_decides_where_that_of_the_agent_is_not_known(tmp_path: Path) -> None:
    def callable_run(name: str, cost: float | None) -> StoredRun:
        return store(tmp_path / name, [record(str(n), cost=cost) for n in range(100)])

    found = recommend([callable_run("a", 0.3), callable_run("b", 0.2)], "E0")
    assert hired(found.hire) == "b" and found.basis is Basis.TRIAL
    unknown = recommend([callable_run("c", None), callable_run("d", 0.2)], "E0")
    # A cost that is not known is not zero.
    assert unknown.finding is HireConclusion.AS_GOOD and unknown.hire is None and unknown.basis is None


def test_tries_of_a_task_are_not_tasks(tmp_path: Path) -> None:
    """Four tasks tried six times are four tasks: nothing is shown about work like this."""

    def repeated(name: str, outcome: str) -> StoredRun:
        return store(tmp_path / name, [record(str(n), outcome, repeat=r) for n in range(3) for r in range(8)])

    found = recommend([repeated("a", "pass"), repeated("b", "fail")], "E0")
    assert found.contenders[1].against_best is not None
    assert found.contenders[1].against_best.difference is not None
    assert found.contenders[1].against_best.difference.effective <= 3


def test_samples_under_other_faults_are_not_compared(tmp_path: Path) -> None:
    def faulted(name: str, first: int) -> StoredRun:
        plan = [event(0, "E1", first)]
        return store(tmp_path / name, [record(str(n), condition="E1", fault_plan=plan) for n in range(8)])

    found = recommend([faulted("a", 1), faulted("b", 2)], "E1")
    contest = found.contenders[1].against_best
    assert contest is not None and (contest.tasks, contest.left_out, contest.difference) == (0, 8, None)
    assert found.finding is HireConclusion.UNKNOWN


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
    good = _with_industries(tmp_path / "a", ["p" * 14, "p" * 10, "pp"])
    bad = _with_industries(tmp_path / "b", ["f" * 14, "p" * 10, "pf"])
    found = recommend_by([good, bad], "E0")
    assert list(found) == ["x", "y", "z"]
    assert found["x"].finding is HireConclusion.BETTER
    assert found["y"].finding is found["z"].finding is HireConclusion.UNKNOWN
    alone = recommend([good, bad], "E0").contenders[1].against_best
    within = found["x"].contenders[1].against_best
    assert alone is not None and within is not None and within.difference is not None
    assert recommend_by([good, bad], "E0", "no such tag") == {}


def test_repeats_of_one_keep_nobody_out(tmp_path: Path) -> None:
    once = run(tmp_path / "once", "p" * 20)
    records = [record(str(n), "fail", repeat=repeat) for n in range(20) for repeat in range(3)]
    thrice = store(tmp_path / "thrice", records)
    found = recommend([thrice, once], "E0")
    assert hired(found.hire) == "once" and not found.left_out
    assert (found.contenders[0].samples, found.not_shared) == (20, 40)
