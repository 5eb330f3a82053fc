import json
from pathlib import Path
from typing import Any

import pytest
from tests.results.runs import record, store
from tests.support.cli import command

from worktrial.statistics import (
    discordant_share,
    half_width,
    minimum_detectable_effect,
    paired_power,
    power_of,
    sample_size,
    sample_size_for_half_width,
)


def _rows(out: str) -> dict[str, list[str]]:
    """First cell to the other cells, of all rows of all tables."""
    rows = [[cell.strip() for cell in line.strip("│").split("│")] for line in out.splitlines() if "│" in line]
    return {row[0]: row[1:] for row in rows}


def _points(effect: float | None) -> str:
    assert effect is not None
    return f"{100 * effect:.1f} points"


def _said(*words: Any) -> dict[str, Any]:
    ran = command("power", *words, "--json")
    assert (ran.code, ran.err) == (0, "")
    found: dict[str, Any] = json.loads(ran.out)
    return found


def test_what_so_many_tasks_show() -> None:
    ran = command("power", "--n", 382, "--rate", 0.7)
    assert (ran.code, ran.err) == (0, "")
    assert f"70.0% ± {100 * half_width(382, 0.7):.1f} points (95 % interval)" in ran.out
    rows = _rows(ran.out)
    for correlation in (0.7, 0.3):
        least = minimum_detectable_effect(382, 0.7, correlation=correlation)
        most = minimum_detectable_effect(382, 0.7, correlation=correlation, worse=True)
        assert least is not None and most is not None
        exact = min(
            paired_power(382, size, discordant_share(0.7, sign * size, correlation))
            for size, sign in ((least, 1), (most, -1))
        )
        found = rows[f"the same, correlation {correlation}"]
        assert found == [_points(least), _points(most), f"{exact:.0%}"]
    assert rows["separate, so many each"] == [
        _points(minimum_detectable_effect(382, 0.7, paired=False)),
        _points(minimum_detectable_effect(382, 0.7, paired=False, worse=True)),
        "-",
    ]


def test_how_many_tasks_are_needed() -> None:
    ran = command("power", "--effect", 0.05, "--rate", 0.7, "--discordant", 0.2, "--power", 0.9, "--level", 0.01)
    rows = _rows(ran.out)
    needed = sample_size(0.05, 0.7, discordant=0.2, level=0.01, power=0.9)
    assert rows["the same, 20.0% differ"][:2] == [f"{needed:,}"] * 2
    separate = sample_size(0.05, 0.7, paired=False, level=0.01, power=0.9)
    assert rows["separate, so many each"][0] == f"{separate:,}"
    wide = sample_size_for_half_width(0.05, 0.7, confidence=0.99)
    assert f"One rate ± 5 points (99 % interval): {wide} tasks" in ran.said
    assert "chance of 90%" in ran.out


def test_how_likely_a_difference_is_found() -> None:
    found = _said("--n", 200, "--effect", 0.1, "--correlation", 0.5)
    assert (found["rate"], found["smallest_effect"]) == (0.5, None)
    same, separate = found["chance"]
    assert same["better"]["power"] == pytest.approx(power_of(200, 0.1, 0.5, correlation=0.5))
    assert same["worse"]["effect"] == -0.1
    assert same["better"]["exact_power"] == pytest.approx(same["better"]["power"], abs=0.03)
    assert separate["better"]["power"] == pytest.approx(power_of(200, 0.1, 0.5, paired=False))
    assert found["tasks_needed"][0]["better"]["tasks"] == sample_size(0.1, 0.5, correlation=0.5)
    # The table shows the chance by going through all outcomes.
    shown = _rows(command("power", "--n", 200, "--effect", 0.1, "--correlation", 0.5).out)
    assert len(shown["the same, correlation 0.5"]) == 3  # the later table, of tasks


def test_repeats_are_worth_less_than_tasks() -> None:
    once, thrice = (_said("--n", 100, "--repeats", r)["smallest_effect"][0]["better"] for r in (1, 3))
    more = _said("--n", 300)["smallest_effect"][0]["better"]
    assert more["effect"] < thrice["effect"] < once["effect"]
    assert thrice["exact_power"] is None
    worthless = _said("--n", 100, "--repeats", 3, "--repeat-correlation", 1)
    assert worthless["smallest_effect"][0]["better"]["effect"] == pytest.approx(once["effect"])
    assert any("halfway" in note for note in _said("--n", 100, "--repeats", 3)["notes"])


def test_from_stored_runs(tmp_path: Path) -> None:
    outcomes = [("pass", "pass")] * 50 + [("pass", "fail")] * 8 + [("fail", "pass")] * 12 + [("fail", "fail")] * 30
    first = store(tmp_path / "1", [record(f"t{n}", a) for n, (a, _) in enumerate(outcomes)])
    others = [record(f"t{n}", b) for n, (_, b) in enumerate(outcomes)]
    second = store(tmp_path / "2", [*others[:-1], record("t99", "invalid")])
    alone = _said("--run", first.folder)
    assert (alone["tasks"], alone["rate"], alone["repeats"]) == (100, 0.58, 1)
    assert [row["correlation"] for row in alone["smallest_effect"]] == [0.7, 0.3, None]
    both = _said("--run", first.folder, "--run", second.folder)
    assert (both["tasks"], both["pair"]["left_out"]) == (99, 1)
    least = minimum_detectable_effect(99, 58 / 99, discordant=20 / 99)
    assert both["smallest_effect"][0]["better"]["effect"] == pytest.approx(least)
    shown = command("power", "--run", first.folder, "--run", second.folder)
    assert "just one of the two passed in 20 of 99 pairs: 20.2%" in shown.said
    assert "left out: 1 pairs" in shown.said
    # What is given wins over what was seen.
    larger = _said("--run", first.folder, "--n", 1000, "--rate", 0.9)
    assert (larger["tasks"], larger["rate"]) == (1000, 0.9)


def test_runs_that_are_not_comparable_are_said_to_be(tmp_path: Path) -> None:
    first = store(tmp_path / "1", [record("a"), record("b", "fail")], memory="ledger")
    second = store(tmp_path / "2", [record("a", "fail"), record("b")], memory="\x1b[31mhistory")
    shown = command("power", "--run", first.folder, "--run", second.folder)
    assert shown.code == 0
    assert "not comparable: simulator.memory" in shown.said
    assert "\x1b" not in shown.out


def test_what_no_trial_shows() -> None:
    shown = command("power", "--n", 4, "--rate", 0.9)
    assert "missed by so few tasks" in shown.said
    impossible = command("power", "--effect", 0.3, "--rate", 0.9)
    assert _rows(impossible.out)["separate, so many each"][0] == "-"
    assert "a difference of 30 points is not possible" in impossible.said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "give --n"),
        (["--n", 10, "--discordant", 0.2, "--correlation", 0.2], "say the same"),
        (["--effect", 0], "--effect must be above 0"),
        (["--n", 10, "--level", 0.9], "--power between"),
        (["--n", 0], "--n"),
        (["--n", 10, "--rate", 70], "--rate"),
        (["--run", "no-such-run"], "no such folder"),
    ],
)
def test_what_makes_no_sense(words: list[Any], said: str) -> None:
    ran = command("power", *words)
    assert ran.code == 2
    assert said in ran.said


def test_the_help_page() -> None:
    ran = command("power", "--help")
    assert ran.code == 0
    assert "worktrial power --n 382 --rate 0.7" in ran.said


def test_what_another_repeat_buys() -> None:
    """Twice the work shows less as tries than as tasks, but where tries of a task are as unlike as tasks."""
    for words, given in [
        ((), {"correlation": 0.7}),
        (("--correlation", 0, "--repeat-correlation", 0), {"correlation": 0.0}),
    ]:
        out = command("power", "--n", 43, "--rate", 0.7, *words).out
        line = next(line for line in out.splitlines() if line.startswith("twice the work"))
        alike = {} if not words else {"repeat_correlation": 0.0}
        repeated = minimum_detectable_effect(43, 0.7, repeats=2, worse=True, **given, **alike)
        wider = minimum_detectable_effect(86, 0.7, worse=True, **given, **alike)
        assert repeated is not None and wider is not None
        assert (repeated > 1.1 * wider) == (not words)
        assert line.endswith(f"2 tries of 43 tasks show {_points(repeated)} if worse, 86 tasks {_points(wider)}")
    assert "twice the work" not in command("power", "--effect", 0.1).out


def test_a_suite_has_as_many_tasks_as_it_lists() -> None:
    from worktrial.suites.starter import load_tasks

    assert _said("--suite", "starter")["tasks"] == len(load_tasks())
    assert command("power", "--suite", "starter", "--n", 3).code == 2


def test_tasks_that_vary_together_are_worth_fewer() -> None:
    alone = _said("--n", 100, "--rate", 0.6)
    together = _said("--n", 100, "--rate", 0.6, "--cluster-effect", 2)
    fewer = _said("--n", 50, "--rate", 0.6)
    worse = [abs(rows["smallest_effect"][0]["worse"]["effect"]) for rows in (alone, together, fewer)]
    assert worse[0] < worse[1] == pytest.approx(worse[2], abs=1e-6)
    assert together["half_width"] == pytest.approx(fewer["half_width"])


def test_the_clusters_of_runs_are_seen(tmp_path: Path) -> None:
    """Ten scenarios of four tasks that go alike are worth about ten tasks."""
    records = [
        record(f"t{n}-{k}", "pass" if n % 2 else "fail", tags={"scenario": f"s{n}"})
        for n in range(10)
        for k in range(4)
    ]
    observed = _said("--run", store(tmp_path / "run", records).folder)["observed"]
    assert observed["clusters"] == 10
    assert 3 < observed["cluster_effect"] < 5
