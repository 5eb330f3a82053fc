"""Quick version of the proof: 200 draws, fixed seeds."""

import numpy as np
import pytest
from benchmarks.coverage import covered, designs, too_many, wrong_decisions
from benchmarks.coverage_surfaces import (
    chosen_on,
    coverage,
    held_back,
    too_few,
    wrong_conclusions,
)

DRAWS = 200
NEAR = [designs()[n] for n in (1, 7, 22)]
"""12 and 43 tasks alone, 43 three times."""
FAMILIES = {family.name: family for family in (*chosen_on(), *held_back())}


@pytest.mark.parametrize("design", NEAR, ids=str)
def test_intervals_hold_the_truth(design: object) -> None:
    for share in covered(design, DRAWS, 4):  # type: ignore[arg-type]
        assert not too_few(round(share * DRAWS), DRAWS)


@pytest.mark.parametrize("design", NEAR, ids=str)
def test_decisions_are_seldom_wrong(design: object) -> None:
    for wrong in wrong_decisions(design, DRAWS, 4).values():  # type: ignore[arg-type]
        assert not too_many(round(wrong * DRAWS), DRAWS)


@pytest.mark.parametrize("name", ["43, 1, 0.3, 0.8", "easy or hopeless, 43 tasks"])
def test_what_the_surfaces_state_holds(name: str) -> None:
    found = coverage(FAMILIES[name], DRAWS, 4)
    assert {"show: rate", "report: cost", "compare: work", "compare: R", "gate: R"} <= found.said.keys()
    missed = [surface for surface, said in found.said.items() if too_few(found.held[surface], said)]
    assert not missed
    # What `power` says of the same two runs is what `compare` does.
    assert found.claimed is not None and abs(found.claimed - found.found) < 0.12


@pytest.mark.parametrize(
    "name", ["43, 1, 0.3, 0.8", "40 in 10, 1, 0.3, 0.2", "sizes with a heavy tail, 20 clusters"]
)
def test_who_is_worse_is_seldom_called_as_good(name: str) -> None:
    assert not too_many(wrong_conclusions(FAMILIES[name], DRAWS, 4), DRAWS)


def test_a_count_that_would_miss_is_seen() -> None:
    """The limits are no rubber stamp: 87 % of 200 is too few, 11 % wrong too many."""
    assert too_few(174, DRAWS) and not too_few(184, DRAWS)
    assert too_many(22, DRAWS) and not too_many(12, DRAWS)
    assert np.isclose(FAMILIES["easy or hopeless, 43 tasks"].mean, 0.6 * 0.95 + 0.4 * 0.05)
