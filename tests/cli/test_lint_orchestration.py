"""`worktrial lint orchestration`."""

import json
from pathlib import Path

import pytest
from tests.support.cli import command
from tests.support.data import real_data_dir
from tests.support.orchestration import whole
from tests.support.tiny_orchestration import CALL, TinyOrchestration, plan, step, usual

ODD = whole(step("user", "Go."), step("main", plan("workflow_1:baker")), step("gardener", "tool: dig"))


def test_rows_with_file_step_and_reason(tmp_path: Path) -> None:
    data = TinyOrchestration({"1": usual(), "2": ODD, "3": "steps: ["}).write(tmp_path)
    shown = command("lint", "orchestration", "--data", data)
    assert shown.code == 0
    assert "orchestration: 2 scenarios, 2 agents" in shown.out
    assert "EN/scenario_data/2.yaml, step 2 (scenario_data/2.yaml:step 2): workflow_1 names 'baker'" in shown.said
    assert "EN/scenario_data/3.yaml (scenario_data/3.yaml): is not YAML" in shown.said
    assert "where required" not in shown.out
    assert (
        "schema-violation: 1 findings; worktrial lint orchestration --only schema-violation lists them"
        in shown.said
    )
    assert "where required" in command("lint", "orchestration", "--data", data, "--only", "schema-violation").out


def test_as_json(tmp_path: Path) -> None:
    data = TinyOrchestration({"2": ODD}).write(tmp_path)
    rows = json.loads(command("lint", "orchestration", "--data", data, "--json", "--only", "unknown-agent").out)
    assert rows["counts"] == {"unknown-agent": 1}
    assert rows["findings"] == [
        {
            "check": "unknown-agent",
            "subject": "EN/scenario_data/2.yaml, step 2",
            "file": "EN/scenario_data/2.yaml",
            "field": "step 2",
            "what": "workflow_1 names 'baker', and there is no such agent",
            "fix": "",
        }
    ]
    assert (rows["scenarios"], rows["agents"]) == (1, 2)


def test_strict_fails_only_for_what_was_asked(tmp_path: Path) -> None:
    data = TinyOrchestration({"2": ODD}).write(tmp_path)
    assert command("lint", "orchestration", "--data", data, "--strict").code == 1
    assert command("lint", "orchestration", "--data", data, "--strict", "--only", "odd-call").code == 0


def test_the_worked_example_is_clean() -> None:
    ran = command("lint", "orchestration", "--strict")
    assert ran.code == 0, ran.out
    assert "nothing found" in ran.out


def test_both_languages_or_the_one_that_is_there(tmp_path: Path) -> None:
    TinyOrchestration().write(tmp_path, "KO")
    assert "1 scenarios, 2 agents" in command("lint", "orchestration", "--data", tmp_path).out
    TinyOrchestration().write(tmp_path, "EN")
    assert "2 scenarios, 4 agents" in command("lint", "orchestration", "--data", tmp_path).out


def test_what_the_data_says_cannot_steer_the_terminal(tmp_path: Path) -> None:
    rude = step("main", plan("workflow_1:\x1b]0;mine\x07"))
    data = TinyOrchestration({"1": whole(step("user", "Go."), rude, step("gardener", CALL))}).write(tmp_path)
    assert "\x1b]0;" not in command("lint", "orchestration", "--data", data).out


def test_what_makes_no_sense(tmp_path: Path) -> None:
    data = TinyOrchestration().write(tmp_path)
    for words, said in (
        (["orchestration", "--data", tmp_path / "none"], "no such folder"),
        (["orchestration", "--data", data / "EN"], "the folder of one language"),
        (["orchestration", "--data", data, "--only", "typos"], "there is broken-file"),
        (["starter", "--gold", "corrected"], "--gold: the suite starter has no such option"),
    ):
        ran = command("lint", *words)
        assert ran.code == 2
        assert said in ran.said


@pytest.mark.real_data
def test_corrections_leave_what_no_correction_can_mend() -> None:
    data = real_data_dir() / "orchestrationbench"
    after = json.loads(command("lint", "orchestration", "--data", data, "--gold", "corrected", "--json").out)
    assert after["corrections applied"] == 81
    assert {code for code, found in after["counts"].items() if found} == {
        "same-prompt",
        "schema-violation",
    }
