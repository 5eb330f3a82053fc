from codecs import BOM_UTF8
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.support.data import real_data_dir
from tests.support.occubench import SCENARIOS, TASKS, WORKPLACES, TinyRelease

from worktrial.errors import DataError
from worktrial.suites.occupations.load import load_release
from worktrial.suites.simulated.tasks import check_tasks


def _change(name: str, change: Callable[[bytes], bytes]) -> Callable[[Path], object]:
    return lambda folder: (folder / name).write_bytes(change((folder / name).read_bytes()))


def _without(name: str) -> Callable[[Path], object]:
    def remove(folder: Path) -> None:
        place = folder / name
        if place.is_dir():
            for file in place.iterdir():
                file.unlink()
            place.rmdir()
        else:
            place.unlink()

    return remove


BROKEN: dict[str, tuple[Callable[[Path], object], list[str]]] = {
    "no task file": (_without(TASKS), [TASKS, "no such file"]),
    "no scenario pool": (_without(SCENARIOS), [SCENARIOS, "no such file"]),
    "no workplaces": (_without(WORKPLACES), [WORKPLACES, "no such folder"]),
    "no workplace file": (lambda d: [f.unlink() for f in (d / WORKPLACES).iterdir()], ["holds no env_*.json"]),
    "task file empty": (_change(TASKS, lambda b: b""), [TASKS, "holds no task"]),
    "task line cut off": (_change(TASKS, lambda b: b[:-30]), [f"{TASKS}:4", "breaks off"]),
    "task line not UTF-8": (_change(TASKS, lambda b: b.replace(b"Gannet", b"G\xe4nnet")), [f"{TASKS}:1", "UTF-8"]),
    "task line a list": (_change(TASKS, lambda b: b"[1]\n" + b), [f"{TASKS}:1", "list"]),
    "task line nested without end": (_change(TASKS, lambda b: b"[" * 100_000 + b), [f"{TASKS}:1", "deep"]),
    "id twice": (_change(TASKS, lambda b: b.replace(b'_id": 42', b'_id": 11')), [f"{TASKS}:2", "task_id", "11"]),
    "id missing": (_change(TASKS, lambda b: b.replace(b'"task_id": 42, ', b"")), [f"{TASKS}:2", "task_id", "None"]),
    "id a text": (_change(TASKS, lambda b: b.replace(b'": 42', b'": "42"')), [f"{TASKS}:2", "task_id", "'42'"]),
    "id a truth value": (_change(TASKS, lambda b: b.replace(b'": 42', b'": true')), [f"{TASKS}:2", "task_id"]),
    "scenario damaged": (_change(SCENARIOS, lambda b: b.replace(b'"Port"', b"5")), [f"{SCENARIOS}:1", "domain"]),
    "task file a folder": (lambda d: [(d / TASKS).unlink(), (d / TASKS).mkdir()], [TASKS, "cannot be read"]),
}


@pytest.mark.parametrize("name", BROKEN)
def test_data_that_no_run_could_use_is_refused(name: str, tmp_path: Path) -> None:
    change, words = BROKEN[name]
    change(TinyRelease().write(tmp_path))
    with pytest.raises(DataError) as e:
        load_release(tmp_path)
    assert all(word in str(e.value) for word in words), str(e.value)
    # Every message ends with what to do about it.
    assert ". " in str(e.value)


def test_a_missing_and_an_empty_folder_differ(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"the folder is empty.*Put the OccuBench release"):
        load_release(tmp_path)
    with pytest.raises(DataError, match=r"no such folder.*with data"):
        load_release(tmp_path / "nowhere")


@pytest.mark.parametrize(
    "change",
    [
        lambda b: b.replace(b"\n", b"\n\n  \n"),
        lambda b: b.replace(b"\n", b"\r\n"),
        lambda b: BOM_UTF8 + b,
        lambda b: b.rstrip(b"\n"),
        lambda b: b.replace(b'"env_name"', b'"from_a_later_release": [1], "env_name"'),
    ],
)
def test_harmless_variations_change_nothing(change: Callable[[bytes], bytes], tmp_path: Path) -> None:
    tasks = load_release(TinyRelease().write(tmp_path)).tasks
    for name in (TASKS, SCENARIOS):
        (tmp_path / name).write_bytes(change((tmp_path / name).read_bytes()))
    assert load_release(tmp_path).tasks == tasks
    assert [t.id for t in tasks] == ["11", "42", "7", "108"]
    assert (tasks[1].category, tasks[1].domain, tasks[1].difficulty) == ("Heritage", "Museum", 2)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("difficulty_level", 9),
        ("difficulty_level", "2"),
        ("agent_instruction", None),
        ("agent_instruction", ""),
        ("env_name", ["env_vault"]),
        ("verification_plan", 5),
        ("task_scenario_name", {}),
        ("verification_plan", KeyError),
    ],
)
def test_a_damaged_field_concerns_one_task(field: str, value: Any, tmp_path: Path) -> None:
    release = TinyRelease()
    if value is KeyError:
        del release.task(42)[field]
    else:
        release.task(42)[field] = value
    loaded = load_release(release.write(tmp_path))
    problems = {t.id: t.problem for t in loaded.tasks}
    assert [i for i, p in problems.items() if p] == ["42"]
    assert f"{TASKS}:2" in str(problems["42"])
    assert field in str(problems["42"])
    assert problems["42"] in check_tasks(loaded).problems


def test_the_fingerprint_follows_every_file_but_not_the_place(tmp_path: Path) -> None:
    release = TinyRelease()
    prints = [load_release(release.write(tmp_path / name)).fingerprint for name in ("a", "b")]
    release.workplaces["env_ward"]["state_description"]["today"] = "changed"
    prints.append(load_release(release.write(tmp_path / "c")).fingerprint)
    release.scenarios[0]["domain"] = "Docks"
    prints.append(load_release(release.write(tmp_path / "d")).fingerprint)
    release.task(7)["agent_instruction"] += " Now."
    prints.append(load_release(release.write(tmp_path / "e")).fingerprint)
    assert prints[0] == prints[1]
    assert len(set(prints)) == 4


def test_workplaces_may_be_one_file(tmp_path: Path) -> None:
    loaded = load_release(TinyRelease().write(tmp_path, one_file=True))
    assert not check_tasks(loaded).problems
    assert loaded.workplaces["env_vault"].initial_state["items"] == [{"item": "M-1", "lent_to": None}]


def test_the_check_finds_what_a_run_would_stumble_over(tmp_path: Path) -> None:
    release = TinyRelease()
    release.task(11)["env_name"] = "env_gone"
    release.task(7)["task_scenario_name"] = "Unheard of"
    release.workplaces["env_vault"]["task_initial_state"] = "not JSON"
    report = check_tasks(load_release(release.write(tmp_path)))
    assert (report.tasks, report.scenarios, report.workplaces) == (4, 3, 3)
    assert report.categories == {"Harbour Trade": 2, "Heritage": 1, "Unknown": 1}
    assert len(report.problems) == 2
    assert "task 11" in report.problems[0]
    assert "env_gone" in report.problems[0]
    assert "env_vault.json" in report.problems[1]
    assert "task_initial_state" in report.problems[1]
    assert any("Bed planning" in note for note in report.notes)
    assert any("without an industry: Unheard of" in note for note in report.notes)
    assert any("no task has a solution plan" in note for note in report.notes)


@pytest.mark.real_data
def test_the_published_release_is_whole() -> None:
    release = load_release(real_data_dir() / "occubench")
    report = check_tasks(release)
    assert (report.tasks, report.scenarios, report.workplaces, report.problems) == (382, 100, 382, [])
    assert list(report.categories.values()) == [31, 63, 36, 32, 21, 55, 25, 16, 50, 53]
    assert len({t.domain for t in release.tasks}) <= 65
    assert {t.difficulty for t in release.tasks} == {1, 2, 3}
