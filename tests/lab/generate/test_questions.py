"""Every answer follows from the cells that its question names, by arithmetic that is not the generator's."""

import re
from collections import Counter
from decimal import ROUND_HALF_UP, Decimal
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from tests.lab.generate.made import archive

KINDS = {
    "lookup", "sum", "difference", "percent_change", "ratio", "mean", "regression", "revision",
    "calendar_vs_fiscal", "list", "chart",
}  # fmt: skip
MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip


def figure(cell: dict[str, Any]) -> Decimal:
    return Decimal(cell["text"].removesuffix(" r").replace(",", ""))


def recomputed(question: dict[str, Any]) -> str:
    cells, kind = question["cells"], question["kind"]
    if kind == "list":
        return listed(question)
    figures = [figure(cell) for cell in cells]
    first, last = figures[0], figures[-1]
    if kind in ("lookup", "chart"):
        value = first
    elif kind == "sum":
        value = sum(figures, Decimal())
    elif kind == "mean":
        value = sum(figures, Decimal()) / len(figures)
    elif kind in ("difference", "revision"):
        value = first - last
    elif kind == "percent_change":
        value = (first - last) / last * 100
    elif kind == "ratio":
        value = first / last * 100
    elif kind == "calendar_vs_fiscal":
        value = sum(figures[:-1], Decimal()) - last
    else:
        years = [int(cell["row_label"][-1]) for cell in cells]
        value = Decimal(float(np.polyfit(np.array(years) - years[0], [float(f) for f in figures], 1)[0]))
    places = Decimal(1).scaleb(-question["decimals"])
    return f"{value.quantize(places, ROUND_HALF_UP):,}"


def listed(question: dict[str, Any]) -> str:
    cells = question["cells"]
    if question["unit"] == "provinces":
        limit = re.search(r"more than ([\d,]+) ", question["question"])
        assert limit
        above = Decimal(limit[1].replace(",", ""))
        return "; ".join(sorted(cell["row_label"][-1] for cell in cells if figure(cell) > above))
    falls = [b["row_label"] for a, b in pairwise(cells) if figure(b) < figure(a)]
    return "; ".join(f"{next(m for m in MONTHS if m.startswith(label[-1][:3]))} {label[0]}" for label in falls)


@pytest.mark.parametrize("seed", [1, 3])
def test_answers_follow_from_their_cells(seed: int) -> None:
    made = archive(seed=seed)
    assert len(made.questions) == 120
    for question in made.questions:
        got, answer = recomputed(question), question["answer"]
        if question["kind"] == "regression":
            # Floating point may fall on the other side of a half.
            unit = 10.0 ** -question["decimals"]
            assert abs(float(got.replace(",", "")) - float(answer.replace(",", ""))) <= unit * 1.001
        else:
            assert got == answer, question


def test_cells_are_those_of_the_truth_files() -> None:
    made = archive()
    for question in made.questions:
        for cell in question["cells"]:
            if question["kind"] == "chart":
                chart = made.charts[cell["table"]]
                assert chart["values_printed"]
                assert chart["values"][cell["row"]] == cell["text"]
                assert cell["row_label"] == [chart["labels"][cell["row"]]]
                place = chart
            else:
                place = made.tables[cell["table"]]
                assert place["grid"][cell["row"]][cell["column"]] == cell["text"]
                heads = [row[cell["column"]] for row in place["grid"][: place["header_rows"]]]
                assert all(any(head.startswith(part) for head in heads) for part in cell["header"])
                assert place["grid"][cell["row"]][place["row_label_cols"] - 1].endswith(cell["row_label"][-1])
            assert [place["doc"], place["pdf_page"]] in question["pdf_pages"]
            assert place["doc"] in question["docs"]


def test_all_kinds_are_asked_and_no_question_twice() -> None:
    questions = archive().questions
    counts = Counter(q["kind"] for q in questions)
    assert set(counts) == KINDS
    assert counts["lookup"] >= 20
    assert len({q["question"] for q in questions}) == len({q["id"] for q in questions}) == len(questions)
    assert {q["difficulty"] for q in questions} == {"easy", "hard"}


def test_columns_are_named_so_that_only_one_fits() -> None:
    """A quoted heading, or heading under heading, means one column of its table."""
    made = archive()
    for question in made.questions:
        quoted = re.search(r"(?:for|column) “([^”]+)”(?: under “([^”]+)”)?", question["question"])
        if quoted is None or question["kind"] in ("chart", "ratio"):
            continue
        table = made.tables[question["cells"][0]["table"]]
        columns = list(zip(*table["grid"][: table["header_rows"]], strict=True))[table["row_label_cols"] :]
        fitting = []
        for column in columns:
            path = [text for i, text in enumerate(map(plain, column)) if not i or plain(column[i - 1]) != text]
            wanted = [text for text in (quoted[2], quoted[1]) if text]
            if path[-len(wanted) :] == wanted and (quoted[2] or len(path) == 1):
                fitting.append(path)
        assert len(fitting) == 1, (question["question"], fitting)


def plain(heading: str) -> str:
    return re.sub(r"( \(\d+\)| \d/?)+$", "", heading)


def test_revisions_span_two_issues_and_others_one() -> None:
    for question in archive().questions:
        assert len(question["docs"]) == (2 if question["kind"] == "revision" else 1)
