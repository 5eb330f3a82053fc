"""A run with an endpoint that takes nothing out of a model's text has the outcomes of one that does."""

from pathlib import Path
from typing import Any

import pytest
from tests.support.agent_behaviours import several_calls
from tests.support.behaviours import Says
from tests.support.cli import Ran, at, by_sample, command
from tests.support.happy import HappyAgent
from tests.support.occubench import TinyRelease
from tests.support.run_files import work_of
from tests.support.script import Script
from tests.support.scripted_server import ScriptedServer
from tests.support.spelled_out import DRAFT, SPELLINGS, SpelledOut


def _run(folder: Path, agent: Any, *more: str) -> tuple[Ran, dict[str, Any]]:
    data = TinyRelease().write(folder.parent / "data")
    with ScriptedServer(Script(agent=agent)) as server:
        ran = command("run", "occupations", "--data", data, *at(server.url), "-o", folder, *more)
    return ran, by_sample(folder)


@pytest.mark.parametrize("agent", [HappyAgent(), several_calls], ids=["one call", "several calls"])
def test_every_spelling_of_calls_gives_the_same_run(agent: Any, tmp_path: Path) -> None:
    ran, native = _run(tmp_path / "native", agent)
    assert ran.code == 0
    work = {line["sample"]: line for line in work_of(tmp_path / "native")}
    for number, spelling in enumerate(SPELLINGS.values()):
        folder = tmp_path / f"spelled-{number}"
        ran, spelled = _run(folder, SpelledOut(spelling, agent))
        assert ran.code == 0
        for sample, record in spelled.items():
            kept = ("outcome", "calls", "turns", "stop_reason")
            assert {name: record[name] for name in kept} == {name: native[sample][name] for name in kept}
        for line in work_of(folder):
            other = work[line["sample"]]
            assert line["answer"] == other["answer"]
            called = [(call["tool"], call["arguments"], call["turn"]) for call in line["calls"]]
            assert called == [(call["tool"], call["arguments"], call["turn"]) for call in other["calls"]]
            shown = command("trajectory", folder, line["sample"])
            # What it only considered is shown as thought, and nowhere else.
            said = " ".join(shown.out.split()).replace(f"thinks: {DRAFT}", "")
            assert "no_such_tool" not in said and "<tool_call>" not in said


@pytest.mark.parametrize(
    ("agent", "told"),
    [
        (Says("<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>look"), "--tool-mode json"),
        (Says(""), "--tool-mode json"),
        (Says("I will first", finish_reason="length"), "--agent-output-tokens"),
        (Says(None, finish_reason="content_filter"), "--base-url"),
    ],
)
def test_a_run_that_can_tell_nothing_ends_early_and_names_the_option(agent: Any, told: str, tmp_path: Path) -> None:
    words = ["run", "starter", "-o", tmp_path / "run", "--concurrency", 4]
    with ScriptedServer(Script(agent=agent)) as server:
        ran = command(*words, "--base-url", server.url, "--agent", "agent-1")
        assert server.count("agent") < 20
    assert ran.code == 2
    assert "the first 5 samples all ended with the same trouble" in ran.said
    assert told in ran.said
    assert "Traceback" not in ran.said
