"""Question files: OfficeQA's three shapes and our own."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.data import real_data_dir
from tests.support.tiny_archive import write_questions

from worktrial.errors import DataError, SettingError
from worktrial.suites.documents.load import choose, load_questions, without_documents
from worktrial.suites.documents.question import GoldPage
from worktrial.suites.documents.question_files import document_name, issue_name, read_published

PRO = ("uid", "question", "answer", "source_docs", "source_files", "difficulty")
V2 = PRO[:-1]
SITE = "https://archive.example/title/bulletin-407"


def _csv(rows: list[dict[str, str]], columns: tuple[str, ...] = PRO) -> str:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, columns, lineterminator="\r\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _pro(**changed: str) -> dict[str, str]:
    return {
        "uid": "UID1",
        "question": "What was\nthe total?",
        "answer": "1,234",
        "source_docs": f"{SITE}/january-1941-6529?page=15\n{SITE}/december-1939-6501?page=14",
        "source_files": "treasury_bulletin_1941_01.txt\r\ntreasury_bulletin_1939_12.txt",
        "difficulty": "Hard",
        **changed,
    }


def _write(path: Path, text: str) -> Path:
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())
    return path


def test_pro_and_full(tmp_path: Path) -> None:
    [question] = load_questions(_write(tmp_path / "officeqa_full.csv", _csv([_pro()]))).questions
    assert question.text == "What was\nthe total?"
    assert question.documents == ("treasury_bulletin_1941_01", "treasury_bulletin_1939_12")
    assert question.pages == (
        GoldPage("treasury_bulletin_1941_01", 15),
        GoldPage("treasury_bulletin_1939_12", 14),
    )
    assert (question.difficulty, question.answer, question.kind) == ("hard", "1,234", "")
    assert question.tags == {"difficulty": "hard", "documents": 2}


def test_pro_v2(tmp_path: Path) -> None:
    docs = (
        "corpus_file=treasury_bulletin_1941_01.pdf | pdf_page_number=15 | note=a; b ; "
        "corpus_file=treasury_bulletin_1939_12.pdf | pdf_page_number=14-16 | note=c"
    )
    row = {**_pro(source_docs=docs, source_files="a/treasury_bulletin_1941_01.pdf; treasury_bulletin_1939_12.pdf")}
    del row["difficulty"]
    [question] = load_questions(_write(tmp_path / "officeqa_pro_v2.csv", _csv([row], V2))).questions
    assert question.pages == (
        GoldPage("treasury_bulletin_1941_01", 15),
        *(GoldPage("treasury_bulletin_1939_12", page) for page in (14, 15, 16)),
    )
    assert question.documents == ("treasury_bulletin_1941_01", "treasury_bulletin_1939_12")
    assert question.difficulty == ""


def test_a_page_without_a_date_belongs_to_the_only_document() -> None:
    row = _pro(source_docs=f"{SITE}/special-6529?page=3", source_files="supplement.txt")
    [question] = read_published(_csv([row]), Path("q.csv"))
    assert question.pages == (GoldPage("supplement", 3),)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"uid": ""}, ["row 1", "uid", "is empty"]),
        ({"answer": " "}, ["row 1", "UID1", "answer", "is empty"]),
        ({"source_docs": f"{SITE}/special?page=3"}, ["source_docs", "names no month and year"]),
        ({"source_docs": f"{SITE}/may-1941?page=x"}, ["source_docs", "'x' is no page number"]),
        ({"source_docs": f"{SITE}/may-1941?page=0"}, ["source_docs", "names no pages"]),
        ({"source_docs": "corpus_file= | pdf_page_number=3"}, ["names no corpus_file"]),
    ],
)
def test_what_cannot_be_used_is_named(changed: dict[str, str], words: list[str]) -> None:
    with pytest.raises(DataError) as e:
        read_published(_csv([_pro(**changed)]), Path("q.csv"))
    assert all(word in str(e.value) for word in ["q.csv", *words]), e.value


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("uid,question\r\nU,Q\r\n", ["has no column answer, source_docs, source_files"]),
        ("", ["has no column", "it has none"]),
        (_csv([_pro()]).rstrip() + ",more\r\n", ["row 1", "more fields than the header"]),
        ("uid,question,answer,source_docs,source_files\r\nU,Q\r\n", ["row 1", "fewer fields"]),
        ('uid,question,answer,source_docs,source_files\r\nU,"Q,A,D,F\r\n', ["is not CSV"]),
    ],
)
def test_a_file_that_is_none(text: str, words: list[str]) -> None:
    with pytest.raises(DataError) as e:
        read_published(text, Path("q.csv"))
    assert all(word in str(e.value) for word in ["q.csv", *words]), e.value


def _row(**changed: Any) -> str:
    row: dict[str, Any] = {"id": "A", "question": "Q?", "answer": "1", "docs": ["d.pdf"], "pdf_pages": [["d", 2]]}
    return json.dumps({**row, **changed})


def test_our_own_form(tmp_path: Path) -> None:
    # U+2028 ends a line for Python, not in JSON.
    text = _row(question="Q\u2028?", cells=[{"doc": "e", "pdf_page": 4, "text": "12", "row": 3}], working="-")
    path = tmp_path / "q.jsonl"
    path.write_text(text.replace("\\u2028", "\u2028") + "\n\n" + _row(id="B", pdf_pages=[], pages=[["d", 1]]))
    first, second = load_questions(path).questions
    assert first.pages == (GoldPage("d", 2), GoldPage("e", 4))
    assert first.documents == ("d", "e")
    assert first.figures[0].text == "12"
    assert second.pages == (GoldPage("d", 1),)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{", ["line 2", "is not JSON"]),
        (_row(id="B", answer=3), ["line 2 (B)", "answer", "str"]),
        (_row(id="B", answer=""), ["line 2 (B): answer", "is empty"]),
        (_row(id="B", pdf_pages=[["d", 0]]), ["line 2 (B)", "has no page 0"]),
        (_row(), ["the id A is taken twice", "line 1"]),
        ("[]", ["line 2", "object"]),
    ],
)
def test_lines_that_cannot_be_used(line: str, words: list[str], tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl"
    path.write_text(f"{_row()}\n{line}\n")
    with pytest.raises(DataError) as e:
        load_questions(path)
    assert all(word in str(e.value) for word in words), e.value


def test_files_that_are_not_there(tmp_path: Path) -> None:
    for path, word in (
        (tmp_path / "no.csv", "no such file"),
        (tmp_path, "holds none of questions.jsonl"),
        (_write(tmp_path / "q.txt", "x"), "is no file of questions"),
        (_write(tmp_path / "empty.jsonl", ""), "holds no question"),
    ):
        with pytest.raises(DataError, match=word):
            load_questions(path)
    (tmp_path / "bytes.jsonl").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DataError, match="is not UTF-8"):
        load_questions(tmp_path / "bytes.jsonl")
    write_questions(tmp_path)
    assert load_questions(tmp_path).path == tmp_path / "questions.jsonl"
    _write(tmp_path / "officeqa_pro.csv", _csv([_pro()]))
    with pytest.raises(DataError, match=r"holds questions\.jsonl, officeqa_pro\.csv"):
        load_questions(tmp_path)


def test_choosing(tmp_path: Path) -> None:
    questions = load_questions(write_questions(tmp_path))
    assert [q.id for q in choose(questions, difficulties=["EASY"])] == ["HB1", "HB3"]
    assert [q.id for q in choose(questions, kinds=["lookup"], difficulties=["hard"])] == ["HB4"]
    assert [q.id for q in choose(questions, ids=["HB2-HB4"], difficulties=["hard"])] == ["HB2", "HB4"]
    with pytest.raises(SettingError, match="not one of easy, hard"):
        choose(questions, difficulties=["medium"])
    with pytest.raises(SettingError, match="leaves no question"):
        choose(questions, ids=["HB1"], kinds=["revision"])
    with pytest.raises(SettingError, match="no task X"):
        choose(questions, ids=["X"])
    held = ["harbor_bulletin_1951_03", "harbor_bulletin_1951_05"]
    absent = without_documents(questions.questions, held)
    assert absent == {"HB2": ["harbor_bulletin_1951_04"], "HB4": ["harbor_bulletin_1951_06"]}


def test_names() -> None:
    assert issue_name("/title/treasury-bulletin-407/january-1941-6529") == "treasury_bulletin_1941_01"
    assert issue_name("The May, 1985 issue") == "treasury_bulletin_1985_05"
    assert issue_name("dismay-1985") is None
    assert issue_name("january-19411") is None
    assert document_name(r"c:\pdfs\Bulletin.v2.PDF") == "Bulletin.v2"


@given(st.text(max_size=200))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        read_published(text, Path("q.csv"))
    except DataError as e:
        assert "q.csv" in str(e)


@pytest.mark.real_data
def test_the_questions_on_real_bulletins() -> None:
    questions = load_questions(real_data_dir() / "officeqa" / "truth").questions
    assert len(questions) == 16
    assert all(q.pages and q.documents and q.kind for q in questions)
    held = [path.stem for path in (real_data_dir() / "officeqa" / "pdfs").glob("*.pdf")]
    assert not without_documents(questions, held)
