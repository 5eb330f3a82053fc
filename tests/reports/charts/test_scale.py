from math import inf, nan

from hypothesis import given
from hypothesis import strategies as st

from worktrial.reports.charts.plot import Scale, scale_of

_VALUES = st.lists(st.none() | st.floats(-1e9, 1e9) | st.sampled_from([nan, inf]), max_size=20)


@given(_VALUES, st.booleans(), st.booleans())
def test_every_value_is_on_its_scale(values: list[float | None], share: bool, from_zero: bool) -> None:
    scale = scale_of(values, share=share, from_zero=from_zero)
    assert scale.low < scale.high
    slack = (scale.high - scale.low) * 1e-6
    for value in values:
        if value is not None and abs(value) < inf:
            assert scale.low - slack <= value <= scale.high + slack
            assert 0 <= scale.share(value) <= 1
    assert 2 <= len(scale.ticks) <= 12
    assert abs(scale.ticks[-1] - scale.high) <= slack


def test_shares_have_the_whole_range_and_round_ticks() -> None:
    assert scale_of([0.2, 0.4], share=True) == Scale(0.0, 1.0, 0.25)
    assert scale_of([0.2, 1.3], share=True).ticks == [0, 0.5, 1.0, 1.5]
    assert scale_of([0.0, 0.3]).ticks == [0.0, 0.1, 0.2, 0.30000000000000004]
    assert scale_of([]) == Scale(0.0, 1.0, 0.25)
