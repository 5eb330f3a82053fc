"""Contradictions between clauses, clauses that nobody cites, and numbers that stand in no clause."""

import pytest

from worktrial.errors import DataError, SettingError
from worktrial.synthesis.clauses import Clause, clause_numbers
from worktrial.synthesis.clauses.contradictions import contradictions, settled
from worktrial.synthesis.clauses.coverage import citations, loose_numbers, loose_words, uncited, unknown


def clause(id: str, quote: str, document: str = "desk", **more: object) -> Clause:
    numbers = clause_numbers(quote)
    return Clause(id=id, document=document, section="1", quote=quote, kind="limit", numbers=numbers, **more)  # type: ignore[arg-type]


LATE = clause("C-01", "the claim for damage arrives within 7 days after delivery")
COVER = clause("C-02", "Basic service 120.00, Plus 600.00")
FEE = clause("C-03", "a fee of 12.5 percent is kept from 1 March 2027 on")
LOSS = clause("C-04", "Loss: the claim arrives within **30 days** after the dispatch day")
CLAUSES = [LATE, COVER, FEE, LOSS]
OTHER = "A claim for damage must arrive within {} after delivery"


@pytest.mark.parametrize(
    ("other", "contradicts"),
    [
        (clause("C-09", OTHER.format("10 days"), "memo"), True),
        (clause("C-09", OTHER.format("7 days"), "memo"), False),
        (clause("C-09", OTHER.format("2 weeks"), "memo"), False),
        (clause("C-09", OTHER.format("10 days"), "memo", overrides=["C-01"]), False),
        (clause("C-09", "the claim for damage arrives within 9 days after delivery"), True),
        (clause("C-09", "A claim on a parcel without scans is opened after 9 days", "memo"), False),
    ],
)
def test_the_same_subject_with_another_number_is_a_contradiction(other: Clause, contradicts: bool) -> None:
    found = contradictions([*CLAUSES, other])
    assert bool(found) == contradicts
    assert all({pair.one.id, pair.other.id} == {"C-01", "C-09"} for pair in found)


def test_precedence_says_which_of_two_holds() -> None:
    memo = clause("C-09", OTHER.format("10 days"), "memo")
    holding, overruled = settled([*CLAUSES, memo], ["memo", "desk"])
    assert (overruled, holding) == ([LATE], [COVER, FEE, LOSS, memo])
    with pytest.raises(SettingError, match="precedence circular"):
        settled(CLAUSES, ["circular"])
    inside = clause("C-09", "the claim for damage arrives within 9 days after delivery")
    with pytest.raises(DataError, match=r"In clauses\.yaml remove one"):
        settled([LATE, inside], ["desk"])


PROGRAM = """
COVER = {"basic": Decimal("120.00"), "plus": 600}

@cites("C-01")
def late(delivered: date, today: date, days: int = 7) -> bool:
    return (today - delivered).days > 7 and today > delivered + timedelta(days=0)

@writes(amount=9)
def fee(amount: Annotated[Decimal, Meta(ge=3)], rows: list[str]) -> str:
    kept = round(amount * Decimal("0.125"), 2) or amount * Decimal("0.875") * 60
    return f"{rows[5]} Z-{100 + len(rows)}"
"""


def numbers(program: str) -> list[tuple[str, str]]:
    return [(f.field, f.what) for f in loose_numbers(program, CLAUSES, "desk", "tools.py")]


MONTHS = """
MONTHS_PER_YEAR = 12

def later(day: date, months: int) -> date:
    years, month = divmod(day.month - 1 + months, 12)
    if month > 12 or day.month == 12:
        month -= MONTHS_PER_YEAR
    return day.replace(year=day.year + years, month=month + 1)
"""


def test_the_months_of_a_year_are_no_rule() -> None:
    assert numbers(MONTHS) == []
    assert [what for _, what in numbers(MONTHS.replace("month > 12", "months > 12"))] == []
    assert numbers(MONTHS.replace("month > 12", "years > 12")) == [
        ("line 6, later", "the number 12 stands in no clause")
    ]


def test_numbers_of_the_clauses_are_no_findings() -> None:
    assert numbers(PROGRAM) == []


@pytest.mark.parametrize(
    ("right", "wrong", "finding"),
    [
        (".days > 7", ".days > 8", ("line 6, late", "the number 8 stands in no clause")),
        (".days > 7", ".days > 30", ("line 6, late", "the number 30 stands in C-04, and none of them is cited")),
        ("= 7)", "= 14)", ("line 5, late", "the number 14 stands in no clause")),
        ('"120.00"', '"150.00"', ("line 2", "the number 150.00 stands in no clause")),
        ("0.125", "0.25", ("line 10, fee", "the number 0.25 stands in no clause")),
    ],
)
def test_a_number_of_no_clause_is_a_finding_with_its_line(right: str, wrong: str, finding: tuple[str, str]) -> None:
    assert numbers(PROGRAM.replace(right, wrong, 1)) == [finding]


def test_numbers_in_the_prose_of_a_workplace_stand_in_clauses_too() -> None:
    text = "Claims arrive within 7 days, P-104 too. The fee is 12.5 %, until 2 May 2027, for 5 crates."
    found = [f.what for f in loose_words(text, CLAUSES, "desk", "workplace.yaml", "system_prompt")]
    assert found == ["the number 2027-05-02 date stands in no clause", "the number 5 crates stands in no clause"]


def test_clauses_that_nobody_cites_and_citations_of_none_are_listed() -> None:
    assert citations(PROGRAM) == {"late": ["C-01"]}
    cited = {id for ids in citations(PROGRAM).values() for id in ids}
    assert uncited(CLAUSES, cited) == ["C-02", "C-03", "C-04"]
    (finding,) = unknown({"late": ["C-01", "C-77"]}, CLAUSES, "tools.py")
    assert (finding.subject, finding.what) == ("late", "cites C-77, which is no clause")
