"""Suites of one's own whose workplaces are code: every command works on their folder as on a suite of ours."""

import json
from pathlib import Path

import pytest
from tests.sandbox.sessions import needs_sandbox
from tests.support.cli import worktrial
from tests.support.own_workplaces import write_suite

import worktrial as face


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    return write_suite(tmp_path / "ledger-trial")


@needs_sandbox
@pytest.mark.slow
def test_from_the_list_to_the_report(suite: Path, tmp_path: Path) -> None:
    assert "ledger-02" in worktrial("list", suite).out
    assert worktrial("lint", suite).code == 0
    runs = tmp_path / "runs"
    agents = [word for name in ("plan", "careful", "greedy", "idle") for word in ("--agent", name)]
    ran = worktrial("run", suite, *agents, "--faults", "all", "-o", runs)
    assert ran.code == 0, ran.said
    assert "ledger-trial" in worktrial("show", runs / "plan").out
    again = worktrial("regrade", runs / "plan", "-o", tmp_path / "again")
    assert again.code == 0 and "0 of 8 outcomes differ" in again.said
    assert "read_section" in worktrial("trajectory", runs / "plan", "ledger-01").out
    assert worktrial("compare", runs / "plan", runs / "greedy").code == 0
    assert worktrial("report", runs / "plan", runs / "idle", "-o", tmp_path / "site").code == 0
    counted = worktrial("sql", "select count(*) as n from samples", runs / "plan")
    assert counted.code == 0 and "8" in counted.out
    assert worktrial("export", runs / "plan", "--format", "jsonl", "-o", tmp_path / "lines").code == 0
    # With the folder gone the run is still shown.
    suite.rename(tmp_path / "elsewhere")
    assert worktrial("show", runs / "plan").code == 0
    assert worktrial("trajectory", runs / "plan", "ledger-01").code == 0


@needs_sandbox
def test_trust_resumes_and_compares_with_the_sandbox(suite: Path, tmp_path: Path) -> None:
    plain, trusted = tmp_path / "plain", tmp_path / "trusted"
    assert worktrial("run", suite, "--agent", "plan", "-o", plain).code == 0
    assert worktrial("run", suite, "--agent", "plan", "--trust", "-o", trusted).code == 0
    compared = worktrial("compare", plain, trusted)
    assert compared.code == 0, compared.said
    assert json.loads((trusted / "manifest.json").read_text("utf-8"))["data"]["trusted"] is True


def test_no_sandbox_is_one_clear_error_that_names_the_remedy(suite: Path, tmp_path: Path) -> None:
    without = {"PATH": str(tmp_path)}
    for words in (("list", suite), ("run", suite, "--agent", "plan", "-o", tmp_path / "run"), ("lint", suite)):
        ran = worktrial(*words, env=without)
        assert ran.code == 2
        assert "bubblewrap is not installed" in ran.said and "give --trust" in ran.said
        assert "Traceback" not in ran.said
    assert worktrial("list", suite, "--trust", env=without).code == 0
    ran = worktrial("run", suite, "--agent", "plan", "--trust", "-o", tmp_path / "run", env=without)
    assert ran.code == 0, ran.said
    assert "2 passed" in ran.said


def test_help_teaches_what_trust_means(suite: Path) -> None:
    said = worktrial("run", suite, "--help").said
    assert "--trust" in said and "sandbox" in said


@needs_sandbox
def test_python_takes_the_folder(suite: Path, tmp_path: Path) -> None:
    run = face.run(suite, agent="plan", out=tmp_path / "run")
    assert run.completion == 1.0
    trusted = face.run(suite, agent="idle", trust=True, out=tmp_path / "idle")
    assert trusted.completion == 0.0


@needs_sandbox
def test_a_tool_that_fails_costs_its_own_samples_a_verdict(suite: Path, tmp_path: Path) -> None:
    tools = suite / "workplaces" / "ledger" / "tools.py"
    text = tools.read_text("utf-8")
    broken = "    if amount == 7:\n        amount //= 0\n    if amount > 100:"
    tools.write_text(text.replace("    if amount > 100:", broken))
    ran = worktrial("run", suite, "--agent", "plan", "-o", tmp_path / "run")
    assert ran.code == 3 and "1 passed" in ran.said
    stored = (tmp_path / "run" / "samples.jsonl").read_text("utf-8")
    assert "raised: ledger.decide: tools.py, line" in stored and "ZeroDivisionError" in stored
