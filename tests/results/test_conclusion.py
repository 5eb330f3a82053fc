"""The conclusion of a trial, on hand-made runs."""

from pathlib import Path
from random import Random

import pytest
from tests.results.runs import event, record, store

from worktrial.engine.record import RoleUsage
from worktrial.engine.stored import StoredRun
from worktrial.results.conclusion import Standing, TrialConclusion, conclude_on, names_of
from worktrial.statistics import Conclusion, tasks_needed

OUTCOMES = {"p": "pass", "f": "fail", "i": "invalid"}


def run(folder: Path, cost: float = 0.0, first: int = 0, **conditions: str) -> StoredRun:
    """A run with a task for each letter under each condition, whose names begin with the number `first`."""
    records = [
        record(str(n), OUTCOMES[letter], condition, usage={"agent": RoleUsage(cost=cost)}, cost=cost)
        for condition, letters in conditions.items()
        for n, letter in enumerate(letters, first)
    ]
    return store(folder, records, roles={"agent": {"model": folder.name}})


def answer(*runs: StoredRun, **how: object) -> TrialConclusion:
    return conclude_on(names_of(runs), **how)  # type: ignore[arg-type]


def test_who_and_by_how_much_and_how_sure(tmp_path: Path) -> None:
    good, bad = run(tmp_path / "good", 0.5, E0="p" * 40), run(tmp_path / "bad", 0.1, E0="p" * 25 + "f" * 15)
    for found in (answer(good, bad), answer(bad, good)):
        assert found.standing is Standing.BETTER and found.leader is not None and found.leader.run in (good,)
        assert found.sentence.startswith("good completes 37.5 points more than bad (95 % interval +")
        assert ", p < 0.001). On work like this, from the 40 tasks that both ran." in found.sentence
        assert found.sentence.endswith("A task costs $0.5000 against $0.1000.")
    (contest,) = found.rivals[0].contests
    assert (contest.both, contest.only_first, contest.only_second, contest.tasks) == (25, 15, 0, 40)
    assert contest.difference is not None and contest.difference.value == pytest.approx(0.375)


def test_faults_are_included_and_the_sentence_names_where_agents_differ_most(tmp_path: Path) -> None:
    """A comparison was headed "Not enough to tell" above +49.1 points (p < 0.001) under silent faults."""
    careful = run(tmp_path / "careful", E0="p" * 28 + "f" * 2, E1="p" * 26 + "f" * 4, E2="p" * 25 + "f" * 5)
    trusting = run(tmp_path / "trusting", E0="p" * 27 + "f" * 3, E1="p" * 26 + "f" * 4, E2="p" * 10 + "f" * 20)
    found = answer(careful, trusting)
    assert found.standing is Standing.BETTER
    said = "careful completes 50.0 points more than trusting when tools fail silently (E2) (95 % interval +"
    assert found.sentence.startswith(said)
    assert "; without faults (E0) " in found.sentence and "hold for all 3 comparisons together" in found.sentence
    clean = answer(careful, trusting, condition="E0").sentence
    assert clean.startswith("Not enough to tell careful from trusting: ") and "E2" not in clean


def test_better_here_and_worse_there(tmp_path: Path) -> None:
    one = run(tmp_path / "one", E0="p" * 40, E2="f" * 38 + "pp")
    two = run(tmp_path / "two", E0="p" * 20 + "f" * 20, E2="p" * 10 + "f" * 30)
    found = answer(one, two)
    assert found.standing is Standing.MIXED or found.rivals[0].contests[1].conclusion is not Conclusion.BETTER
    worse = run(tmp_path / "worse", E0="p" * 20 + "f" * 20, E2="p" * 25 + "f" * 15)
    mixed = answer(one, worse)
    assert mixed.standing is Standing.MIXED
    assert "points less" in mixed.sentence or "points more" in mixed.sentence


def test_a_condition_that_one_run_lacks_is_left_out_of_nobody_elses(tmp_path: Path) -> None:
    """The first screen ignored E2 where one run had only E0."""
    one = run(tmp_path / "one", E0="p" * 30, E2="p" * 28 + "ff")
    two = run(tmp_path / "two", E0="p" * 29 + "f", E2="f" * 30)
    clean = run(tmp_path / "clean", E0="p" * 10 + "f" * 20)
    found = answer(one, two, clean)
    assert "when tools fail silently (E2)" in found.sentence or found.rivals[0].name == "clean"
    conditions = {rival.name: [contest.condition for contest in rival.contests] for rival in found.rivals}
    assert conditions == {"two": ["E0", "E2"], "clean": ["E0"]}


def test_agents_that_ran_different_tasks_are_compared_on_those_they_share(tmp_path: Path) -> None:
    """The first screen ignored agents that ran other tasks."""
    many, few = run(tmp_path / "many", E0="p" * 60), run(tmp_path / "few", first=30, E0="f" * 40)
    found = answer(many, few)
    assert found.standing is Standing.BETTER
    assert "from the 30 tasks that both ran; 40 samples that only one of them tried left out" in found.sentence
    none = answer(run(tmp_path / "a", E0="pp"), run(tmp_path / "b", first=9, E0="pp"))
    assert none.standing is Standing.NOTHING_SHARED
    assert none.sentence == "Nothing can be said: a and b have no finished task in common."


def test_as_good_within_the_margin(tmp_path: Path) -> None:
    a, b = run(tmp_path / "a", E0="pf" * 200), run(tmp_path / "b", E0="pf" * 200)
    found = answer(a, b)
    assert found.standing is Standing.AS_GOOD
    assert found.sentence.startswith("a is at least as good as b, within 5 points: 0.0 points (95 % interval -")
    assert answer(a, b, margin=0.001).standing is Standing.UNKNOWN


def test_equal_agents_are_not_told_to_run_thousands_of_tasks(tmp_path: Path) -> None:
    """Of two agents that came out alike on fifty tasks it was said that 3,824 more would tell."""
    equal = answer(run(tmp_path / "a", E0="pf" * 22), run(tmp_path / "b", E0="fp" * 3 + "pf" * 19)).sentence
    assert "not even 10 times as many tasks would be likely to tell" in equal and "more tasks would" not in equal
    near = answer(run(tmp_path / "c", E0="p" * 30 + "f" * 10), run(tmp_path / "d", E0="p" * 25 + "f" * 13 + "pp"))
    assert (
        near.standing is Standing.UNKNOWN and " more tasks would tell, if things stay as they are" in near.sentence
    )


def test_several_agents_are_one_family(tmp_path: Path) -> None:
    def width(n: int) -> float:
        runs = [run(tmp_path / f"{n}-{k}", E0="p" * (30 - k) + "f" * k) for k in range(n)]
        found = answer(*runs).rivals[0].contests[0].difference
        assert found is not None
        return found.interval.half_width

    assert width(2) < width(3) < width(6)
    runs = [run(tmp_path / name, E0="p" * n + "f" * (40 - n)) for name, n in (("a", 40), ("b", 20), ("c", 5))]
    assert answer(*runs).sentence.endswith(" a is better than c.")


def test_reference_agents_and_further_runs_stand_aside(tmp_path: Path) -> None:
    def of(name: str, outcome: str, agent: str, tasks: int = 60) -> StoredRun:
        made = store(tmp_path / name, [record(str(n), outcome) for n in range(tasks)], agent=agent)
        made.manifest.suite = "starter"
        return made

    plan, idle, one, two = (
        of("x", "pass", "plan"),
        of("i", "fail", "idle"),
        of("y", "fail", "m-1"),
        of("z", "pass", "m-2"),
    )
    found = answer(plan, one, two, of("s", "pass", "m-1", tasks=9))
    assert found.leader is not None and found.leader.name == "m-2 (z)"
    assert [name.run for name in found.references] == [plan]
    assert [one.run.folder.name for one in found.repeated] == ["s"]
    alone = answer(idle, two)
    assert alone.standing is Standing.ALONE
    assert alone.sentence.startswith("m-2 completes 100.0 % (95 % interval ")
    assert "Beside the reference agent idle, it completes 100.0 points more (" in alone.sentence
    # Four reference agents were once told that there was nobody to compare with.
    only = answer(plan, idle)
    assert only.standing is Standing.BETTER and only.sentence.startswith(
        "plan completes 100.0 points more than idle"
    )


def test_one_agent(tmp_path: Path) -> None:
    faulted = answer(run(tmp_path / "a", E0="pppf", E2="pfff")).sentence
    assert faulted.startswith("a completes 75.0 % (95 % interval ")
    assert " and 25.0 % when tools fail silently (E2) (" in faulted
    assert faulted.endswith("on work like this, 4 samples. Only one agent was tried.")
    assert answer(store(tmp_path / "none", [])).sentence == "Nothing can be said: no sample has finished."


def test_a_loss_of_whole_workplaces_is_certain_here_and_weak_elsewhere(tmp_path: Path) -> None:
    def side(name: str, lost: int) -> StoredRun:
        records = [
            record(f"{at}-{n}", "fail" if at < lost else "pass", repeat=repeat, tags={"scenario": f"w{at}"})
            for at in range(10)
            for n in range(6)
            for repeat in range(3)
        ]
        return store(tmp_path / name, records, agent=name)

    said = answer(side("a", 0), side("b", 2)).sentence
    assert said.startswith("Not enough to tell a from b: a completes +20.0 points (95 % interval -")
    assert "; on these very tasks the difference is certain (+" in said and "60 tasks in 10 scenarios" in said


def test_samples_under_other_faults_and_without_two_verdicts_are_not_compared(tmp_path: Path) -> None:
    def faulted(name: str, first: int) -> StoredRun:
        plan = [event(0, "E1", first)]
        return store(tmp_path / name, [record(str(n), condition="E1", fault_plan=plan) for n in range(8)])

    (contest,) = answer(faulted("a", 1), faulted("b", 2)).rivals[0].contests
    assert (contest.tasks, contest.left_out, contest.difference) == (0, 8, None)
    broken = answer(run(tmp_path / "c", E0="p" * 12), run(tmp_path / "d", E0="p" * 8 + "i" * 4))
    assert broken.rivals[0].contests[0].left_out == 4 and "4 without two verdicts left out" in broken.sentence


def test_as_many_tasks_as_named_decide_in_most_trials(tmp_path: Path) -> None:
    """By simulation: a true difference of 6 points, of which 100 tasks first give an estimate near the truth."""
    first = answer(run(tmp_path / "a", E0="pppff" * 17 + "ppppp" * 3), run(tmp_path / "b", E0="pppff" * 20))
    found = first.rivals[0].contests[0].difference
    assert found is not None
    needed = tasks_needed(found, 100)
    assert needed is not None and 100 < needed < 180
    random, decided = Random(5), 0
    for n in range(40):
        kinds = random.choices(("pp", "ff", "pf"), weights=(0.6, 0.34, 0.06), k=needed)
        sides = [run(tmp_path / f"{n}-{side}", E0="".join(kind[side] for kind in kinds)) for side in (0, 1)]
        decided += answer(*sides).standing is not Standing.UNKNOWN
    assert decided >= 27


def test_equal_agents_are_hardly_ever_told_apart(tmp_path: Path) -> None:
    random, wrong = Random(3), 0
    for n in range(60):
        hard = [random.random() for _ in range(43)]
        sides = ["".join("p" if random.random() < 0.8 - 0.4 * h else "f" for h in hard) for _ in range(3)]
        found = answer(*(run(tmp_path / f"{n}-{k}", E0=side) for k, side in enumerate(sides)))
        wrong += Standing.BETTER in {rival.standing for rival in found.rivals}
    assert wrong <= 6
