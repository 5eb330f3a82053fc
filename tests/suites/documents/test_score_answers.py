import json
from pathlib import Path

import pytest
from tests.support.cli import command
from tests.support.data import real_data_dir


def scored(file: Path, *words: str) -> list[dict[str, object]]:
    out = file.with_suffix(".scored.jsonl")
    ran = command("score", "answers", file, "-o", out, *words)
    assert ran.code == 0, ran.said
    return [json.loads(line) for line in out.read_text(encoding="utf-8").split("\n") if line]


def test_every_row_has_its_row_in_order(tmp_path: Path) -> None:
    file = tmp_path / "answers.jsonl"
    rows = [
        json.dumps({"ground_truth": "5.2 billion", "predicted": "5,200 million"}),
        "not json",
        json.dumps({"ground_truth": "5"}),
        json.dumps({"ground_truth": "100", "predicted": "104", "tolerance": 0.05}),
    ]
    file.write_text("\n".join(rows), encoding="utf-8")
    done = scored(file)
    assert [row["score"] for row in done] == [1, None, None, 1]
    assert [row["error"] is None for row in done] == [True, False, False, True]
    assert "line 3" in str(done[2]["error"])
    assert [row["score"] for row in scored(file, "--mode", "published")] == [0, None, None, 1]


@pytest.mark.real_data
def test_the_recorded_scores_come_out_in_order(tmp_path: Path) -> None:
    recorded = real_data_dir() / "oracles" / "answer_pairs.jsonl"
    file = tmp_path / "pairs.jsonl"
    file.write_bytes(recorded.read_bytes())
    done = scored(file, "--mode", "published")
    expected = [json.loads(line)["score"] for line in recorded.read_text(encoding="utf-8").split("\n") if line]
    assert [row["score"] for row in done] == expected
    assert {row["error"] for row in done} == {None}
