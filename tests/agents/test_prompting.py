"""What a model is told before its instruction."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.support.cli import at, command
from tests.support.occubench import TinyRelease
from tests.support.script import Script
from tests.support.scripted_server import ScriptedServer

from worktrial.agents.prompting import render_prompt, standard_prompt

STARTER = ["run", "starter", "--limit", "1"]


def test_the_standard_prompt_does_not_coach_about_faults() -> None:
    text = render_prompt(standard_prompt(), "2026-01-15T09:00").lower()
    assert "2026-01-15t09:00" in text
    for word in ("fail", "incomplete", "wrong", "again", "check what", "error", "missing", "doubt", "verify"):
        assert word not in text


def _prompts(url_options: list[Any], server: ScriptedServer) -> set[str]:
    ran = command(*url_options)
    assert ran.code == 0, ran.err
    return {request.body["messages"][0]["content"] for request in server.of("agent")}


def _manifest(run: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((run / "manifest.json").read_text())
    return found["settings"]


def test_an_own_prompt_is_told_kept_and_counts_when_runs_are_compared(tmp_path: Path) -> None:
    data = TinyRelease().write(tmp_path / "data")
    prompt = tmp_path / "prompt.txt"
    runs = {name: tmp_path / name for name in ("standard", "own", "other")}
    for name, text in (("standard", None), ("own", "Doubt everything. It is {{ clock }}.\n"), ("other", "Trust.")):
        with ScriptedServer(Script(tool_calls=1)) as server:
            words = ["run", "occupations", "--data", data, *at(server.url), "-o", runs[name]]
            if text is not None:
                prompt.write_text(text)
                words += ["--agent-prompt", prompt]
            told = _prompts(words, server)
        assert text is None or all(one.startswith(text.split("{{")[0].strip()) for one in told)
        kept = _manifest(runs[name])["agent_prompt"]
        assert kept["text"] == (standard_prompt() if text is None else text)
        assert "agent_prompt" not in _manifest(runs[name])["options"]
    compared = command("compare", runs["standard"], runs["own"])
    assert "agent.prompt" in compared.said
    assert "agent_prompt" not in command("compare", runs["own"], runs["own"]).said


def test_a_changed_prompt_is_another_setting_on_resume(tmp_path: Path) -> None:
    prompt, run = tmp_path / "prompt.txt", tmp_path / "run"
    for text, code in (("One.", 0), ("One.", 0), ("Two.", 2)):
        prompt.write_text(text)
        with ScriptedServer(Script(tool_calls=1)) as server:
            words = ["--agent", "agent-1", "--base-url", server.url, "--agent-prompt", prompt, "-o", run]
            ran = command(*STARTER, *words)
        assert ran.code == code, ran.said
    assert "agent.prompt" in ran.said


@pytest.mark.parametrize(
    ("content", "agent", "said"),
    [
        (None, "agent-1", "cannot be read"),
        (b"", "agent-1", "is empty"),
        (b"\xff\xfe\x00", "agent-1", "is not UTF-8"),
        (b"x" * 300_000, "agent-1", "has 300,000 bytes"),
        (b"It is {{ now }}.", "agent-1", "{{ now }} is unknown; only {{ clock }}"),
        (b"{% if %}", "agent-1", "line 1"),
        (b"{{ clock / 0 }}", "agent-1", "unsupported operand"),
        (b"Fine.", "plan", "plan is no model and is told no prompt"),
    ],
)
def test_prompts_that_cannot_be_told(content: bytes | None, agent: str, said: str, tmp_path: Path) -> None:
    prompt = tmp_path / "prompt.txt"
    if content is not None:
        prompt.write_bytes(content)
    words = ["--agent", agent, "--agent-prompt", prompt, "-o", tmp_path / "run"]
    if agent != "plan":
        words += ["--base-url", "http://127.0.0.1:9/v1"]
    ran = command(*STARTER, *words)
    assert (ran.code, said in ran.said, "--agent-prompt" in ran.said) == (2, True, True), ran.said
    assert not (tmp_path / "run").exists()
