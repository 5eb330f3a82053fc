"""The order of a run's samples: whatever ends it early, conditions and repeats stay comparable."""

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.suites.test_sampling import Tagged
from tests.support.cli import at, command, samples_of
from tests.support.occubench import TinyRelease
from tests.support.scripted_server import ScriptedServer

from worktrial.trial.trial import jobs_under
from worktrial.workplaces.faults import Conditions, FaultMode

MODES = ("E0", "E1", "E2", "E3")


@given(st.integers(1, 9), st.integers(1, 4), st.integers(1, 4), st.integers(0, 200))
def test_every_beginning_has_tried_all_conditions_and_repeats(
    tasks: int, repeats: int, modes: int, done: int
) -> None:
    conditions = Conditions.sweep([FaultMode(name) for name in MODES[:modes]])
    jobs = jobs_under(conditions, [Tagged(str(n), {}) for n in range(tasks)], repeats)
    assert len({job.key for job in jobs}) == len(jobs) == tasks * repeats * modes
    tried = Counter((job.repeat, job.condition) for job in jobs[:done])
    counts = [tried[repeat, name] for repeat in range(repeats) for name in MODES[:modes]]
    assert max(counts) - min(counts) <= 1


@pytest.mark.parametrize("concurrency", [1, 3])
def test_a_budget_that_ends_early_leaves_conditions_comparable(concurrency: int, tmp_path: Path) -> None:
    data, run = TinyRelease().write(tmp_path / "data"), tmp_path / "run"
    with ScriptedServer() as server:
        words = ["run", "occupations", "--data", data, *at(server.url), "--faults", "all", "--repeats", 2]
        words += ["-o", run]
        assert command(*words, "--max-tokens", 45_000, "--concurrency", concurrency).code == 130
        records = samples_of(run)
        assert 8 <= len(records) < 32
        by_condition = Counter(record["condition"] for record in records)
        by_repeat = Counter(record["repeat"] for record in records)
        assert set(by_condition) == set(MODES)
        assert max(by_condition.values()) - min(by_condition.values()) <= concurrency
        assert abs(by_repeat[0] - by_repeat[1]) <= 4 + concurrency
        assert command(*words).code == 0
    assert len({(r["sample"], r["repeat"], r["condition"]) for r in samples_of(run)}) == 32
