"""The suite as everything else knows it: its options, its tasks, its trials."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from tests.support.tiny_archive import tiny_archive, write_questions

from worktrial.engine import memory
from worktrial.engine.run import run_trials
from worktrial.errors import SettingError, option
from worktrial.named_agents import resolve_agent
from worktrial.suite import suites
from worktrial.suites.documents import suite
from worktrial.trial.trial import ToolTrial
from worktrial.trials import prepare


def _read(**given: Any) -> Any:
    return suite.every_option.read(given, suite="documents")


async def _says_nothing(assignment: Any) -> str:
    return ""


def _trial(tmp_path: Path, agent: Any = "idle", **given: Any) -> ToolTrial[Any]:
    where = {"questions": str(write_questions(tmp_path)), "archive": tiny_archive()}
    return suite.trial(_read(**{**where, **given}), resolve_agent(agent, suite), {})


def test_what_a_sample_may_take_bounds_how_many_run_and_no_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    running: list[int] = []
    reached: asyncio.Event

    async def agent(assignment: Any) -> str:
        running.append(1)
        at_once.append(len(running))
        if len(running) == most:
            reached.set()
        await asyncio.wait_for(reached.wait(), 60)
        # One that should not be there has time to come.
        await asyncio.sleep(0.1)
        running.pop()
        return "<FINAL_ANSWER>4,385</FINAL_ANSWER>"

    given = {"questions": write_questions(tmp_path), "archive": tiny_archive()}
    monkeypatch.setattr(memory, "machine_memory", lambda: 5 << 30)
    told, notices = [], []
    for most, share in ((1, 0.8), (3, 100.0)):
        at_once: list[int] = []
        reached = asyncio.Event()
        prepared = prepare(suite, agent, {**given, "memory_share": share, "output": tmp_path / f"at-most-{most}"})
        notices.append([said for said in prepared.notices if "in flight" in said])
        records = run_trials([prepared.plan])[0].records
        assert max(at_once) == most
        told.append({key: (record.outcome, record.measures["published"]) for key, record in records.items()})
    assert told[0] == told[1] and len(told[0]) == 3
    [[said], nothing] = notices
    assert said.startswith("samples in flight: at most 1 at once, since each may take 2.25 GiB of memory")
    assert option("memory_share") in said and not nothing
    without = prepare(suite, agent, {**given, "python": "none", "output": tmp_path / "none"})
    assert without.settings.concurrency == 16


def test_it_is_registered() -> None:
    assert suites.get("documents") is suite


def test_questions_of_a_file_and_those_that_come_along(tmp_path: Path) -> None:
    own = suite.tasks(suite.data(questions=str(write_questions(tmp_path))))
    assert [(row.id, row.difficulty, row.category) for row in own][:1] == [("HB1", "easy", "lookup")]
    assert len(suite.tasks(suite.data())) == 20


def test_an_address_on_the_hub_keeps_its_slashes() -> None:
    assert _read(questions="hf://datasets/a/b/c.csv").questions == "hf://datasets/a/b/c.csv"
    assert _read(questions="q.csv").questions == Path("q.csv")


def test_a_trial_tells_what_it_measures(tmp_path: Path) -> None:
    given = {"tolerance": 0.01, "python": "unsafe", "repeats": 2, "limit": 2}
    trial, options = _trial(tmp_path, agent=_says_nothing, **given), _read(**given)
    assert [job.key[:2] for job in trial.jobs] == [("HB1", 0), ("HB1", 1), ("HB3", 0), ("HB3", 1)]
    measured = trial.settings["options"]
    assert measured["scorer"] == "ours" and measured["tolerance"] == 0.01 and measured["setup"] == "archive"
    assert not {"questions", "archive", "repeats", "output", "closed_run"} & set(measured)
    assert json.dumps(trial.settings)
    assert _trial(tmp_path, agent=_says_nothing, **given, scorer="published").settings["scorer"] == "published"
    left_out, warning = suite.notices(options, trial)
    assert "1 of 4 questions are left out" in left_out and "WITHOUT a sandbox" in warning


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"archive": None}, "questions: name the archive"),
        ({"questions": None}, "archive: name the questions"),
        ({"tasks": "HB4"}, "nothing is left"),
        ({"setup": "closed", "faults": "E1"}, "makes no calls"),
        ({"closed_run": "nowhere"}, "nowhere"),
    ],
)
def test_options_that_do_not_fit(given: dict[str, Any], words: str, tmp_path: Path) -> None:
    with pytest.raises(Exception, match=words):
        _trial(tmp_path, **given)


def test_missing_packages_are_named_with_their_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.modules", {**__import__("sys").modules, "tantivy": None})
    with pytest.raises(SettingError, match=r"tantivy.*pip install 'worktrial\[documents\]'"):
        _trial(tmp_path)
