"""Faults that only an archive has."""

import re
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.tiny_archive import tiny_archive

from worktrial.archive.store.archive import Archive
from worktrial.suites.documents.faults import (
    DocumentFault,
    cut_table,
    document_transforms,
    misread_digit,
    miss_page,
    needs_of,
)
from worktrial.suites.documents.question import DocumentQuestion, GoldFigure, GoldPage
from worktrial.workplaces.faults import Context
from worktrial.workplaces.faults.content import differences

TABLE: dict[str, Any] = {
    "table": "harbor_bulletin_1951_04:2:t1",
    "title": "Receipts",
    "rows": 6,
    "columns": 4,
    "headers": {"1": "Customs"},
    "body": [{"row": n, "cells": ["1950", f"{4389 + n:,}", "3,502"], "label": "1950"} for n in range(6)],
}
PAGE = {
    "document": "harbor_bulletin_1951_04",
    "page": 2,
    "text": "Receipts\n| 1950 | 4,389 |\n| --- | --- |\n| a | 361 |\n| b | 359 |\n| c | 372 |\nThe end.",
}
HITS = {
    "hits": [
        {"document": "a", "page": 1, "score": 9.5, "snippet": "4,389 of 1950"},
        {"document": "a", "page": 1, "table": 2, "score": 9.0, "snippet": "x"},
        {"document": "b", "page": 7, "score": 3.0, "snippet": "y"},
    ]
}


def _rng() -> Random:
    return Random(7)


def test_a_page_is_missing() -> None:
    assert miss_page(PAGE, _rng(), Context()) == {**PAGE, "text": ""}
    assert miss_page(HITS, _rng(), Context()) == {"hits": HITS["hits"][2:]}
    gone = miss_page(TABLE, _rng(), Context())
    assert gone is not None and gone["body"] == [] and gone["table"] == TABLE["table"]
    assert miss_page({"value": "3"}, _rng(), Context()) is None


def test_a_table_is_cut() -> None:
    cut = cut_table(TABLE, _rng(), Context())
    assert cut is not None and 3 <= len(cut["body"]) < 6
    assert cut["rows"] == 6, "who looks can see that rows are gone"
    silent = cut_table(TABLE, _rng(), Context(silent=True))
    assert silent == {**cut, "rows": len(cut["body"])}
    text = cut_table(PAGE, _rng(), Context())
    assert text is not None
    assert text["text"].startswith("Receipts\n| 1950 | 4,389 |") and text["text"].endswith("The end.")
    assert "| c | 372 |" not in text["text"]
    rows = cut_table({"columns": ["v"], "rows": [[n] for n in range(9)]}, _rng(), Context())
    assert rows is not None and rows["columns"] == ["v"] and rows["rows"] == [[n] for n in range(len(rows["rows"]))]
    assert cut_table({"hits": []}, _rng(), Context()) is None


def test_a_digit_is_misread_wherever_the_figure_stands() -> None:
    shown = {"columns": ["text", "value"], "rows": [["4,389", 4389.0], ["in 1950", 1950.0]], "page": 4389}
    wrong = misread_digit(shown, _rng(), Context())
    assert wrong is not None and wrong["page"] == 4389
    changed = [(was, now) for was, now in zip(shown["rows"][0], wrong["rows"][0], strict=True) if was != now]
    assert changed
    assert wrong["rows"][1] == ["in 1950", 1950.0]
    assert misread_digit({"text": "in 1950, 12 of them"}, _rng(), Context()) is None


QUESTION = DocumentQuestion(
    "Q1",
    "How much was it?",
    "4,391",
    pages=(GoldPage("b", 7),),
    figures=(GoldFigure(GoldPage("b", 7), "4,391"), GoldFigure(GoldPage("b", 7), "359")),
)


def test_damage_is_aimed_at_what_the_answer_needs() -> None:
    needed = needs_of(QUESTION)
    aimed = Context(needed=needed)
    for seed in range(30):
        assert miss_page(HITS, Random(seed), aimed) == {"hits": HITS["hits"][:2]}
        wrong = misread_digit(TABLE, Random(seed), aimed)
        assert wrong is not None
        # Row 2 shows 4,391.
        assert [n for n in range(6) if wrong["body"][n] != TABLE["body"][n]] == [2]
        assert needed.touched_by(differences(TABLE, wrong))
        page = {**PAGE, "text": PAGE["text"] + "\n| d | 1 |\n| e | 2 |\n| f | 3 |\n| g | 4 |"}
        cut = cut_table(page, Random(seed), aimed)
        assert cut is not None and "| b | 359 |" not in cut["text"] and needed.touched_by(differences(page, cut))
    assert not needed.touched_by(differences(HITS, {"hits": HITS["hits"][2:]}))
    assert misread_digit({"text": "372 and 511"}, _rng(), aimed) is not None, "where nothing is needed, anything"


_TEXT = st.text("0123456789,. |\nabc-", max_size=40)


@given(st.dictionaries(st.sampled_from(["text", "title", "snippet"]), _TEXT, max_size=3), st.integers(1, 999))
def test_where_things_stand_is_never_changed(said: dict[str, str], seed: int) -> None:
    observation = {"document": "d_1951", "page": 1234, **said}
    for transform in (miss_page, cut_table, misread_digit):
        degraded = transform(observation, Random(seed), Context())
        assert degraded is None or degraded != observation
        if degraded is not None:
            assert (degraded["document"], degraded["page"]) == ("d_1951", 1234)
    wrong = misread_digit(observation, Random(seed), Context())
    if wrong is not None:
        assert [len(wrong[key]) for key in said] == [len(said[key]) for key in said]
        assert [re.sub(r"\d", "0", wrong[k]) for k in said] == [re.sub(r"\d", "0", said[k]) for k in said]


def test_an_older_issue_is_served() -> None:
    archive = Archive.open(tiny_archive())
    stale = document_transforms(archive)[DocumentFault.STALE_REVISION]
    older = stale(PAGE, _rng(), Context())
    assert older is not None
    # As the March issue has them; what it printed alike stays.
    assert "| 1950 | 4,385 |" in older["text"] and "| b | 355 |" in older["text"] and "| c | 372 |" in older["text"]
    assert stale({**PAGE, "document": "harbor_bulletin_1951_03"}, _rng(), Context()) is None
    assert stale({"value": "4,389"}, _rng(), Context()) is None
    rows = {
        "columns": ["document", "page", "value"],
        "rows": [[PAGE["document"], 2, 4389.0], [PAGE["document"], 2, 372.0]],
    }
    degraded = stale(rows, _rng(), Context())
    assert degraded is not None and [row[2] for row in degraded["rows"]] == [4385.0, 372.0]
    assert DocumentFault.STALE_REVISION not in document_transforms(None)


@pytest.mark.parametrize("kind", list(DocumentFault))
def test_pictures_are_left_alone(kind: DocumentFault) -> None:
    transforms = document_transforms(Archive.open(tiny_archive()))
    seen = {**PAGE, "picture": "(picture 1; it follows in the next message)"}
    assert transforms[kind](seen, _rng(), Context()) is None
