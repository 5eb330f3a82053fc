"""`worktrial run … --again invalid`: what has no verdict is run once more, and nothing else."""

from pathlib import Path
from typing import Any

import pytest
from tests.support.cli import command

import worktrial as wt
from worktrial.errors import SettingError

AGENT = """
import pathlib

def agent(assignment):
    here = pathlib.Path(__file__).parent
    if (here / "breaks").exists() and "get_sample" in str(assignment.tools):
        raise RuntimeError("the line broke off")
    with (here / "worked").open("a") as log:
        log.write("x")
    return "I do not know."
"""


def run(tmp_path: Path, *more: str) -> Any:
    (tmp_path / "mine.py").write_text(AGENT)
    words = ["run", "starter", "--agent", f"python:{tmp_path / 'mine.py'}:agent", "--tasks"]
    tasks = "lab-01,lab-02,returns-01,triage-01"
    return command(*words, tasks, "-o", tmp_path / "run", "--concurrency", "1", "--max-invalid", "1", *more)


def test_only_what_broke_is_run_again_and_said_before(tmp_path: Path) -> None:
    (tmp_path / "breaks").touch()
    assert run(tmp_path).code == 0
    before = {one.sample: one.outcome.value for one in wt.load(tmp_path / "run").run.records}
    broken = sorted(name for name, outcome in before.items() if outcome == "invalid")
    assert broken and len(broken) < len(before)
    (tmp_path / "breaks").unlink()
    (tmp_path / "worked").unlink(missing_ok=True)
    again = run(tmp_path, "--again", "invalid")
    assert again.code == 0
    assert f"{len(broken)} samples have no verdict, and are run once more" in again.err
    assert f"agent_crash, {len(broken)}: " in again.err and all(name in again.err for name in broken)
    assert "shifts the rate" in again.err
    assert (tmp_path / "worked").read_text() == "x" * len(broken)
    assert {one.outcome.value for one in wt.load(tmp_path / "run").run.records} == {"fail"}


def test_what_was_never_run_stays_open(tmp_path: Path) -> None:
    (tmp_path / "breaks").touch()
    run(tmp_path)
    lines = (tmp_path / "run" / "samples.jsonl").read_text().splitlines(keepends=True)
    kept = [line for line in lines if '"triage-01"' not in line]
    assert len(kept) == 3
    (tmp_path / "run" / "samples.jsonl").write_text("".join(kept))
    (tmp_path / "breaks").unlink()
    run(tmp_path, "--again", "invalid")
    assert "triage-01" not in {one.sample for one in wt.load(tmp_path / "run").run.records}
    run(tmp_path)
    assert len(wt.load(tmp_path / "run").run.records) == 4


def test_nothing_broke(tmp_path: Path) -> None:
    run(tmp_path)
    again = run(tmp_path, "--again", "invalid")
    assert again.code == 0 and "is without a verdict; nothing is run" in again.err


def test_there_is_no_run(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="holds no run"):
        wt.run("starter", "idle", out=tmp_path / "run", again="invalid")
