"""Figures of stored runs: means over repeats, denominators, intervals."""

from pathlib import Path
from typing import Any

import pytest
from tests.support.orchestration import BERTH, SHORT, TinyTeam

from worktrial.engine.record import SampleRecord
from worktrial.engine.run import run_trial
from worktrial.engine.run_plan import RunSettings
from worktrial.engine.stored import StoredRun, open_run
from worktrial.errors import SettingError
from worktrial.named_agents import resolve_agent
from worktrial.suites.orchestration import suite
from worktrial.suites.orchestration.figures.free import cascade_gaps, differences, free_figures
from worktrial.suites.orchestration.figures.turns import METRICS, LanguageFigures, language_figures
from worktrial.suites.orchestration.options import Scoring
from worktrial.suites.orchestration.planning.scenario import Language
from worktrial.suites.orchestration.run.free.trial import FreeSettings, FreeTrial
from worktrial.suites.orchestration.run.ground import Groundwork, load_tasks
from worktrial.suites.orchestration.run.turns import OrchestrationTrial, Settings


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return TinyTeam({"EN/1": BERTH, "EN/2": SHORT}).write(tmp_path_factory.mktemp("data"))


def _run(data: Path, folder: Path, team: str, *, free: bool = False, **settings: Any) -> StoredRun:
    release, tasks = load_tasks(data, [Language.EN])
    if free:
        settings = {"simulated": False, **settings}
        trial: Any = FreeTrial(Groundwork(release, tasks, resolve_agent(team, suite)), FreeSettings(**settings))
    else:
        trial = OrchestrationTrial(Groundwork(release, tasks, resolve_agent(team, suite)), Settings(**settings))
    run_trial(trial, {}, RunSettings(folder=folder))
    return open_run(folder)


def _by_scoring(records: list[SampleRecord]) -> dict[Scoring, LanguageFigures]:
    return {figures.scoring: figures for figures in language_figures(records)}


def test_every_figure_of_the_gold_with_its_floors(data: Path, tmp_path: Path) -> None:
    figures = _by_scoring(_run(data, tmp_path / "run", "gold").records)
    assert list(figures) == [Scoring.OURS, Scoring.PUBLISHED]
    ours = figures[Scoring.OURS]
    assert {metric: ours.figures[metric].value for metric in METRICS} == dict.fromkeys(METRICS, 1.0)
    assert ours.macro is not None
    assert figures[Scoring.PUBLISHED].macro is None
    assert (ours.scenarios, ours.repeats, ours.requests, ours.troubled) == (2, 1, 9, 0)
    for found in figures.values():
        assert [floor.name for floor in found.floors] == ["always_call", "always_refuse", "fill_from_words"]
        for floor in found.floors:
            for metric in METRICS:
                value, interval = floor.figures[metric].value, floor.figures[metric].interval
                assert value is not None and interval is not None
                assert interval.low <= value <= interval.high


@pytest.mark.parametrize("team", ["always-call", "always-refuse", "fill-from-words"])
def test_a_floor_is_what_its_team_gets(team: str, data: Path, tmp_path: Path) -> None:
    for figures in language_figures(_run(data, tmp_path / "run", team).records):
        (floor,) = (floor for floor in figures.floors if floor.name == team.replace("-", "_"))
        assert floor.figures == figures.figures


def test_repeats_are_means_and_do_not_narrow_the_interval(data: Path, tmp_path: Path) -> None:
    """A repeat of a scenario is no further scenario: three equal repeats say as much as one."""
    once = _by_scoring(_run(data, tmp_path / "once", "always-call").records)
    thrice = _by_scoring(_run(data, tmp_path / "thrice", "always-call", repeats=3).records)
    for mode in Scoring:
        assert (thrice[mode].scenarios, thrice[mode].repeats) == (2, 3)
        for metric in METRICS:
            one, three = once[mode].figures[metric], thrice[mode].figures[metric]
            assert three.value == pytest.approx(one.value)
            assert one.interval is not None and three.interval is not None
            assert tuple(three.interval) == pytest.approx(tuple(one.interval))


def test_the_mean_of_a_good_and_a_bad_repeat(data: Path, tmp_path: Path) -> None:
    good, bad = _run(data, tmp_path / "good", "gold"), _run(data, tmp_path / "bad", "always-refuse")
    mixed = good.records + [_as_repeat(record, 1) for record in bad.records]
    for mode in Scoring:
        of = {name: _by_scoring(records)[mode] for name, records in _named(good, bad, mixed).items()}
        for metric in METRICS:
            values = [of[name].figures[metric].value for name in ("good", "bad")]
            assert of["mixed"].figures[metric].value == pytest.approx(sum(v or 0 for v in values) / 2)


def _named(good: StoredRun, bad: StoredRun, mixed: list[SampleRecord]) -> dict[str, list[SampleRecord]]:
    return {"good": good.records, "bad": bad.records, "mixed": mixed}


def _as_repeat(record: SampleRecord, repeat: int) -> SampleRecord:
    names = [name for name in record.__struct_fields__ if name != "repeat"]
    return SampleRecord(repeat=repeat, **{name: getattr(record, name) for name in names})


def test_one_scenario_has_no_interval(data: Path, tmp_path: Path) -> None:
    records = [r for r in _run(data, tmp_path / "run", "gold").records if r.sample == "EN/1"]
    for figures in language_figures(records):
        assert all(estimate.interval is None for estimate in figures.figures.values())


def test_a_run_that_has_no_sample_yet(data: Path) -> None:
    assert language_figures([]) == []
    assert free_figures([]) == []


def test_what_running_free_reached(data: Path, tmp_path: Path) -> None:
    (figures,) = free_figures(_run(data, tmp_path / "free", "gold", free=True).records)
    assert (figures.language, figures.condition, figures.scenarios, figures.stuck) == ("EN", "E0", 2, 0)
    assert all(estimate.value == 1 for estimate in figures.figures.values())
    assert sum(figures.first_failures.values()) == 0


def test_the_gap_is_what_is_missing_when_running_free(data: Path, tmp_path: Path) -> None:
    turns = _run(data, tmp_path / "turns", "gold")
    free = _run(data, tmp_path / "free", "always-refuse", free=True)
    (gap,) = cascade_gaps(free, turns)
    assert (gap.language, gap.scenarios) == ("EN", 2)
    found = {metric: gap.gap[metric].value for metric in gap.gap}
    plan = found.pop("plan")
    assert found == {"completed": 1.0, "goals": 1.0, "calls": 1.0}
    # Its plan is the same everywhere, and somewhat like any.
    assert plan is not None and 0 < plan < 1
    assert differences(free, turns) == ["agent"]
    with pytest.raises(SettingError, match="not a turn-by-turn run"):
        cascade_gaps(free, free)
