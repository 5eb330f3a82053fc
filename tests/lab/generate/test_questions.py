"""Every answer follows from the cells that its question names, by arithmetic that is not the generator's."""

import re
from collections import Counter
from dataclasses import replace
from decimal import ROUND_HALF_UP, Decimal
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from lab.generate.generate import Plan, Style, questions_of
from lab.generate.issue import document_name, make_issue, outlines
from lab.generate.questions import questions_about
from lab.generate.questions.harder import OR_ABSENT
from lab.generate.questions.question import Kind
from lab.generate.truth import tables_of
from lab.generate.world import World
from tests.lab.generate.made import archive

from worktrial.suites.documents.answers import our_score

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


def harder(seed: int) -> list[dict[str, Any]]:
    world, plan = World(seed), Plan(90, seed, Style.BOTH, 20, harder=True)
    return [one.row() for one in questions_of(plan, world, outlines(world, plan.pages))]


def recomputed_harder(question: dict[str, Any]) -> str:
    cells, kind = question["cells"], question["kind"]
    if kind == "absent":
        return "absent"
    if kind == "disagreeing":
        labels = [a["row_label"] for a, b in zip(cells[::2], cells[1::2], strict=True) if figure(a) != figure(b)]
        return "; ".join(f"{next(m for m in MONTHS if m.startswith(label[-1][:3]))} {label[0]}" for label in labels)
    figures = [figure(cell) for cell in cells]
    if kind == "restated":
        value = max(figures) - min(figures)
    elif kind == "other_units":
        value = figures[0] / (figures[1] * 1000) * 100
    elif kind == "chart":
        value = figures[0] - figures[1]
    elif kind == "calendar_vs_fiscal":
        value = sum(figures[:-1], Decimal()) - figures[-1]
    else:
        value = figures[0]
    return f"{value.quantize(Decimal(1).scaleb(-question['decimals']), ROUND_HALF_UP):,}"


def test_harder_questions_follow_from_their_cells_and_are_of_every_kind() -> None:
    asked = harder(11)
    assert len(asked) == 20
    assert Counter(one["kind"] for one in asked) == {
        "restated": 2, "latest": 2, "disagreeing": 2, "other_units": 3, "footnote": 2,
        "scan": 3, "absent": 2, "chart": 2, "calendar_vs_fiscal": 2,
    }  # fmt: skip
    for question in asked:
        assert recomputed_harder(question) == question["answer"], question
        # Whether an answer may be absent tells nothing.
        assert question["question"].endswith(OR_ABSENT) == (question["kind"] in ("absent", "scan"))
        if question["kind"] in ("restated", "latest"):
            assert len({cell["doc"] for cell in question["cells"]}) == len(question["cells"]) > 2


def test_an_absent_month_stands_in_no_row_of_the_tables_it_is_asked_of() -> None:
    world = World(11)
    printed = {
        (place.document, table.name, row.path)
        for outline in outlines(world, 90)
        for place, table in tables_of(make_issue(world, outline))
        for row in table.rows
    }
    absent = [one for one in harder(11) if one["kind"] == "absent"]
    for question in absent:
        name = re.search("“([^”]+)”", question["question"])
        when = re.search(rf"({'|'.join(MONTHS)}) (\d{{4}}), in", question["question"])
        assert name and when
        document = question["cells"][0]["doc"]
        assert (document, name[1], tuple(question["cells"][0]["row_label"])) in printed
        assert not any(
            doc == document and title == name[1] and path[0] == when[2] and path[-1].startswith(when[1][:3])
            for doc, title, path in printed
        )
        assert our_score("absent", f"<FINAL_ANSWER>{question['answer']}</FINAL_ANSWER>", unit="millions").score
        assert not our_score("absent", "<FINAL_ANSWER>141</FINAL_ANSWER>", unit="millions").score


def test_the_last_issue_that_prints_a_figure_is_the_last_of_the_archive_that_does() -> None:
    world = World(11)
    near = [replace(outline, pages=8) for outline in outlines(world, 10_000)[:6]]
    assert near[3].reported.issue - near[2].reported.issue < 60
    asked = questions_about(world, near, 20, harder=True)
    last = {document_name(outline.reported.issue) for outline in near[3:]}
    latest = [{cell.doc for cell in one.asked.cells} for one in asked if one.asked.kind is Kind.LATEST]
    assert latest and all(documents <= last for documents in latest)
