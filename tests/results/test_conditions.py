from tests.results.runs import record

from worktrial.engine.record import SampleRecord
from worktrial.results.conditions import by_condition, headline, robustness_of, tallies
from worktrial.statistics import Robustness, ZeroCleanRate


def _all(outcomes: dict[str, str], setting: str = "") -> list[SampleRecord]:
    """Tasks in E0 to E3: `{"1": "++-+"}`; "." is not there, "?" invalid."""
    words = {"+": "pass", "-": "fail", "?": "invalid"}
    return [
        record(task, words[sign], mode if mode == "E0" or not setting else f"{mode}/{setting}")
        for task, signs in outcomes.items()
        for mode, sign in zip(("E0", "E1", "E2", "E3"), signs, strict=True)
        if sign != "."
    ]


def _robustness(records: list[SampleRecord]) -> dict[str, Robustness | ZeroCleanRate]:
    return robustness_of(tallies(by_condition(records)))


def test_order_and_headline() -> None:
    names = ["E3/10x2", "E2/9x2", "E0", "E3/9x10", "E3/9x2", "E1/1x1"]
    ordered = list(by_condition(record("1", condition=name) for name in names))
    assert ordered == ["E0", "E1/1x1", "E2/9x2", "E3/9x2", "E3/9x10", "E3/10x2"]
    assert headline(ordered) == "E0"
    assert headline(ordered[2:]) == "E2/9x2"
    assert headline([]) == "E0"


def test_robustness_of_one_setting() -> None:
    (found,) = _robustness(_all({"1": "++++", "2": "++--", "3": "+-++", "4": "----"})).values()
    assert isinstance(found, Robustness)
    assert (round(found.value, 3), found.worst, found.tasks) == (0.667, "E1", 4)


def test_samples_without_a_verdict_everywhere_do_not_count() -> None:
    records = _all({"1": "++++", "2": "++?+", "3": "+++.", "4": "+++-"})
    (found,) = _robustness(records).values()
    assert isinstance(found, Robustness)
    assert (found.value, found.worst, found.tasks) == (0.5, "E3", 2)


def test_repeats_are_paired() -> None:
    records = [record("1", condition=mode, repeat=1) for mode in ("E0", "E1", "E2", "E3")]
    records += [record("1", "fail", mode, repeat=0) for mode in ("E1", "E2", "E3")]
    (found,) = _robustness(records).values()
    assert isinstance(found, Robustness)
    assert (found.value, found.tasks) == (1.0, 1)


def test_a_sweep_has_one_for_each_setting() -> None:
    clean = [r for r in _all({"1": "++++", "2": "++++"}) if r.condition == "E0"]
    mild = _all({"1": ".+++", "2": ".+++"}, "1x2")
    harsh = _all({"1": ".+++", "2": ".+--"}, "3x2")
    found = _robustness(clean + mild + harsh)
    assert {setting: isinstance(r, Robustness) and r.value for setting, r in found.items()} == {
        "1x2": 1,
        "3x2": 0.5,
    }


def test_where_there_is_none() -> None:
    assert _robustness([]) == {}
    assert _robustness(_all({"1": "++.+"})) == {}
    assert _robustness(_all({"1": ".+++"})) == {}
    assert _robustness(_all({"1": "?+++"})) == {}
    (found,) = _robustness(_all({"1": "-+++"})).values()
    assert isinstance(found, ZeroCleanRate)
