"""The environment for training, through OpenEnv's own client. Not in `make test`, whose SDK is newer."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("openenv", reason="OpenEnv does not go together with the extra serve")

from openenv.core.generic_client import GenericEnvClient
from tests.docs.snippets import snippets
from tests.support.plan_driver import follow_plan, what_counts

import worktrial as wt

SAMPLE = "returns-01"
ROOT = Path(__file__).parents[2]


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    words = [sys.executable, "-m", "worktrial", "serve", "starter", "--openenv", "-o", str(tmp_path / "run")]
    options = ["--faults", "E0,E2", "--repeats", "2", "--reward", "checks"]
    with (tmp_path / "err").open("w") as errors:
        process = subprocess.Popen(
            [*words, *options], stdout=subprocess.PIPE, stderr=errors, text=True, env=dict(os.environ)
        )
    assert process.stdout is not None
    yield process.stdout.readline().strip()
    process.terminate()
    process.communicate(timeout=60)


async def followed(env: Any, condition: str) -> Any:
    began = await env.reset(task_id=SAMPLE, condition=condition)
    assert (began.observation["sample"], began.observation["condition"]) == (SAMPLE, condition)
    assert began.observation["tools"]
    assert "finish_work" not in began.observation["instruction"]

    async def call(tool: str, arguments: Any) -> Any:
        seen = await env.step({"tool": tool, "arguments": arguments})
        assert not seen.done
        return seen.observation["content"]

    answer = await follow_plan(SAMPLE, call)
    return await env.step({"answer": answer})


@pytest.mark.parametrize("condition", ["E0", "E2"])
def test_a_task_is_the_same_through_the_environment(address: str, condition: str, tmp_path: Path) -> None:
    async def whole() -> Any:
        async with GenericEnvClient(base_url=address) as env:
            return await followed(env, condition)

    end = asyncio.run(whole())
    plan = wt.run("starter", "plan", out=tmp_path / "plan", tasks=[SAMPLE], faults=condition)
    (expected,) = plan.run.records
    run = wt.load(tmp_path / "run")
    (record,) = run.run.records
    assert what_counts(record, run.trajectory(*record.key)) == what_counts(expected, plan.trajectory(*expected.key))
    assert end.done
    assert end.reward == pytest.approx(sum(c.passed for c in expected.checks) / len(expected.checks))
    assert end.observation["outcome"] == expected.outcome


def test_sessions_seeds_splits_and_what_has_no_reward(address: str, tmp_path: Path) -> None:
    async def whole() -> None:
        async with GenericEnvClient(base_url=address) as one, GenericEnvClient(base_url=address) as other:
            first = (await one.reset(seed=3, condition="E0")).observation
            second = (await other.reset(seed=3, condition="E0")).observation
            assert first["sample"] == second["sample"]
            held = (await one.reset(split="test", index=0)).observation
            assert held["sample"] != first["sample"]
            for action in ({}, {"tool": "x", "answer": "y"}):
                with pytest.raises(Exception, match="either a tool or an answer"):
                    await one.step(action)
            assert (await one.step({"answer": "done"})).reward is not None
            with pytest.raises(Exception, match="call reset"):
                await one.step({"answer": "again"})
            with pytest.raises(Exception, match="lab-99"):
                await one.reset(task_id="lab-99")

    asyncio.run(whole())
    outcomes = {record.outcome for record in wt.load(tmp_path / "run").run.records}
    # What was reset or left is no failure of anybody's.
    assert outcomes == {"invalid", "fail"}


def test_the_page_about_training_says_how(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    [code] = [one.code for one in snippets(ROOT / "docs" / "train.md", ROOT) if "GenericEnvClient" in one.code]
    exec(compile(code.replace("http://127.0.0.1:8765", address), "docs/train.md", "exec"), {"__name__": "page"})
    *_, end = capsys.readouterr().out.splitlines()
    assert end.startswith("(True, 0.")
