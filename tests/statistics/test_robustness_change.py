import numpy as np
import pytest

from worktrial.statistics import robustness_change

MODES = ("E0", "E1", "E2", "E3")
Task = dict[str, list[bool]]


def _all(passed: bool) -> Task:
    return {mode: [passed] for mode in MODES}


def test_three_tasks_that_pass_everything_twice_show_little() -> None:
    found = robustness_change([(_all(True), _all(True))] * 3)
    assert (found.first, found.second, found.difference) == (1, 1, 0)
    assert found.interval is not None
    assert found.interval.low < -0.3 and found.interval.high > 0.3


def test_the_other_way_round_is_the_mirror_image() -> None:
    draw = np.random.default_rng(3)
    sides = [[{mode: [bool(draw.random() < 0.7)] for mode in MODES} for _ in range(40)] for _ in range(2)]
    there, back = (robustness_change(list(zip(*order, strict=True))) for order in (sides, sides[::-1]))
    assert there.interval is not None and back.interval is not None
    assert (there.interval.low, there.interval.high) == pytest.approx((-back.interval.high, -back.interval.low))


def test_no_robustness_no_change() -> None:
    found = robustness_change([(_all(False), _all(True))] * 5)
    assert (found.first, found.second, found.difference, found.interval) == (None, 1, None, None)
    with pytest.raises(ValueError, match="no task has an outcome"):
        robustness_change([({"E0": [True]}, _all(True))])
    with pytest.raises(ValueError, match="one cluster for each task"):
        robustness_change([(_all(True), _all(True))], clusters=["a", "b"])


@pytest.mark.parametrize(("first", "second"), [((0.8, 0.8, 0.8), (0.8, 0.8, 0.8)), ((1, 1, 1), (0.9, 0.5, 0.9))])
def test_it_holds_the_truth_where_kinds_of_faults_tie(first: tuple[float, ...], second: tuple[float, ...]) -> None:
    draw = np.random.default_rng(7)
    held, draws = 0, 150
    for _ in range(draws):
        chances = draw.beta(2, 1, size=43)

        def side(kept: tuple[float, ...], chances: "np.ndarray[object, object]" = chances) -> list[Task]:  # type: ignore[type-var]
            parts = dict(zip(MODES, (1.0, *kept), strict=True))
            return [{mode: [bool(draw.random() < part * c)] for mode, part in parts.items()} for c in chances]

        found = robustness_change(list(zip(side(first), side(second), strict=True)))
        assert found.interval is not None
        held += found.interval.low <= min(second) - min(first) <= found.interval.high
    assert held >= 0.93 * draws


def test_it_says_more_doubt_than_there_is_only_where_kinds_of_faults_tie() -> None:
    """Half the width over the deviation of the estimates: 1.96 would be exact."""
    widths = {}
    for name, kept in {"tie": (0.8, 0.8, 0.8), "one worst": (1.0, 0.5, 1.0)}.items():
        draw = np.random.default_rng(5)
        found = []
        for _ in range(60):
            chances = draw.beta(2, 1, size=60)
            sides = [
                [
                    {mode: [bool(draw.random() < part * c)] for mode, part in zip(MODES, (1.0, *kept), strict=True)}
                    for c in chances
                ]
                for _ in range(2)
            ]
            found.append(robustness_change(list(zip(*sides, strict=True))))
        halves = [one.interval.half_width for one in found if one.interval is not None]
        widths[name] = float(np.mean(halves) / np.std([one.difference for one in found]))
    assert 1.7 < widths["one worst"] < 2.3 < widths["tie"] < 3.2, widths
