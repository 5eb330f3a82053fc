"""A comparison in one sentence."""

from pathlib import Path
from random import Random

import pytest
from tests.results.runs import record, store

from worktrial.results.comparison import ConditionComparison, compare_runs, detectable, verdict
from worktrial.results.comparison.outcomes import paired_test
from worktrial.results.pairing import pair_runs


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
    assert said.startswith("agent-b completes 25.0 points more (95 % interval +1")
    assert said.endswith(", p 0.002; 40 tasks).")
    assert verdict(_own(tmp_path, "p" * 40, "f" * 10 + "p" * 30)).startswith(
        "the second run completes 25.0 points less"
    )
    # At another level the same difference is none.
    assert verdict(own, level=0.001).startswith("No significant difference: ")


def test_no_significant_difference_says_what_could_have_been_seen(tmp_path: Path) -> None:
    said = verdict(_own(tmp_path, "pf" * 50, "fp" + "pf" * 49))
    assert said.startswith("No significant difference: the second run completes 0.0 points (95 % interval -")
    # Two of 100 tasks differ, which makes a standard error of 1.4 points; yet six must differ in one direction.
    assert said.endswith("p 1.000); with 100 tasks a difference of about 6 points could have been seen.")


def test_too_few_tasks_can_never_show_anything(tmp_path: Path) -> None:
    own = _own(tmp_path, "fffff", "ppppp")
    assert own.test is not None
    assert own.test.p == 0.0625
    assert detectable(own) is None
    assert "with 5 tasks no difference, however large, could be relied on to show" in verdict(own)


def test_nothing_to_say(tmp_path: Path) -> None:
    assert verdict(_own(tmp_path, "ip", "pi")) == "Nothing can be said: no sample has a verdict in both runs."
    assert verdict(None).startswith("Nothing can be said")


def test_what_is_called_detectable_is_found_in_most_trials(tmp_path: Path) -> None:
    """By simulation: 100 tasks, both agents with luck of their own, a true difference of the size named."""
    random = Random(5)
    seen = detectable(_own(tmp_path, "".join(random.choices("pf", k=100)), "".join(random.choices("pf", k=100))))
    assert seen is not None
    assert seen == pytest.approx(0.2, abs=0.03)
    found = 0
    for _ in range(60):
        sides = []
        for side, rate in (("a", 0.5 - seen / 2), ("b", 0.5 + seen / 2)):
            outcomes = ["pass" if random.random() < rate else "fail" for _ in range(100)]
            sides.append(store(tmp_path / side, [record(str(n), outcome) for n, outcome in enumerate(outcomes)]))
        test = paired_test(pair_runs(*sides).pairs)
        found += test is not None and test.p < 0.05
    # Expected are four of five; the exact test is a little less powerful than the normal approximation says.
    assert 38 <= found <= 58
