import pypdfium2
import pytest
from tests.support.data import missing_real_data, real_data_dir

from lab.scoring import read_truth, score_table
from worktrial.archive.layout.finder import find_tables
from worktrial.archive.ocr.page import recognise_page

pytest.importorskip("rapidocr")
pytest.importorskip("openvino")


@pytest.mark.real_data
def test_a_typewritten_page_of_1939_is_read_far_beyond_the_bare_engine():
    if problem := missing_real_data():
        pytest.skip(problem)
    folder = real_data_dir() / "officeqa"
    truth = next(t for t in read_truth(folder / "truth" / "tables.jsonl") if t.id == "TT04")
    with pypdfium2.PdfDocument(folder / "pdfs" / f"{truth.doc}.pdf") as pdf:
        page = recognise_page(pdf[truth.pdf_page - 1], truth.pdf_page)
    score = score_table(truth, find_tables(page), page_text=" ".join(w.text for w in page.words))
    assert score.numbers_on_page is not None and score.numbers_on_page.share >= 0.97
    assert score.cell_f1 >= 0.8
    assert score.trust.flagged <= 0.12 * score.trust.numbers
