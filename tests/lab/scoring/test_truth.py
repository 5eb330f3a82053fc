import json
from pathlib import Path
from typing import Any

import pytest
from lab.scoring.report import as_row
from tests.support.data import real_data_dir

from lab.scoring import read_truth, score_archive, score_table, summaries
from worktrial.archive.pages import PageContent
from worktrial.errors import DataError

ROW: dict[str, Any] = {
    "id": "T1",
    "doc": "bulletin",
    "pdf_page": 3,
    "title": "Debt",
    "kind": "scan",
    "header_rows": 1,
    "row_label_cols": 1,
    "grid": [["Year", "Total"], ["1938", "37,165"]],
}


def write(folder: Path, *rows: object) -> Path:
    path = folder / "tables.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def test_reads(tmp_path: Path) -> None:
    (truth,) = read_truth(write(tmp_path, ROW))
    assert (truth.id, truth.doc, truth.pdf_page, truth.unit, truth.grid[1]) == (
        "T1",
        "bulletin",
        3,
        "",
        ("1938", "37,165"),
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"id": ""}, "jsonl:1: id: must be a text"),
        ({"doc": 4}, "doc: must be a text, and is 4"),
        ({"pdf_page": 0}, "pdf_page: must be a whole number from 1 up, and is 0"),
        ({"pdf_page": True}, "pdf_page"),
        ({"header_rows": None}, "header_rows"),
        ({"header_rows": 2}, "leave no data cell"),
        ({"row_label_cols": 2}, "leave no data cell"),
        ({"grid": []}, "grid: must be a list of rows"),
        ({"grid": [["a", "b"], ["c"]]}, "row 1 has 1 cells, row 0 has 2"),
        ({"grid": [["a", "b"], ["c", 3]]}, "row 1, column 1 is no text: 3"),
        ({"unit": 1}, "unit"),
    ],
)
def test_says_where_a_row_cannot_be_used(tmp_path: Path, change: dict[str, object], message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_truth(write(tmp_path, {**ROW, **change}))


def test_says_what_is_wrong_with_a_file(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot be read"):
        read_truth(tmp_path / "none.jsonl")
    with pytest.raises(DataError, match="holds no table"):
        read_truth(write(tmp_path))
    with pytest.raises(DataError, match="jsonl:2: is not a JSON object"):
        read_truth(write(tmp_path, ROW, [1]))
    with pytest.raises(DataError, match="share the id 'T1'"):
        read_truth(write(tmp_path, ROW, ROW))
    path = tmp_path / "tables.jsonl"
    path.write_text('{"id": ', "utf-8")
    with pytest.raises(DataError, match="jsonl:1: is not JSON"):
        read_truth(path)


class OnePage:
    """An archive of one page."""

    def __init__(self, content: PageContent) -> None:
        self.content = content

    def page(self, document: str, number: int) -> PageContent:
        if (document, number) != ("bulletin", self.content.number):
            raise DataError(f"page {number} of {document}", "is not in the archive")
        return self.content


def test_a_page_that_is_not_there_scores_nothing_and_says_so(tmp_path: Path) -> None:
    truths = read_truth(write(tmp_path, ROW, {**ROW, "id": "T2", "pdf_page": 9, "kind": "digital"}))
    archive = OnePage(PageContent(3, 600, 800, "text", "Debt\n1938 37,165", (truths[0].as_table(),)))
    first, second = score_archive(archive, truths)
    assert (first.cell_f1, first.trouble) == (1, None)
    assert second.cell_f1 == second.value_found == 0
    assert second.trouble is not None and "page 9 of bulletin" in second.trouble
    assert [(s.name, s.tables, s.cell_f1) for s in summaries([first, second])] == [
        ("scan", 1, 1.0),
        ("digital", 1, 0.0),
        ("all", 2, 0.5),
    ]
    row = json.loads(json.dumps(as_row(second)))
    assert row["not_found"][0]["label"] == ["1938"]
    with pytest.raises(DataError, match="no page with a true table"):
        score_archive(archive, truths[1:])


@pytest.mark.real_data
def test_real_truth_against_itself_is_right_everywhere() -> None:
    truths = read_truth(real_data_dir() / "officeqa" / "truth" / "tables.jsonl")
    assert len(truths) == 8
    for truth in truths:
        score = score_table(truth, [truth.as_table()], page_text="\n".join(" ".join(row) for row in truth.grid))
        figures = (score.cell_f1, score.cell_f1_strict, score.value_found, score.numbers_in_tables.share)
        assert figures == (1, 1, 1, 1), truth.id
        assert score.numbers_on_page is not None and score.numbers_on_page.share == 1
        assert (score.trust.wrong, score.cells.marks_right) == (0, score.cells.marks_true)
