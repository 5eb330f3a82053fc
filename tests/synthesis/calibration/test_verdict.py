from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worktrial.synthesis.artifacts import DraftFinding, JobSpec, PassRate, SlotRun
from worktrial.synthesis.calibration.rules import rules_of
from worktrial.synthesis.calibration.sampling import rate_of, verdict

RULES = rules_of(JobSpec(role="clerk"))
PUBLISHED = rules_of(JobSpec(role="clerk", sampling="published"))


def rows(kind: str, passed: int, failed: int, invalid: int = 0) -> list[SlotRun]:
    outcomes = ["pass"] * passed + ["fail"] * failed + ["invalid"] * invalid
    return [
        SlotRun(
            slot="a-1",
            kind="plan" if kind == "plan" else "free",
            number=number,
            content="c",
            outcome=outcome,  # type: ignore[arg-type]
            reason="",
            calls=1,
            seconds=0.1,
            cost=None,
            tokens=5,
        )
        for number, outcome in enumerate(outcomes)
    ]


def plan(passed: int, failed: int, invalid: int = 0) -> PassRate:
    return rate_of(rows("plan", passed, failed, invalid), RULES.plan)


def free(passed: int, failed: int, invalid: int = 0) -> PassRate:
    return rate_of(rows("free", passed, failed, invalid), RULES.free)


NONE = free(0, 0)


@pytest.mark.parametrize(
    ("with_plan", "without", "expected"),
    [
        (plan(4, 0), free(3, 5), "kept"),
        (plan(4, 0), free(12, 0), "trivial"),
        (plan(4, 0), free(0, 12), "too_hard"),
        (plan(0, 4), NONE, "unsolvable"),
        (plan(2, 2), NONE, "undecided"),
        (plan(4, 0), free(20, 4), "undecided"),
        (plan(0, 0, 4), NONE, "invalid"),
        (plan(4, 0), free(1, 0, 8), "invalid"),
    ],
)
def test_verdicts(with_plan: PassRate, without: PassRate, expected: str) -> None:
    found, why = verdict(with_plan, without, [])
    assert found == expected
    # Always with n and the interval.
    assert " of " in why
    assert "rate 0." in why


def test_what_checks_found_comes_first() -> None:
    problem = DraftFinding(check="ghost_tools", artifact="rubric", field="rubric", what="names no tool `find`")
    assert verdict(plan(4, 0), free(3, 5), [problem]) == ("unchecked", "rubric: names no tool `find`")


def test_the_published_rule() -> None:
    one_of_four = rate_of(rows("plan", 1, 3), PUBLISHED.plan)
    all_eight = rate_of(rows("free", 8, 0), PUBLISHED.free)
    none_of_eight = rate_of(rows("free", 0, 8), PUBLISHED.free)
    assert verdict(one_of_four, all_eight, [], rules=PUBLISHED)[0] == "trivial"
    # It drops what is never passed only at the selection.
    assert verdict(one_of_four, none_of_eight, [], rules=PUBLISHED)[0] == "kept"
    none_of_four = rate_of(rows("plan", 0, 4), PUBLISHED.plan)
    assert verdict(none_of_four, NONE, [], rules=PUBLISHED)[0] == "unsolvable"


counts = st.tuples(st.integers(0, 24), st.integers(0, 24), st.integers(0, 24))


@given(counts, counts)
def test_what_is_kept_is_shown_to_be_solvable_and_neither_trivial_nor_too_hard(
    a: tuple[int, int, int], b: tuple[int, int, int]
) -> None:
    with_plan, without = plan(*a), free(*b)
    found, _ = verdict(with_plan, without, [])
    checks: Mapping[str, bool] = {
        "kept": with_plan.low > 0.2 and without.low > 0 and without.high < 0.95,
        "trivial": without.low > 0.7,
        "too_hard": without.passed == 0 and without.high < 0.3,
        "unsolvable": with_plan.high < 0.6,
        "invalid": with_plan.invalid > with_plan.n or without.invalid > without.n,
        "undecided": True,
    }
    assert checks[found]
