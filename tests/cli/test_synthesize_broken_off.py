"""A synthesis that is interrupted, killed, or out of budget, and goes on."""

import random
import shlex
import signal
import time
from pathlib import Path

from tests.support.cli import Word, command, count_lines, interrupt, lines_of, start
from tests.support.scripted_server import ScriptedServer
from tests.synthesis.small_author import models, small

SIZE: tuple[Word, ...] = ("--tasks", 4, "--fresh-runs", 2, "--concurrency", 4)


def words(server: ScriptedServer, suite: Path) -> list[Word]:
    return ["synthesize", "--job", "parcel clerk", *models(server.url), *SIZE, "-o", suite]


def synthesize_undisturbed(folder: Path) -> None:
    with ScriptedServer(small()) as server:
        assert command(*words(server, folder)).code == 0


def tokens_of_artifacts(suite: Path) -> int:
    """Tokens on record that no run accounts for, thus those of the author's answers."""
    paid = sum(row["tokens"] for row in lines_of(suite / "work" / "spend.jsonl"))
    return paid - sum(row["tokens"] for runs in (suite / "work" / "runs").iterdir() for row in lines_of(runs))


def test_an_interrupted_synthesis_says_how_to_go_on(tmp_path: Path) -> None:
    suite = tmp_path / "a suite"
    with ScriptedServer(small(latency=0.02)) as server:
        ran = interrupt(start(*words(server, suite)), signal.SIGINT, suite / "work" / "spend.jsonl", at_least=40)
        assert (ran.code, "Traceback" in ran.err) == (130, False), ran.err
        asked = server.count()
        time.sleep(0.1)
        assert server.count() == asked
        resume = shlex.split(next(line for line in ran.err.splitlines() if line.startswith("  worktrial ")))
        assert resume == ["worktrial", *map(str, words(server, suite))]
        assert "tasks kept" in ran.err
        assert command(*resume[1:]).code == 0
    ends = [row["end"] for row in lines_of(suite / "work" / "sessions.jsonl")]
    assert ends == ["interrupted", "done"]


def test_a_spent_budget_repeats_no_request(tmp_path: Path) -> None:
    synthesize_undisturbed(tmp_path / "whole")
    suite = tmp_path / "suite"
    with ScriptedServer(small(latency=0.005)) as server:
        for tokens in range(12_000, 84_000, 24_000):
            ran = command(*words(server, suite), "--max-tokens", tokens)
            assert ran.code == 130, ran.said
            assert "is spent (--max-tokens)" in ran.said
            assert "Raise the budget and resume" in ran.said
        assert command(*words(server, suite)).code == 0
        assert server.count() == count_lines(suite / "work" / "spend.jsonl")
    assert tokens_of_artifacts(suite) == tokens_of_artifacts(tmp_path / "whole")


def test_kills_lose_nothing_finished_and_repeat_only_what_was_under_way(tmp_path: Path) -> None:
    synthesize_undisturbed(tmp_path / "whole")
    suite = tmp_path / "suite"
    draw = random.Random(7)
    kills = 5
    with ScriptedServer(small(latency=0.01)) as server:
        at = 0
        for _ in range(kills):
            at += draw.randint(6, 36)
            ran = interrupt(
                start(*words(server, suite)), signal.SIGKILL, suite / "work" / "spend.jsonl", at_least=at
            )
            assert ran.code == -signal.SIGKILL, ran.err
            at = count_lines(suite / "work" / "spend.jsonl")
        files = {path: path.read_bytes() for path in (suite / "work" / "drafts").glob("[!.]*")}
        ran = command(*words(server, suite))
        assert ran.code == 0, ran.said
        # Each kill can cost the answers that were on their way, and nothing else. How many runs a task takes
        # follows from the outcomes, and whom the scripted agent lets down from the order of its requests; so
        # the answers are compared with those on record, and not with another synthesis.
        answers = count_lines(suite / "work" / "spend.jsonl")
        assert answers <= server.count() <= answers + 4 * kills
    # An answer is kept before its tokens are counted, so a kill may come between; none is paid for twice.
    assert tokens_of_artifacts(suite) <= tokens_of_artifacts(tmp_path / "whole")
    for path, content in files.items():
        assert path.read_bytes() == content
    assert not any(row["edited"] for row in lines_of(suite / "provenance.jsonl"))
    assert len(lines_of(suite / "tasks.jsonl")) == 4
