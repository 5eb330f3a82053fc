"""Suites as tasks of Inspect AI, and its providers for our engine. Not in `make test`: see `make test-interop`."""

import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("inspect_ai", reason="Inspect AI is met in an environment of its own")

from inspect_ai import eval as evaluate
from inspect_ai.log import EvalLog, read_eval_log
from tests.docs.snippets import snippets
from tests.support.plan_model import PlanModel
from tests.support.script import Script
from tests.support.scripted_server import ScriptedServer

import worktrial as wt
from worktrial.errors import WorktrialError

SAMPLES = ["returns-01", "lab-01"]
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def model() -> Iterator[ScriptedServer]:
    """An endpoint for `openai-api/scripted/agent-1`; one for all, because Inspect remembers it."""
    with ScriptedServer(Script(agent=PlanModel())) as server:
        os.environ |= {"SCRIPTED_API_KEY": "none", "SCRIPTED_BASE_URL": server.url}
        yield server


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Outcome, number of calls and fault ledger of each sample, as the plan agent has them."""
    out = tmp_path_factory.mktemp("plan") / "run"
    run = wt.run("starter", "plan", out=out, tasks=SAMPLES, faults="E0,E2", repeats=2)
    found = {
        (f"{r.sample}/{r.condition}", r.repeat + 1): (r.outcome, r.reason, r.calls, len(r.fault_ledger))
        for r in run.run.records
    }
    assert any(faults for *_, faults in found.values())
    return found


def scored(log: EvalLog) -> dict[str, Any]:
    assert log.status == "success", log.error
    found = {}
    for sample in log.samples or ():
        assert sample.error is None, sample.error
        assert sample.scores
        score = sample.scores["verdict"]
        assert score.metadata
        outcome = {"C": "pass", "I": "fail"}[str(score.value)]
        place = (str(sample.id), sample.epoch)
        found[place] = (outcome, score.explanation, score.metadata["calls"], len(score.metadata["faults"]))
    return found


def evaluated(tmp_path: Path, model: str = "openai-api/scripted/agent-1", **args: Any) -> EvalLog:
    given = {"tasks": SAMPLES, **args}
    (log,) = evaluate(
        "worktrial/starter", model=model, task_args=given, log_dir=str(tmp_path / "logs"), display="none"
    )
    return log


@pytest.mark.parametrize("loop", ["worktrial", "inspect"])
def test_either_loop_comes_to_the_plan_s_verdicts(
    loop: str, tmp_path: Path, model: ScriptedServer, plan: dict[str, Any]
) -> None:
    log = evaluated(tmp_path, loop=loop, faults="E0,E2", repeats=2)
    assert scored(log) == plan
    read = read_eval_log(log.location)
    for sample in read.samples or ():
        # Its viewer has the whole conversation, and every request as an event.
        assert len([e for e in sample.events if e.event == "model"]) == len(
            [m for m in sample.messages if m.role == "assistant"]
        )
        assert sample.messages[0].role == "system" and sample.messages[-1].text == sample.output.completion


def test_an_agent_of_ours_needs_no_model(tmp_path: Path, plan: dict[str, Any]) -> None:
    log = evaluated(tmp_path, "mockllm/model", faults="E2", agent="plan")
    assert scored(log) == {
        place: value for place, value in plan.items() if place[0].endswith("E2") and place[1] == 1
    }


def test_roles_are_models_of_inspect_s(tmp_path: Path, model: ScriptedServer) -> None:
    (log,) = evaluate(
        "worktrial/starter",
        model="mockllm/model",
        model_roles={"judge": "openai-api/scripted/judge-1"},
        task_args={"tasks": ["lab-01"], "agent": "plan", "votes": 3},
        log_dir=str(tmp_path / "logs"),
        display="none",
    )
    assert [place for place, (outcome, *_) in scored(log).items() if outcome == "pass"] == [("lab-01/E0", 1)]
    # Two of three that agree are a majority.
    assert model.count("judge") == 2


def test_work_without_a_verdict_is_an_error_and_no_wrong_answer(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("def agent(assignment):\n    raise OSError('no such machine')\n")
    log = evaluated(tmp_path, "mockllm/model", agent=f"python:{tmp_path / 'broken.py'}:agent", tasks=["lab-01"])
    (sample,) = log.samples or ()
    assert sample.error is not None and "no such machine" in sample.error.message
    assert not sample.scores


def test_the_command_line_finds_the_tasks(tmp_path: Path, model: ScriptedServer, plan: dict[str, Any]) -> None:
    [said] = [one.code for one in snippets(ROOT / "docs" / "plug-in.md", ROOT) if "inspect eval" in one.code]
    words = shlex.split(said.replace("my-server/my-model", "scripted/agent-1"))[1:]
    ran = subprocess.run(
        [Path(sys.executable).with_name("inspect"), *words, "--log-dir", tmp_path / "logs", "--display", "plain"],
        check=False,
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    (file,) = (tmp_path / "logs").iterdir()
    places = [("returns-01/E0", 1), ("returns-01/E2", 1)]
    assert scored(read_eval_log(str(file))) == {place: plan[place] for place in places}


def test_a_provider_of_inspect_s_serves_our_engine(
    tmp_path: Path, model: ScriptedServer, plan: dict[str, Any]
) -> None:
    before = model.count()
    # Twice, because libraries of providers hold on to the event loop on which they were asked first.
    for repeat in range(2):
        name = "inspect:openai-api/scripted/agent-1"
        run = wt.run("starter", name, out=tmp_path / f"run-{repeat}", tasks=SAMPLES, faults="E2")
        for record in run.run.records:
            expected = plan[(f"{record.sample}/E2", 1)]
            assert (record.outcome, record.reason, record.calls, len(record.fault_ledger)) == expected
            assert record.usage["agent"].requests == record.turns
        turns = sum(record.turns for record in run.run.records)
        # Nothing was asked for more than once.
        assert model.count() - before == turns * (repeat + 1)


def test_a_provider_that_lacks_its_key_stops_the_run(tmp_path: Path) -> None:
    with pytest.raises(WorktrialError, match="NOBODY_API_KEY"):
        wt.run("starter", "inspect:openai-api/nobody/agent-1", out=tmp_path / "run", tasks=["lab-01"])
