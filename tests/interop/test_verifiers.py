"""Workplaces as a taskset of verifiers, by its own runner. Not in `make test`, whose SDKs are newer."""

import asyncio
import contextlib
import json
import os
import shlex
import subprocess
import sys
import types
from pathlib import Path
from typing import Any

import msgspec
import pytest

pytest.importorskip("verifiers", reason="verifiers does not go together with the extra serve")

from mcp import Client
from tests.docs.snippets import snippets
from tests.support.plan_driver import follow_plan, starter_tasks
from tests.support.plan_model import PlanModel
from tests.support.script import Script
from tests.support.scripted_server import ScriptedServer

import worktrial as wt
from worktrial.errors import SettingError
from worktrial.grading.check import CheckResult
from worktrial.grading.reward import NoReward, RewardKind, reward
from worktrial.interop.verifiers import WorkplaceTaskset, WorkplaceTasksetConfig, _stays

SAMPLE = "returns-01"
ONE_TASK = json.dumps({"tasks": [SAMPLE]})
ROOT = Path(__file__).parents[2]
ON_PAGE = [
    one for one in snippets(ROOT / "docs" / "train.md", ROOT) if "vf-eval" in one.code or "traces" in one.code
]


def evaluated(folder: Path, server: ScriptedServer, **instead: str) -> list[dict[str, Any]]:
    """Traces of an evaluation by verifiers' own runner, with the command of the page and some options otherwise."""
    said = ON_PAGE[0].code.replace("http://localhost:8000/v1", server.url).replace("my-policy", "agent-1")
    runner = Path(sys.executable).with_name("vf-eval")
    command = [str(runner), *shlex.split(said.replace("\\\n", " "))[1:]]
    for name, value in instead.items():
        option = "--" + name.replace("__", ".").replace("_", "-")
        if option in command:
            command[command.index(option) + 1] = value
        else:
            command += [option, value]
    ran = subprocess.run(
        command,
        check=False,
        capture_output=True,
        text=True,
        cwd=folder,
        env=os.environ | {"PATH": f"{runner.parent}{os.pathsep}{os.environ['PATH']}"},
    )
    assert ran.returncode == 0, ran.stdout[-3000:] + ran.stderr[-6000:]
    [file] = (folder / "outputs").rglob("traces.jsonl")
    return [trace for line in file.open() for trace in json.loads(line)["traces"]]


def test_its_runner_reports_our_reward(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = wt.run("starter", "plan", out=tmp_path / "plan", tasks=[SAMPLE], faults="E0,E2", repeats=1)
    expected = {record.condition: record for record in plan.run.records}
    assert expected["E2"].fault_ledger
    with ScriptedServer(Script(agent=PlanModel())) as server:
        traces = evaluated(tmp_path, server, env__taskset__options=ONE_TASK)
    assert sorted(trace["task"]["key"] for trace in traces) == [
        f"starter/{SAMPLE}/{condition}" for condition in ("E0", "E0", "E2", "E2")
    ]
    for trace in traces:
        assert trace["ok"], trace["errors"]
        record = expected[trace["task"]["data"]["condition"]]
        line = plan.trajectory(*record.key)
        assert trace["rewards"] == {"work": {"score": reward(record.outcome), "weight": 1.0}}
        judged = trace["info"]["worktrial"]
        assert (judged["outcome"], judged["reason"], judged["calls"]) == (
            record.outcome,
            record.reason,
            len(line["calls"]),
        )
        assert msgspec.convert(judged["checks"], list[CheckResult]) == record.checks
        # Nobody here knows the turns.
        expected_ledger = [{**row, "turn": 0} for row in msgspec.to_builtins(record.fault_ledger)]
        assert [{**row, "turn": 0} for row in judged["faults"]] == expected_ledger
        # The catalogue as every model of ours is offered it, and no tool beside it.
        offered = {tool["name"]: tool["parameters"] for tool in trace["tools"]}
        assert offered == parameters_of(SAMPLE)
    # What the page does with them.
    monkeypatch.chdir(tmp_path)
    exec(compile(ON_PAGE[1].code, "docs/train.md", "exec"), {})
    assert len(capsys.readouterr().out.splitlines()) == len(traces)


def test_work_that_a_limit_ended_is_judged_as_it_stands(tmp_path: Path) -> None:
    async def two_calls(assignment: wt.Assignment) -> str:
        made = 0

        async def call(tool: str, arguments: Any) -> Any:
            nonlocal made
            if made == 2:
                raise EOFError
            made += 1
            return await assignment.call(tool, arguments)

        with contextlib.suppress(EOFError):
            await follow_plan(SAMPLE, call)
        return ""

    ours = wt.run("starter", two_calls, out=tmp_path / "ours", tasks=[SAMPLE])
    (record,) = ours.run.records
    with ScriptedServer(Script(agent=PlanModel())) as server:
        (trace,) = evaluated(
            tmp_path,
            server,
            env__taskset__options=ONE_TASK,
            env__taskset__faults="E0",
            env__taskset__task__reward="checks",
            env__agent__max_turns="2",
            num_rollouts="1",
        )
    assert trace["info"]["worktrial"]["calls"] == 2
    share = reward(record.outcome, checks=record.checks, kind=RewardKind.CHECKS)
    assert 0 < share < 1
    assert trace["rewards"]["work"]["score"] == pytest.approx(share)


class FakeTrace(types.SimpleNamespace):
    """As much of a trace as a task asks for."""


def test_work_without_a_verdict_has_no_reward() -> None:
    async def whole() -> None:
        (task,) = WorkplaceTaskset(taskset_config(tasks=[SAMPLE])).load()
        trace = FakeTrace(id="t", info={}, assistant_messages=[], last_reply="")
        await task.setup(trace)
        (toolset,) = task.toolsets(task.config)
        async with Client(toolset.config.url) as client:
            assert {tool.name for tool in (await client.list_tools()).tools} == {*parameters_of(SAMPLE)}
        await _stays["t"].episode.abandon("the simulator is gone")
        await task.finalize(trace)
        assert not _stays
        with pytest.raises(NoReward, match="the simulator is gone"):
            await task.work(trace)

    asyncio.run(whole())


def test_a_rollout_that_breaks_off_leaves_nothing_with_its_trace() -> None:
    async def whole() -> None:
        (task,) = WorkplaceTaskset(taskset_config(tasks=[SAMPLE])).load()
        trace = FakeTrace(id="broken", info={})
        await task.setup(trace)
        assert [*_stays] == ["broken"]
        del trace
        assert not _stays

    asyncio.run(whole())


def test_splits_share_no_scenario_and_a_wrong_word_is_an_error() -> None:
    split = {name: [*WorkplaceTaskset(taskset_config(split=name, faults="E0,E1"))] for name in ("train", "test")}
    scenarios = {name: {task.data.scenario for task in tasks} for name, tasks in split.items()}
    assert scenarios["train"].isdisjoint(scenarios["test"])
    keys = [task.key for tasks in split.values() for task in tasks]
    assert len(keys) == len({*keys}) == 2 * len(wt.tasks("starter"))
    with pytest.raises(SettingError, match="there is train and test"):
        WorkplaceTaskset(taskset_config(split="dev")).load()
    with pytest.raises(SettingError, match="lab-99"):
        WorkplaceTaskset(taskset_config(tasks=["lab-99"])).load()
    with pytest.raises(SettingError, match="name a suite"):
        WorkplaceTaskset(WorkplaceTasksetConfig(id="worktrial_vf")).load()


def taskset_config(split: str | None = None, faults: str = "E0", **options: Any) -> WorkplaceTasksetConfig:
    return WorkplaceTasksetConfig(id="worktrial_vf", suite="starter", split=split, faults=faults, options=options)


def parameters_of(sample: str) -> dict[str, Any]:
    tools = starter_tasks()[sample].artifact.tools
    return {tool.name: tool.parameters for tool in tools}
