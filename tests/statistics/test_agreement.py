import random
import warnings

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from worktrial.statistics import Agreement, agreement, cohen, pairwise_cohen

# Here, not in a test: loading it takes longer than an example of a property may.
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from statsmodels.stats.inter_rater import cohens_kappa, fleiss_kappa

Y, N = True, False
equal_votes = st.integers(2, 6).flatmap(
    lambda n: st.lists(st.lists(st.booleans(), min_size=n, max_size=n), min_size=1, max_size=30)
)
any_votes = st.lists(st.lists(st.sampled_from([Y, N, None]), max_size=5), max_size=30)


@given(equal_votes)
def test_same_as_statsmodels_on_equal_votes(samples: list[list[bool]]) -> None:
    assume(len({vote for votes in samples for vote in votes}) == 2)
    oracle = fleiss_kappa([[votes.count(Y), votes.count(N)] for votes in samples], method="fleiss")
    found = agreement(samples)
    assert found.kappa == pytest.approx(float(oracle), abs=1e-12)
    assert found.samples == len(samples)


def test_worked_example_with_missing_votes() -> None:
    # Shares for: 1, 1/2, 2/3, 0, 1 (mean 19/30); observed: 1, 0, 1/3, 1, of the samples with two votes or more.
    found = agreement([[Y, Y], [Y, N, None], [Y, N, Y], [None, N, N], [None, Y, None], [None, None]])
    by_chance = (19 / 30) ** 2 + (11 / 30) ** 2
    assert found.pairwise == pytest.approx(7 / 12)
    assert found.kappa == pytest.approx((7 / 12 - by_chance) / (1 - by_chance))
    assert (found.samples, found.single) == (4, 1)


def test_where_kappa_has_no_meaning() -> None:
    assert agreement([]) == Agreement(None, None, 0, 0)
    assert agreement([[Y], [None], []]) == Agreement(None, None, 0, 1)
    assert agreement([[Y, Y], [Y, Y, Y]]) == Agreement(None, 1.0, 2, 0)
    assert agreement([[N, N]] * 3) == Agreement(None, 1.0, 3, 0)
    assert agreement([[Y, Y], [N, N]]) == Agreement(1.0, 1.0, 2, 0)


@given(any_votes)
def test_bounds_and_symmetry(samples: list[list[bool | None]]) -> None:
    found = agreement(samples)
    assert found.pairwise is None or 0 <= found.pairwise <= 1
    assert found.kappa is None or found.kappa <= 1
    swapped = agreement([[None if v is None else not v for v in votes] for votes in samples])
    assert (
        swapped.kappa == pytest.approx(found.kappa, abs=1e-9) if found.kappa is not None else swapped.kappa is None
    )


def test_first_votes_undo_the_bias_of_early_stopping() -> None:
    draw = random.Random(7)
    full = [[draw.random() < p for _ in range(3)] for p in (draw.random() for _ in range(20_000))]
    stopped = [votes[:2] if votes[0] == votes[1] else votes for votes in full]
    truth = agreement(full)
    assert truth.kappa is not None and truth.pairwise is not None
    biased, mended = agreement(stopped), agreement(stopped, first=2)
    assert biased.kappa is not None and mended.kappa is not None
    assert mended == agreement(full, first=2)
    assert abs(mended.kappa - truth.kappa) < 0.02
    assert abs(biased.kappa - truth.kappa) > 0.05


def test_first_needs_a_pair() -> None:
    with pytest.raises(ValueError, match="at least 2"):
        agreement([[Y, N]], first=1)


ratings = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=40)


@given(ratings)
def test_cohen_is_the_same_as_statsmodels(pairs: list[tuple[bool, bool]]) -> None:
    table = [[sum(pair == (a, b) for pair in pairs) for b in (Y, N)] for a in (Y, N)]
    found = cohen(pairs)
    if found is None:
        assert {len(set(pairs)), len(set(pairs[0]))} == {1}
    else:
        assert found == pytest.approx(float(cohens_kappa(table, return_results=False)), abs=1e-12)
    assert cohen([(b, a) for a, b in pairs]) == found


def test_cohen_of_a_table() -> None:
    # 20 yes-yes, 5 yes-no, 10 no-yes, 15 no-no: observed 0.7, by chance 0.5, so kappa is 0.4.
    pairs: list[tuple[bool | None, bool | None]] = [(Y, Y)] * 20 + [(Y, N)] * 5 + [(N, Y)] * 10 + [(N, N)] * 15
    assert cohen(pairs) == pytest.approx(0.4)
    assert cohen([*pairs, (None, Y), (N, None)]) == pytest.approx(0.4)
    assert cohen([]) is cohen([(Y, None)]) is cohen([(Y, Y)] * 3) is None
    assert cohen([(Y, N)] * 3) == 0
    assert cohen([(Y, N), (N, Y)]) == -1


def test_pairwise_cohen() -> None:
    samples = [(Y, Y, N), (N, N, Y), (Y, Y, Y), (N, N, None)]
    found = pairwise_cohen(samples)
    assert found.by_pair == (1.0, cohen([(a, c) for a, _, c in samples]), cohen([(b, c) for _, b, c in samples]))
    assert found.mean == pytest.approx(sum(k for k in found.by_pair if k is not None) / 3)
    assert pairwise_cohen([]).mean is pairwise_cohen([(Y,)]).mean is None
    assert pairwise_cohen([(Y, Y, N), (Y, N, Y)]).by_pair[0] == 0
    with pytest.raises(ValueError, match="one vote of each judge"):
        pairwise_cohen([(Y, N), (Y,)])
