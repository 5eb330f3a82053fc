"""Loading a suite of one's own."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.support.own_suite import OwnSuite

from worktrial.errors import DataError
from worktrial.suites.occupations.load import load_release
from worktrial.suites.simulated.tasks import check_tasks


def test_the_whole_suite(tmp_path: Path) -> None:
    own = OwnSuite()
    release = load_release(own.write(tmp_path))
    assert (release.title, release.categories) == ("harbour-trial", ["Harbour Trade"])
    first, second = release.tasks
    assert first.tags == {
        "category": "Harbour Trade",
        "domain": "Port",
        "scenario": "Berth planning",
        "difficulty": 2,
        "workplace": "berths-2",
        "language": "en",
    }
    assert second.tags["language"] == "ko"
    assert (first.instruction, first.rubric) == (own.tasks[0]["instruction"], own.tasks[0]["rubric"])
    # An empty reason is not shown to an agent.
    assert first.plan[0] == own.tasks[0]["plan"][0]
    assert first.plan[1] == {"tool": "get_vessel", "arguments": {"vessel_id": "V-7"}}
    assert [tool.name for tool in release.workplaces["berths-2"].tools] == [
        "list_berths",
        "get_vessel",
        "book_berth",
    ]
    assert set(release.workplaces) == {"berths-2", "berths-2-ko"}
    named = {"title": "harbour-trial", "kind": "simulated"}
    assert release.data == {**named, "folder": str(tmp_path), "fingerprint": release.fingerprint}
    report = check_tasks(release)
    assert (report.problems, report.notes, report.categories) == ([], [], {"Harbour Trade": 2})


def test_what_a_task_does_not_say_is_the_suites(tmp_path: Path) -> None:
    own = OwnSuite()
    row = {name: own.tasks[0][name] for name in ("id", "instruction", "rubric", "workplace")}
    own.tasks = [row, {**row, "id": "two", "plan": {"steps": [], "answer": "Done."}}]
    own.suite = {"format": 1, "kind": "suite", "name": "small", "tasks": "own.jsonl", "domain": "Port"}
    own.write(tmp_path)
    (tmp_path / "tasks.jsonl").rename(tmp_path / "own.jsonl")
    release = load_release(tmp_path)
    one, two = release.tasks
    assert (one.category, one.domain, one.scenario, one.difficulty, one.plan) == (
        "small",
        "Port",
        "berths-2",
        1,
        None,
    )
    assert two.plan == {"steps": [], "answer": "Done."}
    assert release.tasks_file == tmp_path / "own.jsonl"


def test_the_fingerprint_is_of_what_a_result_depends_on(tmp_path: Path) -> None:
    def now() -> str:
        return load_release(tmp_path).fingerprint

    own = OwnSuite()
    first = load_release(own.write(tmp_path)).fingerprint
    assert load_release(OwnSuite().write(tmp_path / "elsewhere")).fingerprint == first
    (tmp_path / "work" / "spec.yaml").write_text("role: another\n")
    (tmp_path / "calibration.jsonl").write_text("{}\n")
    (tmp_path / "workplaces" / ".berths-2-new").mkdir()
    (tmp_path / "workplaces" / ".berths-2-new" / "workplace.yaml").write_text("name: half\n")
    (tmp_path / "suite.yaml").write_text(yaml.safe_dump({**own.suite, "counts": {"slots": 48}}))
    assert now() == first
    state = tmp_path / "workplaces" / "berths-2" / "initial_state.yaml"
    state.write_text(state.read_text() + "tide: low\n")
    second = now()
    tasks = tmp_path / "tasks.jsonl"
    tasks.write_text(tasks.read_text().replace("six hours", "seven hours"))
    assert len({first, second, now()}) == 3


def _suite(**change: Any) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        kept = {**OwnSuite().suite, **change}
        text = yaml.safe_dump({name: value for name, value in kept.items() if value is not None})
        (folder / "suite.yaml").write_text(text)

    return write


def _row(**change: Any) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        first, *others = OwnSuite().tasks
        row = {name: value for name, value in {**first, **change}.items() if value is not ...}
        (folder / "tasks.jsonl").write_text("".join(json.dumps(r) + "\n" for r in (row, *others)))

    return write


def _gone(name: str) -> Callable[[Path], None]:
    def remove(folder: Path) -> None:
        for path in sorted((folder / name).rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()
        (folder / name).rmdir() if (folder / name).is_dir() else (folder / name).unlink()

    return remove


BAD: dict[str, tuple[Callable[[Path], None], list[str]]] = {
    "no format": (_suite(format=None), ["suite.yaml", "format is None", "Add `format: 1`"]),
    "a newer format": (_suite(format=2), ["suite.yaml", "format is 2", "newer worktrial"]),
    "another kind": (_suite(kind="run"), ["suite.yaml", "kind", "'run'"]),
    "no name": (_suite(name=None), ["suite.yaml", "name"]),
    "a blank name": (_suite(name=" "), ["suite.yaml", "name"]),
    "tasks elsewhere": (_suite(tasks="../tasks.jsonl"), ["suite.yaml", "tasks", "outside"]),
    "tasks at the root": (_suite(tasks="/tasks.jsonl"), ["suite.yaml", "tasks", "outside"]),
    "tasks that are not there": (_suite(tasks="t.jsonl"), ["t.jsonl", "no such file"]),
    "no mapping": (lambda f: (f / "suite.yaml").write_text("- 1\n"), ["suite.yaml", "mapping"]),
    "no YAML": (lambda f: (f / "suite.yaml").write_text("a: [\n"), ["suite.yaml", "YAML"]),
    "no task": (lambda f: (f / "tasks.jsonl").write_text("\n"), ["tasks.jsonl", "holds no task"]),
    "no JSON": (lambda f: (f / "tasks.jsonl").write_text('{"id"'), ["tasks.jsonl:1", "breaks off"]),
    "no rubric": (_row(rubric=...), ["tasks.jsonl:1", "rubric", "Needed"]),
    "a blank instruction": (_row(instruction="  "), ["tasks.jsonl:1", "instruction"]),
    "a level that there is not": (_row(difficulty=4), ["tasks.jsonl:1", "difficulty"]),
    "a misspelt field": (_row(rubrik="1. Done."), ["tasks.jsonl:1", "rubrik"]),
    "a step without a tool": (_row(plan=[{"arguments": {}}]), ["tasks.jsonl:1", "plan[0]", "tool"]),
    "a misspelt field of a step": (_row(plan=[{"tool": "x", "args": {}}]), ["tasks.jsonl:1", "plan[0]", "args"]),
    "an id twice": (_row(id="berths-2-ko"), ["tasks.jsonl:2", "berths-2-ko", "second time"]),
    "a workplace that is not there": (_row(workplace="berths-9"), ["tasks.jsonl:1", "workplace", "berths-9"]),
    "a workplace outside": (_row(workplace="../work"), ["tasks.jsonl:1", "workplace"]),
    "no workplaces": (_gone("workplaces"), ["workplaces", "no such folder"]),
    "no workplace among them": (
        lambda f: [_gone(f"workplaces/{name}")(f) for name in ("berths-2", "berths-2-ko")],
        ["workplaces", "workplace.yaml"],
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_names_file_field_and_fix(name: str, tmp_path: Path) -> None:
    change, words = BAD[name]
    change(OwnSuite().write(tmp_path))
    with pytest.raises(DataError) as caught:
        load_release(tmp_path)
    assert all(word in str(caught.value) for word in words), str(caught.value)


def test_a_broken_workplace_is_the_problem_of_its_task_alone(tmp_path: Path) -> None:
    OwnSuite().write(tmp_path)
    (tmp_path / "workplaces" / "berths-2" / "tools.yaml").write_text("- name: list_berths\n- name: list_berths\n")
    release = load_release(tmp_path)
    assert [tool.name for tool in release.workplaces["berths-2-ko"].tools]
    assert "more than one tool is called list_berths" in str(check_tasks(release).problems)
