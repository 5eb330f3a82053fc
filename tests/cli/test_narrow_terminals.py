"""What `audit` and `power` say at 80 columns: no word is broken."""

import re
from pathlib import Path

import pytest
from tests.support.cli import command
from tests.support.scripted_server import ScriptedServer

_ESCAPES = re.compile(r"\x1b\[[0-9;]*m")


@pytest.fixture(autouse=True)
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal of 80 columns."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TTY_COMPATIBLE", "1")


def shown(*words: str | Path) -> str:
    """What `words` print, whose lines must fit."""
    ran = command(*words)
    assert ran.code == 0, ran.err
    text = _ESCAPES.sub("", ran.out)
    assert max(map(len, text.splitlines())) <= 80
    return text


def test_power() -> None:
    for words in (["--effect", "0.05", "--rate", "0.6"], ["--n", "382"], ["--n", "382", "--effect", "0.1"]):
        text = shown("power", *words)
        for word in ("better", "worse", "correlation", "separate,", "agents"):
            assert re.search(rf"(^|\s){word}(\s|$)", text), (words, word)
    assert re.search(r"finds\s+it,\s+by\s+going\s+through\s+all\s+outcomes", shown("power", "--effect", "0.05"))


def test_audits(tmp_path: Path) -> None:
    with ScriptedServer() as server:
        for role in ("judge", "simulator"):
            command(
                *("audit", role, f"--{role}", "a-model-with-quite-a-name", "--base-url", server.url),
                *("--tasks", "returns-01", "-o", tmp_path / role),
            )
    judged = shown("audit", "show", tmp_path / "judge", tmp_path / "judge")
    for word in ("judge", "verdicts", "right", "failing", "passing", "kappa", "verdict", "votes", "work"):
        assert re.search(rf"\s{word}\s", judged), word
    simulated = shown("audit", "show", tmp_path / "simulator")
    for word in ("exact", "fields", "wrong", "missing", "extra", "unusable", "sequences", "fidelity"):
        assert re.search(rf"\s{word}\s", simulated), word
