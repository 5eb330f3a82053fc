"""Figures that only some suites have, on runs of the suites' own reference agents."""

from pathlib import Path

import pytest
from tests.support.cli import command

from worktrial.engine.stored import open_run
from worktrial.results.comparison import compare_runs
from worktrial.results.figure import MEANS
from worktrial.statistics import Change
from worktrial.suites.orchestration.figures.turns import language_figures


def _figures(tmp_path: Path, suite: str, first: str, second: str) -> dict[str, Change]:
    for folder, agent in (("a", first), ("b", second)):
        assert command("run", suite, "--agent", agent, "-o", tmp_path / folder).code == 0
    found = compare_runs(open_run(tmp_path / "a"), open_run(tmp_path / "b"))
    shared = {"completion", "completion_of_valid", *MEANS}
    return {one.name: one for one in found.figures.listed if one.name not in shared and one.value is not None}


def test_orchestration_scores_by_language(tmp_path: Path) -> None:
    found = _figures(tmp_path, "orchestration", "gold", "always-call")
    sides = [
        {
            (f.language, name): e.value
            for f in language_figures(open_run(tmp_path / side).records)
            if f.scoring == "ours"
            for name, e in f.figures.items()
        }
        for side in ("a", "b")
    ]
    assert {name.split(" ", 1)[0] for name in found} == {"EN", "KO"}
    for (language, name), before in sides[0].items():
        change, after = found[f"{language} {name.replace('_', ' ')}"], sides[1][language, name]
        assert before is not None
        assert after is not None
        assert (change.first, change.second) == pytest.approx((before, after))
        assert change.interval is not None
        assert change.interval.low <= change.value + 1e-9
        assert change.value <= change.interval.high + 1e-9
    assert found["EN plan"].value < 0


def test_documents_scores_of_both_scorers(tmp_path: Path) -> None:
    found = _figures(tmp_path, "documents", "idle", "reference")
    assert set(found) == {f"{s}, tolerance {at}" for s in ("published", "ours") for at in ("0", "0.01")}
    assert found["published, tolerance 0"].first == 0
    assert found["published, tolerance 0"].value == pytest.approx(19 / 20)
