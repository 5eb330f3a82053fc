"""Figures of shifts where a user meets them: the score in a comparison, in a gate, and of a single shift."""

import json
import re
from pathlib import Path

import pytest
from tests.support.cli import command

import worktrial as wt

EXAMPLES = Path(__file__).parents[3] / "examples" / "desks"


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Five short shifts by an agent that follows a plan and by one that does nothing, and one alone."""
    at = tmp_path_factory.mktemp("shifts")
    for name, agent, variant in (("plan", "plan", "0-4"), ("idle", "idle", "0-4"), ("one", "plan", "0")):
        words = ("--desks", EXAMPLES, "--length", "short", "--agent", agent, "--variant", variant)
        assert command("run", "shifts", *words, "-o", at / name).code == 0
    return at


def test_a_comparison_is_about_the_score(runs: Path) -> None:
    """Scores of -34.1 and -1.1 stood there as "0.0 points", as neither passed a shift."""
    ran = command("compare", runs / "idle", runs / "plan")
    assert ran.code == 0, ran.err
    first = ran.out.splitlines()[0]
    assert re.search(r"plan scores (\+?\d+\.\d points|\d+\.\d points more)", first) and "completes" not in first
    found = json.loads(command("compare", runs / "idle", runs / "plan", "--json").out)["comparison"]
    score = next(one for one in found["figures"]["listed"] if one["name"] == "score")
    assert score["value"] > 0.2
    shown = {
        name: next(
            one["value"]
            for one in json.loads(command("show", runs / name, "--json").out)["figures"]
            if one["name"] == "score" and not one["group"]
        )
        for name in ("idle", "plan")
    }
    assert score["first"] == pytest.approx(shown["idle"])
    assert score["second"] == pytest.approx(shown["plan"])


def test_a_gate_has_a_limit_for_the_score(runs: Path) -> None:
    assert command("gate", runs / "plan", "--min-score", 0.1).code == 0
    ran = command("gate", runs / "idle", "--min-score", 0.1)
    assert (
        ran.code == 1
        and "the mean score of 5 samples is " in ran.out
        and "on these tasks, 95 % interval" in ran.out
    )
    assert command("gate", runs / "idle", "--min-score", -1).code == 0
    other = command("gate", runs / "idle", "--min-score", 2)
    assert other.code == 2 and "--min-score" in other.err


def test_the_grade_of_a_shift_is_in_its_record_in_what_show_prints_and_in_the_report(runs: Path) -> None:
    for name, grade, share in (("plan", "clean", 1.0), ("idle", "failed", 0.0)):
        found = json.loads(command("show", runs / name, "--json").out)["figures"]
        assert [one["value"] for one in found if one["name"] == "clean" and not one["group"]] == [share]
        assert "clean" in command("show", runs / name).out
        for record in wt.load(runs / name).run.records:
            assert record.measures["grade"] == grade and record.reason.startswith(f"{grade}: ")
            assert bool(record.measures["failed_by"]) == (grade == "failed")
    assert command("report", runs / "plan", runs / "idle", "-o", runs / "page").code == 0
    page = "".join(path.read_text() for path in (runs / "page").glob("*.html"))
    assert "Score, grade, timeliness and harm" in page and "Clean" in page


def test_one_shift_has_no_interval(runs: Path) -> None:
    """It was once printed as 86.1 %, -92.5 to 100 %."""
    found = json.loads(command("show", runs / "one", "--json").out)["figures"]
    score = next(one for one in found if one["name"] == "score")
    assert score["value"] is not None and score["low"] is score["high"] is None
    assert score["note"] == "no interval from one task"
    assert not re.search(r"-\d+\.\d% - 100", command("show", runs / "one").out)
