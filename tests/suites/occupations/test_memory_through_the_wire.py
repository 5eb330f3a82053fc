"""The forgetful simulator behind the wire: whole runs, in which every read shows what was written before it."""

import json
from pathlib import Path

import pytest
from tests.support.cli import at, command, samples_of
from tests.support.forgetful_simulator import Effects, ForgetfulSimulator, Recording
from tests.support.occubench import TinyRelease
from tests.support.run_files import work_of
from tests.support.script import Script
from tests.support.scripted_server import ScriptedServer

from worktrial.suites.occupations.load import load_release
from worktrial.workplaces.effects import ToolEffect


@pytest.mark.parametrize(
    ("memory", "recording"), [("history", Recording.FACTS), *(("ledger", r) for r in Recording)]
)
def test_every_read_of_a_run_shows_the_writes_before_it(memory: str, recording: Recording, tmp_path: Path) -> None:
    data = TinyRelease().write(tmp_path / "data")
    tasks = load_release(data)
    workplaces = [tasks.workplaces[name] for name in tasks.workplaces]
    simulator = ForgetfulSimulator(Effects(workplaces), recording)
    with ScriptedServer(Script(simulator=simulator, tool_calls=8)) as server:
        words = ["run", "occupations", "--data", data, *at(server.url), "-o", tmp_path / "run", "--memory", memory]
        assert command(*words).code == 0
    assert all(record["outcome"] == "pass" for record in samples_of(tmp_path / "run"))
    by_task = {task.id: tasks.workplaces[task.workplace] for task in tasks.tasks}
    reads = 0
    for line in work_of(tmp_path / "run"):
        written: list[str] = []
        for call in line["calls"]:
            tool = by_task[line["sample"]].tool(call["tool"])
            assert tool is not None
            content = call["observation"]["content"]
            if tool.effect in (ToolEffect.WRITE, ToolEffect.UNKNOWN):
                assert content == {"status": "done"}
                written.append(json.dumps(call["arguments"], separators=(",", ":")))
            else:
                shown = json.dumps(content, separators=(",", ":"))
                assert all(text in shown for text in written if text != "{}"), (call, written)
                reads += bool(written)
    assert reads > 0
