from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support.pdfs import BLANK, PICTURE, lines, pdf
from tests.synthesis.sources.interfaces import answering, api, load_api

from worktrial.errors import DataError
from worktrial.synthesis.sources import SourceLibrary, load
from worktrial.synthesis.sources.text import MOST, markdown_sections, pieces

HANDBOOK = """# Returns

Goods come back within 30 days.

## Refunds

A refund goes to the card that was charged.

```sh
# no heading
```

Exceptions
----------

- none
"""


def write(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def test_markdown_is_cut_at_headings(tmp_path: Path) -> None:
    sources = load([write(tmp_path, "Our Handbook.md", HANDBOOK)])
    assert [p.heading for p in sources.parts] == [["Returns"], ["Returns", "Refunds"], ["Returns", "Exceptions"]]
    assert "# no heading" in sources.parts[1].text
    assert [(f.id, f.name, f.kind) for f in sources.files] == [("our-handbook", "Our Handbook.md", "markdown")]
    assert {file.id for file in sources.files} == {"our-handbook"}


@pytest.mark.parametrize(
    ("text", "headings"),
    [
        ("---\ntitle: a\n---\n# One\nx", [(), ("One",)]),
        ("# One ##\nx\n### Three\ny\n# Two\nz", [("One",), ("One", "Three"), ("Two",)]),
        ("~~~\n# a\n```\n# b\n~~~\n# c\nx", [(), ("c",)]),
        ("#hashtag\n* item\n---\nx", [()]),
        ("# Only\n## headings", [()]),
        ("Title\n=====\nx", [("Title",)]),
    ],
)
def test_what_a_heading_is(text: str, headings: list[tuple[str, ...]]) -> None:
    assert [section.heading for section in markdown_sections(text)] == headings


def test_pages_of_text_and_of_pdf(tmp_path: Path) -> None:
    write(tmp_path, "a.txt", "first page\n\fsecond page\n\f")
    write(tmp_path, "b.pdf", pdf(lines("Refunds take five days."), BLANK, lines("Large refunds need two people.")))
    sources = load([tmp_path])
    assert [(p.source, p.page) for p in sources.parts] == [("a", 1), ("a", 2), ("b", 1), ("b", 3)]


def test_pages_that_are_pictures_are_noted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("worktrial.archive.producers.pdf.ocr_available", lambda: False)
    path = write(tmp_path, "scan.pdf", pdf(lines("Some text here.", "And more of it."), PICTURE, PICTURE))
    (note,) = load([path]).files[0].notes
    assert note.startswith("pages 2-3: not read: ocr unavailable")
    with pytest.raises(DataError, match=r"only\.pdf: none of its 1 pages has text.*worktrial\[ocr\]"):
        load([write(tmp_path, "only.pdf", pdf(PICTURE))])


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.docx", "x", r"its ending '\.docx' is not known.*save it as one of these"),
        ("README", "x", "it has no ending"),
        ("a.md", "", "is empty"),
        ("a.txt", " \n ", "is empty"),
        ("a.txt", b"\x00\x01\x02rubbish", "is not a text file"),
        ("a.md", bytes(range(1, 32)) * 9, "is not a text file"),
        ("a.md", b"%PDF-1.4 ...", r"is a PDF, although its name ends in \.md"),
        ("a.pdf", "just text", "not a PDF"),
        ("a.pdf", "", "is empty"),
        ("a.pdf", pdf(lines("x"), encrypted=True), "encrypted.*without a password"),
        ("a.pdf", pdf(BLANK), "none of its 1 pages has text"),
        ("a.json", "[1, 2]", "no object"),
    ],
)
def test_what_cannot_be_read_is_named(tmp_path: Path, name: str, content: str | bytes, said: str) -> None:
    path = write(tmp_path, name, content)
    with pytest.raises(DataError, match=rf"(?s){name}.*{said}"):
        load([path])


def test_paths_that_lead_nowhere(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"gone\.md: there is no such file"):
        load([tmp_path / "gone.md"])
    with pytest.raises(DataError, match="has no document in it"):
        load([tmp_path])


def test_other_encodings(tmp_path: Path) -> None:
    write(tmp_path, "a.txt", "Zürich".encode("cp1252"))
    write(tmp_path, "b.txt", "세관".encode("utf-16"))
    write(tmp_path, "c.txt", b"\xef\xbb\xbfplain\r\ntext")
    sources = load([tmp_path])
    assert [p.text for p in sources.parts] == ["Zürich", "세관", "plain\ntext"]
    assert [bool(f.notes) for f in sources.files] == [True, True, False]


def test_order_and_repetition_of_paths_do_not_matter(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    one, two = write(tmp_path, "a.md", "# A\nalpha"), write(tmp_path / "sub", "a.md", "# A\nbeta")
    copy = write(tmp_path, "copy.md", "# A\nalpha")
    first, second = load([one, two, one, copy]), load([two, one])
    assert (first.files, first.parts) == (second.files, second.parts)
    assert [f.id for f in first.files] == ["a", "a-2"]


def test_stored_and_read_again(tmp_path: Path) -> None:
    write(tmp_path, "a.md", HANDBOOK)
    sources = load_api(tmp_path, api(answering({"example": {"a": 1}})))
    whole = load([tmp_path])
    whole.write(tmp_path / "work")
    again = SourceLibrary.read(tmp_path / "work")
    assert (again.files, again.parts, again.operations) == (whole.files, whole.parts, whole.operations)
    assert again.operations == sources.operations
    assert not SourceLibrary.read(tmp_path / "nothing")


@given(st.text(alphabet="ab .\n\u3042", max_size=400), st.integers(1, 30))
def test_pieces_lose_nothing_and_keep_to_their_size(text: str, most: int) -> None:
    made = pieces(text, most)
    assert "".join("".join(made).split()) == "".join(text.split())
    assert all(piece.strip() and len(piece) <= most for piece in made)


def test_a_long_section_is_cut_between_paragraphs() -> None:
    paragraph = "A sentence of a few words. " * 20
    made = pieces("\n\n".join([paragraph] * 5))
    assert len(made) == 3 and all(len(piece) <= MOST and piece.endswith(".") for piece in made)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    content=st.one_of(
        st.binary(max_size=300), st.text(max_size=300).map(lambda text: text.encode("utf-8", "replace"))
    ),
    ending=st.sampled_from([".md", ".txt", ".json", ".yaml", ".pdf"]),
)
def test_whatever_is_in_a_file_it_is_read_or_named(tmp_path: Path, content: bytes, ending: str) -> None:
    path = write(tmp_path, f"any{ending}", content)
    try:
        sources = load([path])
    except DataError as e:
        assert path.name in str(e)
    else:
        assert sources.parts


def ids(library: SourceLibrary) -> dict[str, str]:
    return {file.id: file.hash for file in library.files}


def test_a_document_more_stands_beside_those_of_earlier_sessions(tmp_path: Path) -> None:
    for name, text in (
        ("procedure.md", "# 1. Loans\nOnce."),
        ("zeal.txt", "Be quick."),
        ("answers.md", "# 1. Trailers\nNo."),
    ):
        (tmp_path / name).write_text(text)
    first = load([tmp_path / "procedure.md", tmp_path / "zeal.txt"])
    both = load([tmp_path / "answers.md"], first)
    whole = load([tmp_path])
    assert ids(both) == ids(whole) and ids(first).items() < ids(both).items()
    for rows in ("files", "operations", "parts"):
        assert getattr(both, rows) == getattr(whole, rows), "as if they had been read together"
    assert both.without({"answers"}).parts == first.parts


def test_a_file_of_the_same_name_takes_the_place_of_the_earlier_one_and_keeps_its_id(tmp_path: Path) -> None:
    for folder, text in (("a", "One."), ("b", "Two."), ("c", "Three.")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "rules.txt").write_text(text)
    first = load([tmp_path / "a" / "rules.txt"])
    second = load([tmp_path / "b" / "rules.txt"], first)
    assert [(file.id, part.text) for file, part in zip(second.files, second.parts, strict=True)] == [
        ("rules", "Two.")
    ]
    # The same content under another name is the same document.
    (tmp_path / "b" / "renamed.txt").write_text("One.")
    assert [(file.id, file.name) for file in load([tmp_path / "b" / "renamed.txt"], first).files] == [
        ("rules", "renamed.txt")
    ]
    several = load([tmp_path / "a", tmp_path / "b" / "rules.txt"])
    assert sorted(ids(several)) == ["rules", "rules-2"]
    with pytest.raises(DataError, match="may be read in place of rules or rules-2"):
        load([tmp_path / "c" / "rules.txt"], several)
