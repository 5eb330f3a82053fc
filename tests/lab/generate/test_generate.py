"""The archive as a whole: the same plan gives the same files; PDFs say what the truth says."""

import csv
import json
import re
from collections import defaultdict
from pathlib import Path

import pypdfium2
import pytest
from tests.lab.generate.made import archive, lines

from lab.generate import Difficulty, Plan, generate
from lab.scoring import read_truth
from worktrial.errors import DataError, SettingError


def _files(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


@pytest.mark.parametrize("difficulty", [Difficulty.DIGITAL, Difficulty.MIXED, Difficulty.WORN])
def test_the_same_plan_makes_the_same_files_whatever_the_workers(tmp_path: Path, difficulty: Difficulty) -> None:
    plan = Plan(18, 5, difficulty, 20)
    generate(tmp_path / "one", plan)
    generate(tmp_path / "two", plan, workers=2)
    assert _files(tmp_path / "one") == _files(tmp_path / "two")


def test_another_seed_makes_other_figures(tmp_path: Path) -> None:
    generate(tmp_path / "one", Plan(15, 1, questions=0))
    generate(tmp_path / "two", Plan(15, 2, questions=0))
    one, two = ({cell for t in read_truth(tmp_path / n / "truth/tables.jsonl") for row in t.grid for cell in row}
                for n in ("one", "two"))  # fmt: skip
    assert len(one & two) < 0.5 * len(one)


@pytest.mark.parametrize("pages", [15, 37, 120])
def test_size_is_exact_and_progress_tells_it(tmp_path: Path, pages: int) -> None:
    told: list[tuple[int, int]] = []
    made = generate(tmp_path / "a", Plan(pages, 4, questions=20), progress=lambda *at: told.append(at))
    counts = [len(pypdfium2.PdfDocument(p)) for p in (tmp_path / "a/pdfs").glob("*.pdf")]
    assert sum(counts) == pages == made.pages
    assert len(counts) == made.documents
    assert told[-1] == (pages, pages)
    about = json.loads((tmp_path / "a/archive.json").read_text())
    assert about["plan"] == {"pages": pages, "seed": 4, "difficulty": 0, "questions": 20}


def test_refusals(tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full/mine.txt").write_text("keep")
    with pytest.raises(DataError, match="not an empty folder"):
        generate(tmp_path / "full", Plan(15))
    for plan in (Plan(14), Plan(200_001), Plan(20, questions=-1)):
        with pytest.raises(SettingError):
            generate(tmp_path / "never", plan)
    with pytest.raises(SettingError, match="workers"):
        generate(tmp_path / "never", Plan(15), workers=0)
    assert not (tmp_path / "never").exists()


def test_every_true_cell_is_on_its_page() -> None:
    made = archive()
    texts: dict[str, list[str]] = {}
    for path in (made.folder / "pdfs").glob("*.pdf"):
        with pypdfium2.PdfDocument(path) as document:
            texts[path.stem] = [page.get_textpage().get_text_range() for page in document]
    checked = 0
    for table in made.tables.values():
        page = re.sub(r"\s+", "", texts[table["doc"]][table["pdf_page"] - 1])
        assert table["title"].replace(" ", "") in page
        assert f"({table['unit']})".replace(" ", "") in page
        heads = table["header_rows"]
        for cell in {cell for row in table["grid"][heads:] for cell in row if cell}:
            assert cell.replace(" ", "") in page, (table["id"], cell)
            checked += 1
        for word in {word for row in table["grid"][:heads] for cell in row for word in cell.split()}:
            assert word in page, (table["id"], word)
    assert checked > 3000


def test_figures_stand_in_their_rows_and_columns() -> None:
    """Left to right and top to bottom on the page as in the grid: each row of figures reads as in the truth."""
    made = archive()
    table = next(t for t in made.tables.values() if "Summary" in t["title"])
    with pypdfium2.PdfDocument(made.folder / "pdfs" / f"{table['doc']}.pdf") as document:
        page = document[table["pdf_page"] - 1].get_textpage()
        rows = defaultdict(list)
        for i in range(page.count_chars()):
            # Loose boxes are as high as the font, so that all characters of a line stand equally deep.
            left, bottom, _, _ = page.get_charbox(i, loose=True)
            rows[round(bottom)].append((left, page.get_text_range(i, 1)))
    read = {re.sub(r"[\s.]", "", "".join(text for _, text in sorted(row))) for row in rows.values()}
    for row in table["grid"][table["header_rows"] :]:
        assert re.sub(r"[\s.]", "", "".join(row)) in read


def test_scans_are_pictures_of_the_same_pages() -> None:
    digital, scanned = archive(30, 7, Difficulty.DIGITAL, 20), archive(30, 7, Difficulty.MIXED, 20)
    assert [t["grid"] for t in digital.tables.values()] == [t["grid"] for t in scanned.tables.values()]
    assert digital.questions == scanned.questions
    kinds = {t["doc"]: t["kind"] for t in scanned.tables.values()}
    assert set(kinds.values()) == {"scan", "digital"}
    oldest = min(kinds)
    assert kinds[oldest] == "scan"
    with (
        pypdfium2.PdfDocument(digital.folder / "pdfs" / f"{oldest}.pdf") as clean,
        pypdfium2.PdfDocument(scanned.folder / "pdfs" / f"{oldest}.pdf") as scan,
    ):
        for a, b in zip(clean, scan, strict=True):
            assert a.get_size() == b.get_size()
            one, other = (p.render(scale=0.5, grayscale=True).to_numpy().astype(float) for p in (a, b))
            # Darker overall (paper is grey), and dark where the clean page is dark.
            assert other.mean() < one.mean()
            if one.std() > 1:
                assert (one * other).mean() - one.mean() * other.mean() > 0


def test_truth_and_questions_are_readable_by_others() -> None:
    made = archive()
    truths = read_truth(made.folder / "truth/tables.jsonl")
    assert len(truths) == len(made.tables)
    rows = list(csv.DictReader((made.folder / "questions.csv").open(encoding="utf-8-sig", newline="")))
    assert [row["question"] for row in rows] == [q["question"] for q in lines(made.folder / "questions.jsonl")]
