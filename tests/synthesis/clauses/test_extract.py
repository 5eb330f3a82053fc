"""The author copies clauses out; code keeps what stands in the documents, and asks again for the rest."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from tests.synthesis.scripted_author import SPEC, Model, author

from worktrial.errors import DataError
from worktrial.synthesis.author import UnusableReplies
from worktrial.synthesis.clauses import Clause, ClauseNumber
from worktrial.synthesis.clauses.extract import ClauseReading, extract_clauses
from worktrial.synthesis.clauses.reading import DocumentClauses, DocumentReader
from worktrial.synthesis.clauses.sections import sections_of
from worktrial.synthesis.sources import SourceLibrary, load

DESK = """# Desk
## 1. Deadlines
A claim arrives within **7 days** after delivery. The desk lead may waive this deadline.
## 2. Amounts
Above 800.00 a payment needs an approval.
"""
LATE, WAIVE, ABOVE = (
    "A claim arrives within 7 days after delivery",
    "The desk lead may waive this deadline",
    "Above 800.00 a payment needs an approval",
)


def said(*quotes: str, section: str = "1", **more: Any) -> dict[str, Any]:
    return {"clauses": [{"section": section, "quote": quote, "kind": "deadline", **more} for quote in quotes]}


def library(folder: Path, text: str = DESK, **others: str) -> SourceLibrary:
    for name, said in {"desk": text, **others}.items():
        (folder / f"{name}.md").write_text(said)
    return load([folder])


def read(
    folder: Path, *replies: Any, context: int = 8192, earlier: list[Clause] | None = None
) -> tuple[ClauseReading, Model]:
    model = Model(replies)
    sections = sections_of(library(folder))
    return asyncio.run(
        extract_clauses(SPEC, sections, author(model), context=context, earlier=earlier or [])
    ), model


def test_a_clause_has_the_words_the_place_and_the_numbers_of_the_document(tmp_path: Path) -> None:
    found, model = read(tmp_path, said(LATE, WAIVE, exception_to=[1], applies_when=" late \n claims"), said())
    late, waived = found.clauses
    assert late == Clause(
        id="C-01",
        document="desk",
        section="1",
        quote="A claim arrives within **7 days** after delivery.",
        kind="deadline",
        numbers=[ClauseNumber(value="7", unit="days")],
        applies_when="late claims",
    )
    assert (waived.overrides, waived.numbers) == (["C-01"], [])
    assert len(model.prompts) == 2


def test_what_is_refused_or_left_out_is_asked_for_again_with_the_reason(tmp_path: Path) -> None:
    wrong = said("A claim arrives within 8 days after delivery")
    found, model = read(tmp_path, wrong, said(LATE, WAIVE, ABOVE))
    assert [clause.id for clause in found.clauses] == ["C-01", "C-02", "C-03"]
    assert found.clauses[2].section == "2", "a quote belongs where it stands, whatever section is named"
    assert (found.refused, found.uncovered, found.requests, found.given) == ([], [], 2, 4)
    assert "'A claim arrives within 8 days after delivery' does not stand in section 1" in model.prompts[1]
    assert "[section 2] Above 800.00 a payment needs an approval." in model.prompts[1]


def test_an_author_that_insists_is_asked_a_bounded_number_of_times(tmp_path: Path) -> None:
    found, model = read(tmp_path, said("it is all very well", "that is what I say"))
    assert (found.clauses, len(found.refused), len(model.prompts)) == ([], 2, 3)
    assert len(found.uncovered) == 3


def test_the_same_words_are_one_clause_and_keep_the_id_that_they_had(tmp_path: Path) -> None:
    first, _ = read(tmp_path, said(WAIVE, WAIVE, "desk lead may waive this deadline", LATE), said())
    assert [clause.quote for clause in first.clauses] == [
        "A claim arrives within **7 days** after delivery.",
        "The desk lead may waive this deadline.",
    ]
    again, _ = read(tmp_path, said(ABOVE, LATE, WAIVE), said(), earlier=first.clauses[1:])
    assert [clause.id for clause in again.clauses] == ["C-03", "C-02", "C-04"]


def test_a_small_context_reads_the_documents_in_several_stretches(tmp_path: Path) -> None:
    long = "".join(
        f"## {n}. Part\nThe desk must answer letter {n} within {n} days.\n\n{'It is so. ' * 120}\n"
        for n in range(1, 9)
    )
    sections = sections_of(library(tmp_path, f"# Desk\n{long}"))
    shown: list[int] = []

    def reply(prompt: str, count: int) -> Any:
        there = [n for n in range(1, 9) if f"[section {n}]" in prompt]
        shown.append(len(prompt))
        return {
            "clauses": [
                {"section": str(n), "quote": f"The desk must answer letter {n} within {n} days", "kind": "deadline"}
                for n in there
            ]
        }

    model = Model(reply)
    small = asyncio.run(extract_clauses(SPEC, sections, author(model), context=2048))
    assert [clause.numbers[0].value for clause in small.clauses] == [str(n) for n in range(1, 9)]
    assert small.requests > 4
    assert max(shown) / 4 < 2048
    assert asyncio.run(extract_clauses(SPEC, sections, author(Model(reply)), context=128_000)).requests == 1


def test_one_stretch_that_cannot_be_read_does_not_take_the_others_with_it(tmp_path: Path) -> None:
    library(tmp_path, f"# 1. A\n{'Talk goes on. ' * 200}\n# 2. B\n{WAIVE}. {'Talk goes on. ' * 200}")
    sections = sections_of(load([tmp_path]))
    model = Model(lambda prompt, count: "no JSON" if "[section 1]" in prompt else said(WAIVE, section="2"))
    found = asyncio.run(extract_clauses(SPEC, sections, author(model), context=2048))
    assert [clause.section for clause in found.clauses] == ["2"]
    assert found.unread and {number for number, _ in found.unread} == {"1"}
    with pytest.raises(UnusableReplies, match="no clause could be read"):
        asyncio.run(extract_clauses(SPEC, sections, author(Model(["no JSON"])), context=128_000))


def stage(sources: SourceLibrary, *replies: Any, **options: Any) -> tuple[DocumentClauses, list[str]]:
    notes: list[str] = []
    options = {"context": 8192, **options}
    reader = DocumentReader(spec=SPEC, sources=sources, author=author(Model(replies)), note=notes.append, **options)
    return asyncio.run(reader.read()), notes


def test_the_owner_is_told_what_was_found_and_what_was_not(tmp_path: Path) -> None:
    made, notes = stage(library(tmp_path), said(LATE, "paid on Tuesdays only"), context=None, private=["1"])
    assert [clause.private for clause in made.clauses] == [True]
    text = "\n".join(notes)
    for part in (
        "16,000 tokens are assumed. --context-tokens says it",
        "1 clauses: 1 deadline",
        "not a clause: 'paid on Tuesdays only' does not stand",
        "2 sentences with numbers or words that bind stand in no clause, the first in section 1",
    ):
        assert part in text


def test_a_procedure_without_numbers_is_told(tmp_path: Path) -> None:
    _, notes = stage(library(tmp_path, "# 1. A\nThe desk must be polite."), said("The desk must be polite"))
    assert "no clause has a number" in "\n".join(notes)


def test_an_author_that_does_not_know_the_language_is_refused(tmp_path: Path) -> None:
    sources = library(tmp_path, "# 1. Määräajat\nVaatimus tehdään 7 päivän kuluessa.")
    with pytest.raises(
        DataError, match=r"2 of the quotes do not stand there.*Take a model that knows their language"
    ):
        stage(sources, said("The claim is made within 7 days", "It is made in time"))


def test_documents_that_contradict_each_other_are_both_shown_until_the_owner_chooses(tmp_path: Path) -> None:
    sources = library(tmp_path, memo="# 1. News\nA claim arrives within 10 days after delivery.")

    def reply(prompt: str, count: int) -> Any:
        return {
            "clauses": [
                *said(LATE, section="desk-1")["clauses"],
                *said("A claim arrives within 10 days after delivery", section="memo-1")["clauses"],
            ]
        }

    def read_both(*precedence: str) -> DocumentClauses:
        model = author(Model(reply))
        reader = DocumentReader(spec=SPEC, sources=sources, author=model, context=8192, precedence=precedence)
        return asyncio.run(reader.read())

    with pytest.raises(DataError) as refused:
        read_both()
    for part in ("**7 days** after", "within 10 days after", "precedence desk,memo"):
        assert part in str(refused.value)
    made = read_both("memo")
    assert [clause.section for clause in made.clauses] == ["memo-1"]
    assert [clause.section for clause in made.overruled] == ["desk-1"]


def test_the_sentences_of_an_interface_are_no_clauses_that_lack(tmp_path: Path) -> None:
    operation = {"operationId": "getDesk", "description": "Must not be called twice.", "responses": {}}
    api = {"openapi": "3.1.0", "info": {"title": "Desk", "version": "1"}, "paths": {"/desk": {"get": operation}}}
    (tmp_path / "api.json").write_text(json.dumps(api))
    model = Model([said("Must not be called twice", section="api-1")])
    found = asyncio.run(extract_clauses(SPEC, sections_of(load([tmp_path])), author(model), context=8192))
    assert ([clause.section for clause in found.clauses], found.uncovered, len(model.prompts)) == (["api-1"], [], 1)


def test_without_documents_there_are_no_clauses() -> None:
    with pytest.raises(DataError, match="there are none"):
        stage(SourceLibrary())
