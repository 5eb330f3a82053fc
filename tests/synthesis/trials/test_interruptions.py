"""A synthesis that a person or a budget stops says how to go on, and goes on from there."""

import shlex
import signal
from pathlib import Path

import pytest
from tests.support.cli import Ran, lines_of, worktrial
from tests.support.scripted_server import ScriptedServer
from tests.support.synthesis.command import SMALL, began, ended, suite_of, until, words
from tests.support.synthesis.office import office
from tests.support.synthesis.paid import Till

CONCURRENCY = 8
PRICES = [w for role in ("synthesizer", "agent", "simulator", "judge") for w in (f"--{role}-price", "10,30")]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, object], int]:
    """A suite that was made in one go, and how many answers that took. To make it again costs nothing."""
    suite = tmp_path_factory.mktemp("undisturbed") / "suite"
    with ScriptedServer(office("small")) as server:
        ran = worktrial(*words(server.url, suite, *SMALL))
        assert ran.code == 0, ran.err
        made, asked = suite_of(suite), server.count()
        # The folder remembers who takes part, and for what.
        again = worktrial("synthesize", "-o", suite, "--yes")
        assert again.code == 0, again.err
        assert (suite_of(suite), server.count()) == (made, asked)
        return made, server.stats()["statuses"]["200"]


@pytest.mark.parametrize(("how", "requests"), [(signal.SIGTERM, 5), (signal.SIGINT, 250)])
def test_an_interrupted_session_says_how_to_go_on(
    how: signal.Signals, requests: int, undisturbed: tuple[dict[str, object], int], tmp_path: Path
) -> None:
    suite = tmp_path / "a suite"
    with ScriptedServer(office("small", latency=0.005)) as server:
        till = Till(server, suite)
        child = began(*words(server.url, suite, *SMALL, "--concurrency", CONCURRENCY))
        until(child, server, requests)
        child.send_signal(how)
        ran = ended(child)
        assert (ran.code, "Traceback" in ran.err) == (130, False), ran.err
        assert till.close_session() == [], "what was in flight came to its end and is kept"
        again = ended(began(*_resumption(ran)))
        assert again.code == 0, again.err
        assert till.close_session() == []
    assert (suite_of(suite), till.paid) == undisturbed
    ends = [session["end"] for session in lines_of(suite / "work" / "sessions.jsonl")]
    assert ends == ["interrupted", "done"]


@pytest.mark.parametrize(
    ("budget", "spent"), [(("--max-tokens", 150_000), "tokens"), (("--max-cost", 1.5), "cost")]
)
def test_a_spent_budget_stops_cleanly(
    budget: tuple[str, float], spent: str, undisturbed: tuple[dict[str, object], int], tmp_path: Path
) -> None:
    suite = tmp_path / "suite"
    with ScriptedServer(office("small")) as server:
        till = Till(server, suite)
        command = words(server.url, suite, *SMALL, *PRICES, "--concurrency", CONCURRENCY)
        ran = worktrial(*command, *budget)
        assert (ran.code, "Traceback" in ran.err) == (130, False), ran.err
        assert "Raise the budget" in ran.err
        # Whoever was under way when it was spent has got, and kept, the answer.
        assert till.close_session() == []
        paid = lines_of(suite / "work" / "spend.jsonl")
        beyond = sum(sorted((row[spent] for row in paid), reverse=True)[:CONCURRENCY])
        assert budget[1] <= sum(row[spent] for row in paid) <= budget[1] + beyond
        # The budget is of all sessions together: with the same one nothing more is asked.
        asked = server.count()
        assert worktrial(*command, *budget).code == 130
        assert server.count() == asked
        again = worktrial(*command, budget[0], 100 * budget[1])
        assert again.code == 0, again.err
        assert till.close_session() == []
    assert (suite_of(suite), till.paid) == undisturbed


def _resumption(ran: Ran) -> list[str]:
    """The words of the command that it says resumes it."""
    said = next(line for line in ran.err.splitlines() if line.startswith("  worktrial "))
    return shlex.split(said)[1:]
