"""Agreement beyond chance of raters, with intervals by clusters."""

import warnings
from random import Random

import pytest

from worktrial.statistics import agreement, cohen, rater_agreement

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from statsmodels.stats.inter_rater import cohens_kappa

Y, N = True, False


def _apart(votes: list[tuple[bool | None, ...]]) -> list[tuple[str, tuple[bool | None, ...]]]:
    return [(str(n), own) for n, own in enumerate(votes)]


def test_two_raters_are_cohens_and_more_are_fleiss() -> None:
    draw = Random(3)
    pairs = [(draw.random() < 0.7, draw.random() < 0.6) for _ in range(40)] + [(Y, Y)] * 20
    table = [[sum(pair == (a, b) for pair in pairs) for b in (Y, N)] for a in (Y, N)]
    found = rater_agreement(_apart([*pairs, (Y, None), (None, None)]))
    assert found is not None and (found.samples, found.clusters) == (60, 60)
    assert found.kappa.value == pytest.approx(float(cohens_kappa(table).kappa)) == pytest.approx(cohen(pairs))
    three = [(*pair, draw.random() < 0.5 if n % 3 else None) for n, pair in enumerate(pairs)]
    found, whole = rater_agreement(_apart(three)), agreement(three)
    assert found is not None and found.kappa.value == pytest.approx(whole.kappa)
    assert found.observed.value == pytest.approx(whole.pairwise)


def test_ac1_where_kappa_is_a_paradox() -> None:
    # 118 + 2 equal of 125: by hand p = 0.96, pi = 241/250, e = 2 * 241/250 * 9/250.
    pairs = [(Y, Y)] * 118 + [(N, N)] * 2 + [(Y, N)] * 2 + [(N, Y)] * 3
    found = rater_agreement(_apart(pairs))
    assert found is not None and found.kappa.value is not None and found.ac1.value is not None
    by_chance = 2 * 241 / 250 * 9 / 250
    assert found.ac1.value == pytest.approx((0.96 - by_chance) / (1 - by_chance))
    assert found.kappa.value < 0.5 < 0.95 < found.ac1.value
    assert found.ac1.interval is not None and found.ac1.interval.low < found.ac1.value < found.ac1.interval.high


def test_repeats_of_a_task_are_one_cluster() -> None:
    votes = [(Y, Y), (Y, N), (N, N), (Y, Y), (N, Y), (Y, Y), (N, N), (Y, Y)]
    once = rater_agreement(_apart(votes))
    thrice = rater_agreement([(cluster, own) for cluster, own in _apart(votes) for _ in range(3)])
    assert once is not None and thrice is not None and thrice.samples == 24 and thrice.clusters == 8
    assert thrice.kappa.value == pytest.approx(once.kappa.value)
    assert thrice.kappa.interval == pytest.approx(once.kappa.interval)


def test_where_there_is_nothing_to_say() -> None:
    assert rater_agreement([]) is None and rater_agreement(_apart([(Y, None), (None, N)])) is None
    alike = rater_agreement(_apart([(Y, Y)] * 5))
    assert alike is not None and alike.kappa.value is None and alike.ac1.value == 1
    assert alike.ac1.interval is not None and alike.ac1.interval.low < 0.7
    single = rater_agreement([("one", (Y, Y)), ("one", (N, N))])
    assert single is not None and single.kappa.value == 1 and single.kappa.interval is None
    with pytest.raises(ValueError, match="each rater"):
        rater_agreement(_apart([(Y, N), (Y, N, Y)]))


def test_intervals_hold_what_two_raters_would_come_to() -> None:
    # Work that is right in 7 of 10 cases, and raters that each see it in 85 of 100: all figures follow.
    draw = Random(11)
    truth = {"observed": 0.85**2 + 0.15**2}
    yes = 0.7 * 0.85 + 0.3 * 0.15
    by_chance = {"kappa": yes**2 + (1 - yes) ** 2, "ac1": 2 * yes * (1 - yes)}
    truth |= {name: (truth["observed"] - e) / (1 - e) for name, e in by_chance.items()}
    held = dict.fromkeys(truth, 0)
    trials = 200
    for _ in range(trials):
        right = [draw.random() < 0.7 for _ in range(40)]
        found = rater_agreement(_apart([tuple(one == (draw.random() < 0.85) for _ in range(2)) for one in right]))
        assert found is not None
        for name in held:
            interval = getattr(found, name).interval
            held[name] += interval.low <= truth[name] <= interval.high
    assert all(0.9 * trials <= count for count in held.values()), held
