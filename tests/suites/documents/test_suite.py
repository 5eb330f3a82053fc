"""The suite as everything else knows it: its options, its tasks, its trials."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.support.tiny_archive import tiny_archive, write_questions

from worktrial.agents.candidates import resolve_agent
from worktrial.errors import SettingError
from worktrial.suite import suites
from worktrial.suites.documents import suite
from worktrial.suites.documents.task import DocumentsTrial


def _read(**given: Any) -> Any:
    return suite.every_option.read(given, suite="documents")


async def _says_nothing(assignment: Any) -> str:
    return ""


def _trial(tmp_path: Path, agent: Any = "idle", **given: Any) -> DocumentsTrial:
    where = {"questions": str(write_questions(tmp_path)), "archive": tiny_archive()}
    return suite.trial(_read(**{**where, **given}), resolve_agent(agent, suite), {})


def test_it_is_registered() -> None:
    assert suites.get("documents") is suite


def test_questions_of_a_file_and_those_that_come_along(tmp_path: Path) -> None:
    own = suite.tasks(suite.data(questions=str(write_questions(tmp_path))))
    assert [(row.id, row.difficulty, row.category) for row in own][:1] == [("HB1", "easy", "lookup")]
    assert len(suite.tasks(suite.data())) == 20


def test_earlier_names_of_scores_are_read() -> None:
    assert _read(scorer="official").scorer == "published"
    assert _read(scorer="strict") == _read(scorer="ours")
    with pytest.raises(SettingError, match="scorer"):
        _read(scorer="sound")


@pytest.mark.parametrize(
    ("given", "use"),
    [
        ({}, "sandboxed"),
        ({"no_python": True}, "none"),
        ({"unsafe_python": True}, "unsafe"),
        ({"python": "none"}, "none"),
        ({"python": "none", "no_python": True}, "none"),
    ],
)
def test_python_is_one_choice(given: dict[str, Any], use: str) -> None:
    assert _read(**given).python == use


@pytest.mark.parametrize(
    "given", [{"no_python": True, "unsafe_python": True}, {"python": "unsafe", "no_python": True}]
)
def test_python_is_chosen_once(given: dict[str, Any]) -> None:
    with pytest.raises(SettingError, match="choose one"):
        _read(**given)


def test_an_address_on_the_hub_keeps_its_slashes() -> None:
    assert _read(questions="hf://datasets/a/b/c.csv").questions == "hf://datasets/a/b/c.csv"
    assert _read(questions="q.csv").questions == Path("q.csv")


def test_a_trial_tells_what_it_measures(tmp_path: Path) -> None:
    given = {"tolerance": 0.01, "python": "unsafe", "repeats": 2, "limit": 2}
    trial, options = _trial(tmp_path, agent=_says_nothing, **given), _read(**given)
    assert [job.key[:2] for job in trial.jobs] == [("HB1", 0), ("HB1", 1), ("HB3", 0), ("HB3", 1)]
    measured = trial.settings["options"]
    assert measured["scorer"] == "published" and measured["tolerance"] == 0.01 and measured["setup"] == "archive"
    assert not {"questions", "archive", "repeats", "output", "closed_run"} & set(measured)
    assert json.dumps(trial.settings)
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
