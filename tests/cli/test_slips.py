"""Slips of the hand: each is answered by what was meant."""

from pathlib import Path

import pytest
from tests.support.cli import command

CRASHES = 'async def agent(assignment):\n    seen = {}\n    return seen["answer"]\n'


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("rn", "starter"), "there is no command rn: did you mean run?"),
        (("run", "starter", "--agent", "paln"), "--agent paln: there is no such agent; did you mean plan?"),
        (("run", "starter", "--agent", "mine.py:agent"), "did you mean python:mine.py:agent?"),
        # No agent is near: it is a model, which needs an endpoint.
        (("run", "starter", "--agent", "gpt-9"), "--agent gpt-9: no endpoint for this model"),
    ],
)
def test_a_slip_is_answered_by_what_was_meant(words: tuple[str, ...], said: str, tmp_path: Path) -> None:
    place = ("-o", tmp_path / "run") if words[0] == "run" else ()
    ran = command(*words, *place)
    assert ran.code == 2 and said in " ".join(ran.said.replace("│", " ").split()), ran.said


def test_a_desk_is_named_as_the_ids_of_its_shifts_are(tmp_path: Path) -> None:
    run = tmp_path / "run"
    words = ("--desk", "charge-nurse", "--length", "short", "--variant", "0", "--agent", "idle", "-o", run)
    assert command("run", "shifts", *words).code == 0
    assert "charge-nurse-short-0" in command("show", run, "--json").out + (run / "samples.jsonl").read_text("utf-8")


def test_the_line_where_an_agent_crashed_is_shown(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(CRASHES, "utf-8")
    run = tmp_path / "run"
    ran = command("run", "starter", "--agent", f"python:{tmp_path}/mine.py:agent", "--tasks", "lab-01", "-o", run)
    assert ran.code == 3, ran.said
    shown = " ".join(command("trajectory", run, "lab-01").out.replace("│", " ").split())
    assert "where the agent crashed" in shown
    assert 'line 3, in agent return seen["answer"]' in shown and "KeyError: 'answer'" in shown
