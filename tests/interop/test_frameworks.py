"""Frameworks that take the starter's tasks over MCP, with clients of their own: the same work as in process."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.support.plan_driver import what_counts
from tests.support.plan_model import PlanModel
from tests.support.script import Script
from tests.support.scripted_server import ScriptedServer
from tests.support.served import served

import worktrial as wt

SAMPLES = ["returns-01", "lab-01"]
CLIENTS = Path(__file__).parent / "clients"
THEIRS = os.environ.get("WORKTRIAL_INTEROP_PYTHON", "")
NAME = Path(THEIRS).parents[1].name.replace("-", "_") if THEIRS else ""

pytestmark = pytest.mark.skipif(
    not (CLIENTS / f"{NAME}.py").exists(), reason="make test-interop names a framework's Python"
)


@pytest.mark.parametrize("condition", ["E0", "E2"])
def test_a_framework_does_the_work_over_mcp_and_hands_it_in(condition: str, tmp_path: Path) -> None:
    plan = wt.run("starter", "plan", out=tmp_path / "plan", tasks=SAMPLES, faults=condition)
    options = ("--tasks", ",".join(SAMPLES), "--faults", condition)
    with served(tmp_path / "run", *options) as server, ScriptedServer(Script(agent=PlanModel())) as model:
        for sample in SAMPLES:
            opened = server.open(sample=sample)
            _framework_works(opened, model)
            # The verdict is there already: what is said here does not count.
            status, verdict = server.finish(opened, "nothing")
            assert (status, verdict["answered_by"]) == (200, "tool")
    run = wt.load(tmp_path / "run")
    assert len(run.run.records) == len(SAMPLES)
    expected = {record.sample: record for record in plan.run.records}
    for record in run.run.records:
        ours = expected[record.sample]
        assert what_counts(record, run.trajectory(*record.key)) == what_counts(ours, plan.trajectory(*ours.key))


def test_a_framework_that_only_talks_leaves_the_verdict_to_its_driver(tmp_path: Path) -> None:
    with (
        served(tmp_path / "run", "--tasks", SAMPLES[0], "--finish-tool", "none") as server,
        ScriptedServer(Script(agent=PlanModel())) as model,
    ):
        opened = server.open()
        said = _framework_works(opened, model)
        assert server.state(opened)["state"] == "open"
        status, verdict = server.finish(opened, said)
    assert (status, verdict["answered_by"], verdict["outcome"]) == (200, "driver", "pass")


def _framework_works(opened: dict[str, Any], model: ScriptedServer) -> str:
    """What the framework's agent says at the end, of an episode that was opened for it."""
    task = {"mcp": opened["mcp"], "instruction": opened["instruction"], "model_url": model.url}
    words = [THEIRS, "-I", str(CLIENTS / f"{NAME}.py")]
    ran = subprocess.run(words, check=False, capture_output=True, text=True, input=json.dumps(task))
    assert ran.returncode == 0, ran.stderr[-3000:]
    return ran.stdout.strip()
