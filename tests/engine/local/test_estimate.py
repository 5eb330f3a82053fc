"""How long the embedded model will take."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worktrial.engine.local import CATALOGUE, Speed, estimate, estimate_text, in_words

MEDIUM, SMALL = (e.name for e in CATALOGUE)
ALL = {"agent", "simulator", "judge"}


def test_a_trial_as_measured() -> None:
    assert estimate(1, ALL, model=MEDIUM, speed=Speed(60, 14)) == pytest.approx(65)
    assert estimate(10, ALL, model=SMALL, speed=Speed(130, 24)) == pytest.approx(500)


def test_half_the_speed_takes_twice_as_long_and_fewer_roles_less() -> None:
    whole = estimate(4, ALL, model=MEDIUM, speed=Speed(30, 7))
    assert whole == pytest.approx(4 * 130)
    assert estimate(4, {"agent"}, model=MEDIUM, speed=Speed(30, 7)) < whole


@given(st.integers(0, 5000), st.sampled_from([{"agent"}, {"judge"}, ALL]))
def test_more_samples_never_take_less(samples: int, roles: set[str]) -> None:
    assert 0 <= estimate(samples, roles, model=SMALL) <= estimate(samples + 1, roles, model=SMALL)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "5 s"),
        (41, "45 s"),
        (65, "1 min"),
        (3570, "1 h"),
        (7750, "2 h 10 min"),
        (7200, "2 h"),
        (86_200, "1 day"),
        (273_600, "3 days 4 h"),
    ],
)
def test_a_duration_in_words(seconds: float, words: str) -> None:
    assert in_words(seconds) == words


def test_the_sentence_says_what_the_scores_are_worth() -> None:
    said = estimate_text(120, ALL, model=MEDIUM, speed=Speed(60, 14))
    assert "about 2 h 10 min" in said
    assert "mean nothing about agents" in said
