from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.support.run_files import store_work

from worktrial.engine.manifest import Manifest
from worktrial.engine.record import RoleUsage, SampleRecord
from worktrial.engine.segments import segment_path
from worktrial.engine.stored import open_run, trajectory
from worktrial.errors import DataError
from worktrial.grading import Outcome
from worktrial.results.summary import summarise


def _record(sample: str, outcome: str = "pass", repeat: int = 0, **more: Any) -> SampleRecord:
    reason = more.pop("reason", "why")
    return SampleRecord(
        suite="s", sample=sample, repeat=repeat, outcome=Outcome(outcome), reason=reason, **{"cost": 0.0, **more}
    )


def _store(folder: Path, records: list[SampleRecord], samples: int = 9, **settings: Any) -> Path:
    manifest = Manifest(suite="s", data={}, settings=settings, samples=samples)
    (folder / "manifest.json").write_bytes(msgspec.json.encode(manifest))
    lines = [{"sample": r.sample, "repeat": r.repeat, "turn": n} for n, r in enumerate(records)]
    store_work(folder, zip(records, lines, strict=True))
    return folder


def _votes(*verdicts: bool | None) -> list[dict[str, Any]]:
    return [{"is_correct": v} for v in verdicts]


def test_the_last_record_of_a_sample_counts(tmp_path: Path) -> None:
    records = [_record("1", "invalid"), _record("2"), _record("1", "fail"), _record("1", repeat=1)]
    run = open_run(_store(tmp_path, records))
    assert [(r.key, r.outcome.value) for r in run.records] == [
        (("2", 0, "E0"), "pass"),
        (("1", 0, "E0"), "fail"),
        (("1", 1, "E0"), "pass"),
    ]
    assert run.missing == 6
    assert trajectory(tmp_path, "1", 0)["turn"] == 2
    assert trajectory(tmp_path, "1", 1)["turn"] == 3


def test_a_sample_without_a_trajectory(tmp_path: Path) -> None:
    _store(tmp_path, [_record(str(n)) for n in range(20)])
    with pytest.raises(DataError, match=r"sample 'x', repeat 0, condition E0.*There is: 0, 1, 2, .*11, …$"):
        trajectory(tmp_path, "x", 0)
    with pytest.raises(DataError, match="did not get so far: task_data: gone"):
        trajectory(tmp_path, "x", 0, record=_record("x", "invalid", reason="task_data: gone"))
    segment_path(tmp_path, 1).unlink()
    with pytest.raises(DataError, match=r"0001.jsonl: is missing"):
        trajectory(tmp_path, "1", 0)


def test_a_summary_counts_everything_once(tmp_path: Path) -> None:
    use = RoleUsage(2, 100, 10, 50, 0.5)
    harbour = {"category": "Harbour", "difficulty": 1}
    records = [
        _record("1", "invalid", reason="no_majority: x", tags=harbour),
        _record("1", tags=harbour, usage={"agent": use}, cost=0.5, seconds=2, calls=4, stop_reason="answered"),
        _record(
            "2", "fail", tags={"category": "Art", "difficulty": 3}, usage={"agent": use, "judge": use}, cost=1.0
        ),
        _record("3", "invalid", reason="task_data: gone", tags=harbour, stop_reason="turn_limit"),
    ]
    summary = summarise(open_run(_store(tmp_path, records)))
    figures = summary.figures
    done, invalid = figures.get("completion"), figures.get("invalid")
    assert (done.hits, done.n, invalid.hits, summary.missing) == (1, 3, 1, 6)
    assert figures.get("completion_of_valid").n == 2
    groups = {name: (done.hits, done.n) for name, done in figures.groups("category").items()}
    assert groups == {"Art": (0, 1), "Harbour": (1, 2)} and [*figures.groups("difficulty")] == ["1", "3"]
    assert figures.get("invalid", group="category=Harbour").hits == 1
    assert summary.usage == {"agent": RoleUsage(4, 200, 20, 100, 1.0), "judge": use}
    # Means are of the two samples with a verdict.
    assert (summary.cost, figures.get("seconds").value, figures.get("calls").value) == (1.5, 1.0, 2.0)
    # A sample without a verdict says nothing about how work ends.
    assert summary.stop_reasons == {"answered": 1}
    assert summary.invalid_reasons == {"task_data": 1}
    assert summary.agreement is None


def test_an_unknown_price_leaves_the_total_unknown(tmp_path: Path) -> None:
    known, unknown = RoleUsage(1, 1, 1, 0, 0.5), RoleUsage(1, 1, 1, 0, None)
    records = [
        _record("1", usage={"agent": known}),
        _record("2", usage={"agent": unknown, "judge": known}, cost=None),
    ]
    summary = summarise(open_run(_store(tmp_path, records)))
    assert (summary.usage["agent"].cost, summary.usage["judge"].cost, summary.cost) == (None, 0.5, None)


@pytest.mark.parametrize(
    ("settings", "pairwise"),
    [
        # The third vote is there only because the first two differ, so it is left out.
        ({"votes": 3, "judge_method": "votes"}, 0.5),
        ({"votes": 1, "judge_method": "votes"}, None),
        ({"votes": 3, "judge_method": "logprob"}, None),
    ],
)
def test_agreement_between_votes(settings: dict[str, Any], pairwise: float | None, tmp_path: Path) -> None:
    records = [_record("1", votes=_votes(True, True)), _record("2", votes=_votes(True, False, False)), _record("3")]
    agreement = summarise(open_run(_store(tmp_path, records, **settings))).agreement
    assert (agreement and agreement.pairwise) == pairwise
