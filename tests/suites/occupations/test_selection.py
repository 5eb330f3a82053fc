"""Which tasks run, and how often, as told on the command line."""

from pathlib import Path

import pytest
from tests.support.cli import at, command, samples_of
from tests.support.occubench import TinyRelease
from tests.support.scripted_server import ScriptedServer


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--tasks", "108,11"], ["11", "108"]),
        (["--tasks", "108", "--tasks", " 42 ,7"], ["42", "7", "108"]),
        (["--tasks", "7-42"], ["11", "42", "7"]),
        (["--limit", "2"], ["42", "108"]),
        (["--limit", "3", "--shuffle", "4"], ["108", "42", "11"]),
        (["--shuffle", "4"], ["108", "42", "11", "7"]),
        (["--category", "HARB"], ["11", "108"]),
        (["--category", "hea", "--category", "Heritage"], ["42", "7"]),
        (["--category", "hea, Heritage"], ["42", "7"]),
        (["--category", "harb", "--limit", "1", "--repeats", "3"], ["108"] * 3),
    ],
)
def test_choice(options: list[str], expected: list[str], tmp_path: Path) -> None:
    data = TinyRelease().write(tmp_path / "data")
    with ScriptedServer() as server:
        words = ["run", "occupations", "--data", data, *at(server.url), "-o", tmp_path / "run", *options]
        assert command(*words, "--concurrency", 1).code == 0
    records = samples_of(tmp_path / "run")
    assert [r["sample"] for r in records] == expected
    assert len({(r["sample"], r["repeat"]) for r in records}) == len(expected)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--tasks", "11,9999"], ["9999", "11, 42, 7, 108"]),
        (["--tasks", "42-11"], ["--tasks 42-11", "ends before it begins"]),
        (["--tasks", "200-300"], ["200-300", "11, 42, 7, 108"]),
        (["--shuffle", "x"], ["--shuffle"]),
        (["--tasks", ","], ["--tasks", "names no task"]),
        (["--category", ""], ["--category", "names no industry"]),
        (["--category", "Finance"], ["Finance", "Harbour Trade, Health, Heritage"]),
        (["--category", "He"], ["Health, Heritage"]),
        (["--category", "Harb", "--tasks", "7"], ["Harbour Trade", "7"]),
        (["--limit", "0"], ["--limit"]),
        (["--repeats", "0"], ["--repeats"]),
        (["--max-invalid", "1.5"], ["--max-invalid"]),
        (["--max-invalid", "nan"], ["--max-invalid"]),
        (["--memory", "paper"], ["--memory", "history", "ledger"]),
        (["--price", "1"], ["--agent-price", "1.25,10"]),
        (["--price", "nan,1"], ["--agent-price"]),
        (["--judge-price", "-1,2"], ["--judge-price"]),
        (["--extra", "{"], ["--extra", "JSON"]),
        (["--simulator-extra", "[1]"], ["--simulator-extra", "object"]),
        (["--cache-only"], ["--cache-only", "--cache DIR"]),
        (["--timeout", "0"], ["--timeout"]),
        (["--rpm", "0"], ["--rpm"]),
        (["--agent", "python:nowhere"], ["python:MODULE:FUNCTION"]),
        (["--api-key-env", "WORKTRIAL_NO_SUCH_KEY"], ["WORKTRIAL_NO_SUCH_KEY", "not set"]),
    ],
)
def test_a_wrong_option_costs_nothing(options: list[str], words: list[str], tmp_path: Path) -> None:
    data = TinyRelease().write(tmp_path / "data")
    with ScriptedServer() as server:
        ran = command("run", "occupations", "--data", data, *at(server.url), "-o", tmp_path / "run", *options)
        assert server.count() == 0
    assert ran.code == 2
    assert all(word in ran.said for word in words), ran.said
    assert not (tmp_path / "run" / "samples.jsonl").exists()


def test_a_name_without_an_endpoint(tmp_path: Path) -> None:
    data = TinyRelease().write(tmp_path / "data")
    roles = ["--agent", "some-model", "--simulator", "openai/x", "--judge", "openai/x"]
    ran = command("run", "occupations", "--data", data, *roles, "-o", tmp_path / "run")
    assert ran.code == 2
    assert "some-model" in ran.err
    assert "--base-url" in ran.err
