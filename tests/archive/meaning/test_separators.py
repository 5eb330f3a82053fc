import pytest

from worktrial.archive.meaning.separators import Separators, separators_of
from worktrial.archive.meaning.value import ValueKind, value_of

GERMAN = "Tabelle 3: Größe der Betriebe und Zahl der Beschäftigten nach Ländern, in den Jahren von 1999 bis 2003"
ENGLISH = "Table 3: size of farms and number of persons employed by the states, for the years from 1999 to 2003"


@pytest.mark.parametrize(
    ("cells", "text", "found"),
    [
        (["1.204,50", "12.345", "7,5"], GERMAN, Separators.CONTINENTAL),
        (["1\u202f204,50", "12 345"], "Les prix de la région et des villes", Separators.CONTINENTAL),
        (["12,345", "1,204"], GERMAN, Separators.UNKNOWN),
        (["12,345.6", "7.5", "0.3"], GERMAN, Separators.ENGLISH),
        (["12.5", "3,7"], GERMAN, Separators.UNKNOWN),
        (["12,345", "1,204"], ENGLISH, Separators.ENGLISH),
        # Recognition takes a point for a comma now and then.
        (["12,5", "1,204", "13.5"], ENGLISH, Separators.ENGLISH),
        (["1.204,5", "7,5", "8,25", "9,1", "10,2"], ENGLISH, Separators.CONTINENTAL),
        ([], "", Separators.ENGLISH),
    ],
)
def test_evidence_decides_and_where_there_is_none_the_language(
    cells: list[str], text: str, found: Separators
) -> None:
    assert separators_of(cells, text) is found


@pytest.mark.parametrize(
    ("text", "separators", "number"),
    [
        ("1.204,50", Separators.CONTINENTAL, 1204.5),
        ("12,345", Separators.CONTINENTAL, 12.345),
        ("12.345", Separators.CONTINENTAL, 12345),
        ("1 204", Separators.CONTINENTAL, 1204),
        ("(1.204,5)", Separators.CONTINENTAL, -1204.5),
        ("-7,5 %", Separators.CONTINENTAL, -7.5),
        ("12,345", Separators.ENGLISH, 12345),
        ("1'204.50", Separators.ENGLISH, 1204.5),
        ("1.204,50", Separators.UNKNOWN, 1204.5),
        ("345", Separators.UNKNOWN, 345),
        ("12.5", Separators.UNKNOWN, 12.5),
    ],
)
def test_numbers_by_their_separators(text: str, separators: Separators, number: float) -> None:
    assert value_of(text, separators).number == number


@pytest.mark.parametrize("text", ["12,345", "-1.204", "€ 12,345"])
def test_a_number_that_may_be_either_has_no_value(text: str) -> None:
    assert value_of(text, Separators.UNKNOWN) == (ValueKind.AMBIGUOUS, None, 0)
