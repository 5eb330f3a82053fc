"""A synthesis that is killed again and again ends as one that was left alone, and pays for nothing twice."""

import json
import random
import signal
from pathlib import Path

import pytest
from tests.support.cli import lines_of, worktrial
from tests.support.scripted_server import ScriptedServer
from tests.support.synthesis.command import SMALL, began, ended, records, suite_of, until, words
from tests.support.synthesis.office import office
from tests.support.synthesis.paid import Till

CONCURRENCY = 16
KILLS = 10


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, object], int]:
    """A suite that was made in one go, and how many answers that took."""
    suite = tmp_path_factory.mktemp("undisturbed") / "suite"
    with ScriptedServer(office("small")) as server:
        ran = worktrial(*words(server.url, suite, *SMALL, "--concurrency", CONCURRENCY))
        assert ran.code == 0, ran.err
        till = Till(server, suite)
        assert till.close_session() == []
    return suite_of(suite), till.paid


@pytest.mark.timeout(300)
def test_ten_kills_lose_nothing_and_repeat_nothing(
    undisturbed: tuple[dict[str, object], int], tmp_path: Path
) -> None:
    expected, answers = undisturbed
    suite, moments = tmp_path / "suite", random.Random(7)
    before: dict[str, bytes] = {}
    with ScriptedServer(office("small", latency=0.002)) as server:
        till = Till(server, suite)
        command = words(server.url, suite, *SMALL, "--concurrency", CONCURRENCY)
        for _ in range(KILLS):
            child = began(*command)
            until(child, server, server.count() + moments.randint(1, 2 * answers // (KILLS + 2)))
            child.send_signal(signal.SIGKILL)
            ran = ended(child)
            assert ran.code == -signal.SIGKILL, f"it ended before it could be killed: {ran.err}"
            assert len(till.close_session()) <= CONCURRENCY
            before = _grown(before, suite)
        ran = ended(began(*command))
        assert ran.code == 0, ran.err
        assert till.close_session() == []
    assert suite_of(suite) == expected
    assert till.paid == answers
    _grown(before, suite)
    _nothing_was_made_twice(suite)


def _grown(before: dict[str, bytes], suite: Path) -> dict[str, bytes]:
    """The records as they are now, every line of before among them."""
    now = records(suite)
    assert [name for name, lines in before.items() if not now.get(name, b"").startswith(lines)] == []
    return now


def _nothing_was_made_twice(suite: Path) -> None:
    """Every artifact has one content from its author; every run one row with a verdict."""
    written: dict[str, set[str]] = {}
    for record in lines_of(suite / "provenance.jsonl"):
        assert not record["edited"]
        if not record["repair"]:
            written.setdefault(record["file"], set()).add(record["hash"])
    assert {file: len(hashes) for file, hashes in written.items() if len(hashes) > 1} == {}
    for path in (suite / "work" / "runs").glob("*.jsonl"):
        judged = [r for r in lines_of(path) if r["outcome"] != "invalid"]
        runs = [json.dumps([r["content"], r["kind"], r["number"]]) for r in judged]
        assert len(runs) == len(set(runs)), path.name
