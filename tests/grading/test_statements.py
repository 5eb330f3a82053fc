import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.data import real_data_dir

from worktrial.grading.logprob import LONGEST, statements

LONG = "The agent must have read the complete maintenance log of the pump before it changed any setting at all. "


def test_bullets_and_numbers() -> None:
    assert statements("- One is true.\n* Two is true.\n• Three is true.") == (
        "One is true.",
        "Two is true.",
        "Three is true.",
    )
    assert statements("1. One.\n2) Two.\n(3) Three.\na) Four.") == ("One.", "Two.", "Three.", "Four.")


def test_numbers_in_running_text() -> None:
    assert statements("Check: 1. **Price**: It is 3. 5 is wrong. 2. The tax 1.5 was added. 3. Paid.") == (
        "Price: It is 3. 5 is wrong.",
        "The tax 1.5 was added.",
        "Paid.",
    )


def test_lead_in_goes_with_each_child_since_it_may_negate_it() -> None:
    rubric = "Look at:\n\n1. **Safety**: The agent must not:\n   - open the valve\n   - close the pump\n2. Done."
    assert statements(rubric) == (
        "Safety: The agent must not: open the valve",
        "Safety: The agent must not: close the pump",
        "Done.",
    )


def test_an_introduction_that_names_something_is_kept() -> None:
    assert statements("Verify the work by these steps:\n1. A.\n2. B.") == ("A.", "B.")
    assert statements("Verify that 'LOT_9' arrived by these steps: 1. A. 2. B.") == (
        "Verify that 'LOT_9' arrived by these steps",
        "A.",
        "B.",
    )


def test_bullets_under_a_number_need_no_indentation() -> None:
    assert statements("1. **Result**:\n- A holds.\n- B holds.\n2. **Way**:\n- C holds.") == (
        "Result: A holds.",
        "Result: B holds.",
        "Way: C holds.",
    )


def test_headings_are_context() -> None:
    assert statements("## Outcome\n- A holds.\n\n## Grounding\n- B holds.") == (
        "Outcome: A holds.",
        "Grounding: B holds.",
    )


def test_long_items_fall_into_sentences_with_their_title() -> None:
    end = "It opened the valve, e.g. at 9 a.m. on Monday, as planned. Really."
    assert statements(f"- **Log**: {LONG * 2}{end}\n- Valve check: {LONG * 2}{end}") == (
        f"Log: {LONG}".strip(),
        f"Log: {end}",
        f"Valve check: {LONG}".strip(),
        f"Valve check: {end}",
    )


def test_prose_falls_into_sentences() -> None:
    found = statements(
        LONG + "Dr. Li approved it vs. the rule of approx. 5 bars in the log! " + "Was the answer given? " * 6
    )
    assert found[0] == LONG.strip()
    assert found[1].startswith("Dr. Li approved it vs. the rule of approx. 5 bars in the log!")


def test_emphasis_is_dropped_and_names_are_kept() -> None:
    assert statements("- **Fee** of `item_001` was __paid__ by the_agent") == (
        "Fee of `item_001` was paid by the_agent",
    )


def test_repetitions_are_asked_once() -> None:
    assert statements("- A.\n- A.\n- B.") == ("A.", "B.")


@pytest.mark.parametrize(
    "only", ["Check:", "**Check**", "1. **Check**:", "#", "-", "1.", "Korean 검증하십시오:", "..."]
)
def test_whatever_there_is_becomes_a_statement(only: str) -> None:
    assert len(statements(only)) == 1


@pytest.mark.parametrize("blank", ["", " ", "\n\t\r\n"])
def test_blank(blank: str) -> None:
    assert statements(blank) == ()


@given(st.text(alphabet=st.sampled_from("ab A.:;*-#123) (\n\t`_,!"), max_size=400) | st.text(max_size=1500))
def test_any_text(rubric: str) -> None:
    found = statements(rubric)
    assert bool(found) == bool(rubric.strip())
    assert all(0 < len(s) <= LONGEST and s == s.strip() and "\n" not in s for s in found)
    assert len(set(found)) == len(found)
    assert statements(rubric) == found


@pytest.mark.real_data
def test_published_rubrics() -> None:
    path = real_data_dir() / "occubench" / "eval_benchmark_solvable.jsonl"
    rubrics = [json.loads(line)["verification_plan"] for line in path.read_text("utf-8").splitlines()]
    split = [statements(rubric) for rubric in rubrics]
    assert len(split) == 382
    assert all(1 <= len(found) <= 20 for found in split)
    assert all(20 <= len(s) <= LONGEST for found in split for s in found)
    # Nothing of substance is lost: names and numbers of a rubric come back in its statements, save those
    # of a dropped introduction.
    for rubric, found in zip(rubrics, split, strict=True):
        words = {w.strip("*`'\".,:;()") for w in rubric.split() if any(c.isdigit() for c in w)}
        telling = {w for w in words if len(w) > 3}
        kept = " ".join(found)
        assert sum(w in kept for w in telling) >= 0.8 * len(telling), rubric
