"""A third of the published benchmark over every wire, with the same verdicts."""

from pathlib import Path

import pytest
from tests.support.cli import at, samples_of, worktrial
from tests.support.data import real_data_dir
from tests.support.scripted_process import ScriptedProcess

pytestmark = [pytest.mark.real_data, pytest.mark.slow]


def verdicts(run: Path, *words: str) -> dict[str, str]:
    data = real_data_dir() / "occubench"
    with ScriptedProcess(script=["judge:HappyJudge(pass_share=0.6)"]) as server:
        command = ["run", "occupations", "--data", data, *at(server.url), "--concurrency", 32, "--limit", 128]
        ran = worktrial(*command, "-o", run, *words)
    assert ran.code == 0, ran.err
    return {record["sample"]: record["outcome"] for record in samples_of(run)}


def test_every_wire_has_the_same_verdicts(tmp_path: Path) -> None:
    expected = verdicts(tmp_path / "chat")
    assert len(expected) == 128
    assert set(expected.values()) == {"pass", "fail"}
    ways = [("--wire", "anthropic"), ("--wire", "gemini"), ("--wire", "responses"), ("--stream", "on")]
    for words in ways:
        assert verdicts(tmp_path / words[1], *words) == expected
