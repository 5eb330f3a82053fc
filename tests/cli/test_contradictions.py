"""Records whose outcome somebody changed by hand: `show` tells of them, `gate` and `compare` refuse them."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.support.cli import at, command
from tests.support.occubench import TinyRelease
from tests.support.script import Script
from tests.support.scripted_server import ScriptedServer


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    command("run", "starter", "--agent", "plan", "--tasks", "lab-01", "-o", folder / "checks")
    data = TinyRelease().write(folder / "data")
    with ScriptedServer(Script()) as server:
        command("run", "occupations", "--data", data, "--limit", "1", *at(server.url), "-o", folder / "votes")
    return folder


@pytest.mark.parametrize("grounds", ["checks", "votes"])
@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"outcome": "fail"}, "the outcome is fail, and what it rests on amounts to pass"),
        ({"outcome": "invalid"}, "the outcome is invalid, and the reason is none of those that make it so"),
        (
            {"outcome": "invalid", "reason": "agent_crash: KeyError"},
            "the outcome is invalid, and what it rests on amounts to pass",
        ),
    ],
)
def test_an_outcome_that_was_changed_by_hand(runs: Path, grounds: str, change: dict[str, Any], said: str) -> None:
    file = runs / grounds / "samples.jsonl"
    whole = file.read_text()
    assert command("show", file.parent).err == ""
    try:
        file.write_text(json.dumps({**json.loads(whole), **change}) + "\n")
        assert f"contradiction: sample {json.loads(whole)['sample']!r}, repeat 0, E0: {said}" in " ".join(
            command("show", file.parent).err.split()
        )
        for refusing in (("gate", "--min-completion", "0"), ("compare", file.parent)):
            refused = command(refusing[0], file.parent, *refusing[1:])
            assert refused.code != 0 and said in " ".join(refused.err.split())
    finally:
        file.write_text(whole)
