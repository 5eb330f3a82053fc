import json
from pathlib import Path

import pytest
from lab.__main__ import print_scores

from lab.scoring import read_truth, score_table


def test_the_page_shows_each_table_the_means_and_the_flags(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    rows = [
        {
            "id": name,
            "doc": "treasury_bulletin_1939_02",
            "pdf_page": 3,
            "kind": kind,
            "header_rows": 1,
            "row_label_cols": 1,
            "grid": [["Year", "Total", "Bonds"], ["1938", "37,165", "23,599"]],
        }
        for name, kind in (("T1", "scan"), ("T2", "digital"))
    ]
    path = tmp_path / "tables.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    first, second = read_truth(path)
    scores = [
        score_table(first, [first.as_table()], page_text="37,165 23,599", low=1.1),
        score_table(second, [], page_text="", trouble="page 3 is not in the archive\x1b[31m"),
    ]
    print_scores(scores)
    shown = capsys.readouterr().out
    assert "T1, page 3" in shown and "treasury_bulletin_1939_02" in shown
    assert "scan, 1 table" in shown and "all, 2 tables" in shown
    assert "scan: 100.0% of all numbers have a low confidence" in shown
    assert "T2: page 3 is not in the archive" in shown
    assert "\x1b[31m" not in shown
