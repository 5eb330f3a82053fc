import msgspec
import pytest
from tests.synthesis.drafts import slot, task

from worktrial.statistics import agresti_coull
from worktrial.synthesis.artifacts import Calibration, PassRate, Reject
from worktrial.synthesis.stages.report import described, report


def rate(passed: int, n: int, invalid: int = 0) -> PassRate:
    return PassRate(passed=passed, n=n, invalid=invalid, low=0.1, high=0.9, decision="inside")


def calibration(name: str, verdict: str, plan: PassRate, free: PassRate, rounds: int = 0) -> Calibration:
    return Calibration(slot=name, content="c", plan=plan, free=free, verdict=verdict, why="", rounds=rounds)  # type: ignore[arg-type]


CALIBRATIONS = [
    calibration("parcels-1", "trivial", rate(4, 4), rate(12, 12)),
    calibration("parcels-2", "kept", rate(3, 4, 1), rate(2, 4), rounds=1),
    calibration("parcels-3", "unsolvable", rate(0, 4), rate(0, 0)),
    calibration("letters-1", "kept", rate(4, 4), rate(1, 4)),
    calibration("letters-2", "kept", rate(4, 4), rate(3, 4)),
]
REJECTS = [
    Reject(slot="parcels-1", stage="filter", why=""),
    Reject(slot="parcels-3", stage="filter", why=""),
    Reject(slot="letters-2", stage="selection", why=""),
    Reject(slot="letters-3", stage="author", why=""),
]
TASKS = [task(slot(2)), task(slot(1, "letters"), "Weigh the letters that arrived today.")]


def test_what_was_removed_and_what_is_left() -> None:
    found = report(6, CALIBRATIONS, REJECTS, TASKS)
    assert found.removed == {"trivial": 1, "unsolvable": 1, "selection": 1, "author": 1}
    assert (found.selected.count, found.selected.of) == (2, 6)
    assert (found.selected.low, found.selected.high) == tuple(agresti_coull(2, 6))
    assert found.runs == 45
    assert found.solvable.mean_rate == pytest.approx((3 / 4 + 1) / 2)
    assert found.solvable.weakest == "parcels-2"
    assert (found.verifiable.judged.count, found.verifiable.judged.of, found.verifiable.repaired) == (16, 17, 1)
    assert found.discriminative.mean_rate == pytest.approx(3 / 8)
    assert (found.discriminative.lowest_rate, found.discriminative.highest_rate) == (0.25, 0.5)
    # Unbiased: 2 of 4 and 1 of 4, each times 4/3.
    assert found.discriminative.mean_variance == pytest.approx((0.25 + 0.1875) / 2 * 4 / 3)
    assert found.diverse.tasks == 2
    text = "\n".join(described(found))
    for word in ("2 of 6 slots", "1 trivial", "45 runs", "solvable", "verifiable", "discriminative", "diverse"):
        assert word in text


def test_an_empty_suite_is_reported_as_well() -> None:
    rejects = [Reject(slot="parcels-1", stage="author", why="")]
    found = report(1, [], rejects, [])
    assert (found.selected.count, found.runs, found.solvable.mean_rate) == (0, 0, None)
    assert described(found) == ["0 of 1 slots selected (0% to 95%); removed: 1 author", "0 runs"]


def test_numbers_that_do_not_add_up_are_refused() -> None:
    with pytest.raises(ValueError, match="7 slots are not 2 selected and 4 rejected"):
        report(7, CALIBRATIONS, REJECTS, TASKS)
    with pytest.raises(ValueError, match="without a calibration: parcels-9"):
        report(6, CALIBRATIONS, REJECTS[:2], [*TASKS[:1], msgspec.structs.replace(task(), slot="parcels-9")])
    bad = [Reject(slot="letters-2", stage="filter", why=""), *REJECTS[:2], REJECTS[3]]
    with pytest.raises(ValueError, match="without a verdict against it"):
        report(6, CALIBRATIONS, bad, TASKS)
