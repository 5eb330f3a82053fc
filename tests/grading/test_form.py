"""Forms that are compiled when a text shows their sign: they find what their pattern finds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worktrial.grading.written import claims, dates, numbers, times
from worktrial.grading.written.form import WrittenForm

FORMS = [
    one
    for module in (dates, times, numbers, claims)
    for value in vars(module).values()
    for one in (value if isinstance(value, tuple) else (value,))
    if isinstance(one, WrittenForm)
]
WRITTEN = [
    *(
        "2:50 PM",
        "14h50",
        "14H50",
        "1450 hrs",
        "1450\nH",
        "noon",
        "MIDNIGHT",
        "mıdday",
        "2 this evening",
        "at night",
    ),
    *(
        "3 o'clock in the AFTERNOON",
        "오후 2시 50분",
        "두 시 반",
        "정오",
        "13-15시",
        "자정에",
        "20250519",
        "2025. 5. 19",
        "MAY 19th",
    ),
    *(
        "19 May 2025",
        "12 ſeptember",
        "5월 19일",
        "2025년 5월 19일",
        "이천칠백 원",
        "세 개",
        "스물두 명",
        "오백만",
        "2 a.m.",
    ),
    *("2.50 p.M.", "٢h٣٠", "1/2", "nothing at all", " of ", "\n", ", ", "("),
]


def test_that_there_are_forms() -> None:
    assert len(FORMS) == 5 + 8 + 2 + 2


@given(st.lists(st.sampled_from(WRITTEN) | st.text(max_size=6), max_size=8))
def test_a_sign_hides_nothing(parts: list[str]) -> None:
    text = " ".join(parts)
    for form in FORMS:
        plainly = [match.span() for match in form.pattern.finditer(text)]
        assert [match.span() for match in form.finditer(text)] == plainly


@pytest.mark.parametrize("form", FORMS[:-2], ids=lambda form: form.pattern.pattern[-30:])
def test_a_pattern_is_compiled_with_its_first_sign(form: WrittenForm) -> None:
    fresh = WrittenForm(form.pattern.pattern, form._sign.pattern)
    assert [*fresh.finditer("they are all told")] == []
    assert "pattern" not in vars(fresh)
    assert [*fresh.finditer(" ".join(WRITTEN))]
    assert "pattern" in vars(fresh)
