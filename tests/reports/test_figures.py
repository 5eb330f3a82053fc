import pytest

from worktrial.reports import figures
from worktrial.statistics import Interval


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        (figures.percent(0.6234), "62.3%"),
        (figures.percent(1.0), "100.0%"),
        (figures.percent(-0.0001), "0.0%"),
        (figures.percent(None), "–"),
        (figures.percent(float("nan")), "–"),
        (figures.percent_interval(Interval(0.51, 0.7244)), "51.0–72.4%"),
        (figures.percent_interval(Interval(float("nan"), 1)), ""),
        (figures.dollars(0.0), "$0.00"),
        (figures.dollars(0.0401), "$0.0401"),
        (figures.dollars(0.00004), "$0.000040"),
        (figures.dollars(1234.5), "$1,234.50"),
        (figures.dollars(-2), "-$2.00"),
        (figures.seconds(0.04), "40\u00a0ms"),
        (figures.seconds(0.9999), "1.0\u00a0s"),
        (figures.seconds(59.97), "1\u00a0min 0\u00a0s"),
        (figures.seconds(250), "4\u00a0min 10\u00a0s"),
        (figures.number(12345), "12,345"),
        (figures.number(0.25), "0.25"),
        (figures.number(12345.6), "12,346"),
        (figures.number(float("inf")), "–"),
    ],
)
def test_numbers_are_written_the_same_everywhere(shown: str, expected: str) -> None:
    assert shown == expected
