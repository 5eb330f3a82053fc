"""A comparison in plain words."""

from pathlib import Path
from random import Random

from tests.results.runs import record, store

from worktrial.results.comparison import ConditionComparison, compare_runs, verdict

BOTH = "on these tasks and on work like this"
OUTCOMES = {True: "fail", False: "pass"}


def _own(folder: Path, first: str, second: str) -> ConditionComparison:
    names = {"p": "pass", "f": "fail", "i": "invalid"}
    runs = [
        store(folder / side, [record(str(n), names[o]) for n, o in enumerate(outcomes)])
        for side, outcomes in (("a", first), ("b", second))
    ]
    own = compare_runs(*runs).of("E0")
    assert own is not None
    return own


def test_a_significant_difference(tmp_path: Path) -> None:
    own = _own(tmp_path, "f" * 10 + "p" * 30, "p" * 40)
    said = verdict(own, second="agent-b")
    assert said.startswith(f"agent-b completes 25.0 points more {BOTH} (95 % interval +1")
    assert said.endswith(", p 0.002; 40 tasks).")
    worse = verdict(_own(tmp_path, "p" * 40, "f" * 10 + "p" * 30))
    assert worse.startswith("the second run completes 25.0 points less")


def test_not_enough_to_tell_says_how_many_tasks_would_do(tmp_path: Path) -> None:
    said = verdict(_own(tmp_path, "pf" * 20 + "pppp", "fp" * 3 + "pf" * 17 + "pppp"), margin=0.05)
    assert said.startswith(f"Not enough to tell {BOTH}: the second run completes 0.0 points")
    assert " more tasks would, if things stay as they are." in said
    # A margin of nothing is never shown by agents that are alike.
    same = verdict(_own(tmp_path, "pf" * 20, "fp" * 3 + "pf" * 17), margin=0)
    assert same.endswith("; no number of tasks would be likely to.")


def test_as_good_within_the_margin(tmp_path: Path) -> None:
    said = verdict(_own(tmp_path, "pf" * 200, "fp" + "pf" * 199))
    assert said.startswith(f"the second run is as good {BOTH}, within the margin of 5 points")
    assert verdict(_own(tmp_path, "pf" * 200, "fp" + "pf" * 199), margin=0.001).startswith("Not enough to tell")


def test_a_loss_of_whole_workplaces_is_certain_here_and_weak_elsewhere(tmp_path: Path) -> None:
    """It was once worded as no significant difference, of 23.3 points."""

    def side(name: str, lost: int) -> Path:
        records = [
            record(
                f"{place}-{n}", "fail" if place < lost else "pass", repeat=repeat, tags={"scenario": f"w{place}"}
            )
            for place in range(10)
            for n in range(6)
            for repeat in range(3)
        ]
        return store(tmp_path / name, records)  # type: ignore[return-value]

    own = compare_runs(side("a", 0), side("b", 2)).of("E0")  # type: ignore[arg-type]
    these, work = verdict(own).split("). ")
    assert these.startswith("the second run completes 20.0 points less on these tasks (95 % interval -")
    assert work.startswith("Not enough to tell on work like this: the second run completes -20.0 points")
    assert "60 tasks in 10 scenarios" in work
    assert "No significant difference" not in verdict(own)


def test_nothing_to_say(tmp_path: Path) -> None:
    assert verdict(_own(tmp_path, "ip", "pi")) == "Nothing can be said: no sample has a verdict in both runs."
    assert verdict(None).startswith("Nothing can be said")


def test_as_many_tasks_as_named_decide_in_most_trials(tmp_path: Path) -> None:
    """By simulation: a true difference of 15 points, of which 60 tasks first give an estimate near the truth."""
    from worktrial.statistics import tasks_needed

    own = _own(tmp_path, "pppff" * 20, "pppff" * 17 + "ppppp" * 3)
    # 6 points over 100 tasks, all one way; scaled to what decides with a chance of 80 %.
    assert own.work is not None
    needed = tasks_needed(own.work, 100)
    assert needed is not None and 100 < needed < 180
    random, decided = Random(5), 0
    for _ in range(60):
        kinds = random.choices(("pp", "ff", "fp"), weights=(0.6, 0.34, 0.06), k=needed)
        found = _own(tmp_path, "".join(k[0] for k in kinds), "".join(k[1] for k in kinds))
        decided += not verdict(found).startswith("Not enough to tell")
    assert decided >= 40
