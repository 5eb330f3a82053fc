import pytest
from hypothesis import given
from hypothesis import strategies as st

from worktrial.archive.meaning.value import ValueKind, split_marks, value_of


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1,234", 1234),
        ("-21 r", -21),
        ("−1,450", -1450),
        ("(1,234)", -1234),
        ("$5.2", 5.2),
        ("-$5.2", -5.2),
        ("76.1%", 76.1),
        ("1,580 4/", 1580),
        ("557 4/", 557),
        ("376r", 376),
        ("r 1,234", 1234),
        ("12 *", 12),
        ("4-1/8", 4.125),
        ("2 1/2", 2.5),
        ("-3/4", -0.75),
        (".5", 0.5),
        ("1.234.567", 1234567),
        ("776,531 8", 776531),
        ("+3", 3),
    ],
)
def test_numbers(text: str, number: float) -> None:
    assert value_of(text).number == number


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("-", ValueKind.NIL),
        ("—", ValueKind.NIL),
        ("....", ValueKind.NIL),
        ("- r", ValueKind.NIL),
        ("*", ValueKind.SMALL),
        ("(*)", ValueKind.SMALL),
        ("n.a.", ValueKind.UNKNOWN),
        ("N/A", ValueKind.UNKNOWN),
        ("  ", ValueKind.BLANK),
        ("12/31/2018", ValueKind.TEXT),
        ("12,34", ValueKind.TEXT),
        ("1939-40", ValueKind.TEXT),
        ("Total (1)", ValueKind.TEXT),
        ("+-3", ValueKind.TEXT),
    ],
)
def test_what_is_no_number(text: str, kind: ValueKind) -> None:
    assert value_of(text).kind == kind
    assert value_of(text).number is None


@given(st.integers(-(10**12), 10**12), st.integers(0, 3), st.sampled_from(["", " r", " 4/", " p", "*", " 4/ r"]))
def test_what_is_printed_is_read_back(units: int, decimals: int, mark: str) -> None:
    number = units / 10**decimals
    value = value_of(f"{number:,.{decimals}f}{mark}")
    assert value.number == pytest.approx(number, abs=10**-decimals / 4)
    assert value.decimals == decimals


@given(st.integers(1, 10**9))
def test_all_signs_of_a_negative_number_agree(size: int) -> None:
    texts = [f"-{size:,}", f"−{size:,}", f"–{size:,}", f"({size:,})", f"- {size:,}", f"-${size:,}"]
    assert {value_of(text).number for text in texts} == {-size}


@given(st.text(max_size=20))
def test_any_text_has_a_value_of_some_kind(text: str) -> None:
    value = value_of(text)
    assert (value.number is not None) == (value.kind is ValueKind.NUMBER)


@pytest.mark.parametrize(
    ("text", "body", "marks"),
    [
        ("Bonds 1/", "Bonds", ("1/",)),
        ("Bonds1/", "Bonds", ("1/",)),
        ("Official institutions 1", "Official institutions", ("1",)),
        ("Official institutions¹", "Official institutions", ("1",)),
        ("Other liabilities 2, 4", "Other liabilities", ("2, 4",)),
        ("Oct. r", "Oct.", ("r",)),
        ("8,432 r 4/", "8,432", ("r", "4/")),
        ("Total (1)", "Total (1)", ()),
        ("year", "year", ()),
        ("1,234", "1,234", ()),
        ("1/", "1/", ()),
    ],
)
def test_marks(text: str, body: str, marks: tuple[str, ...]) -> None:
    assert split_marks(text) == (body, marks)


@given(st.text(max_size=30))
def test_what_has_lost_its_marks_has_none_left(text: str) -> None:
    body = split_marks(text).body
    assert split_marks(body).body == body
