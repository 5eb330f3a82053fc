"""Faults on the tools of a free-running team, through the command line."""

import re
from pathlib import Path
from typing import Any

import pytest
from tests.support.cli import command, samples_of
from tests.support.orchestration import TinyTeam, call, note, plan, user, workflow
from tests.support.request import ScriptedRequest
from tests.support.script import Answer, Script, Step
from tests.support.scripted_server import ScriptedServer
from tests.support.wire import completion, tool_call

FREE = ["--mode", "free", "--language", "en"]
SENT = {"status": "success", "number": 17, "sent_at": "2026-03-02T09:05", "weight": 20, "post_office": "Skagen"}
FRIENDS = ("Ida", "Jon", "Kim", "Lea")
# One after the other, so that every run makes its calls in the same order. The first call is never degraded.
GREETINGS = (
    note(),
    user("Greet my friends."),
    plan(
        **{
            f"workflow_{n}": workflow(("post_agent", f"Greet {name}"), after=f"workflow_{n - 1}" if n > 1 else ())
            for n, name in enumerate(FRIENDS, 1)
        }
    ),
    *(call("post_agent", "send", result=SENT, to=name, text="Hello") for name in FRIENDS),
)
_ASKED = re.compile(r"# Request to post_agent\nGreet (\w+)")


def _team(insists: bool) -> Step:
    """Plans as the recording does. Its domain agent calls once; one that insists, until no error comes back."""

    def step(request: ScriptedRequest) -> Answer:
        if not request.tools:
            done = "It is done." in request.last_user_text
            return completion("All greeted." if done else str(GREETINGS[2]["data"]["content"]))
        results = [str(m["content"]) for m in request.messages if m.get("role") == "tool"]
        if results and ("success" in results[-1] or not insists):
            return completion("It is done.")
        (asked,) = _ASKED.findall(request.last_user_text)
        made = tool_call("send", {"to": asked, "text": "Hello"}, f"call_{request.number}")
        return completion(None, tool_calls=[made], finish_reason="tool_calls")

    return step


def _run(tmp_path: Path, insists: bool, modes: str) -> tuple[dict[str, dict[str, Any]], Path]:
    """The records by condition; one event of one call."""
    data, run = TinyTeam({"EN/1": GREETINGS}).write(tmp_path / "data"), tmp_path / "run"
    with ScriptedServer(Script(agent=_team(insists))) as server:
        words = ["--data", data, *FREE, "--agent", "agent-1", "--base-url", server.url, "--simulator", "none"]
        words += ["--faults", modes, "--fault-count", 1, "--fault-duration", 1]
        ran = command("run", "orchestration", *words, "-o", run)
    assert ran.code == 0, ran.err
    return {record["condition"]: record for record in samples_of(run)}, run


def test_every_degraded_call_is_on_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    by_mode, run = _run(tmp_path, True, "all")
    assert sorted(by_mode) == ["E0", "E1", "E2", "E3"]
    assert not by_mode["E0"]["fault_plan"]
    assert {record["outcome"] for record in by_mode.values()} == {"pass"}
    for mode in ("E1", "E2", "E3"):
        record = by_mode[mode]
        (planned,) = record["fault_plan"]
        (row,) = record["fault_ledger"]
        assert (row["tool"], row["event"], row["mode"]) == ("send", 0, planned["mode"])
        assert row["call"] == planned["first"] > 0
        explicit = row["mode"] == "E1"
        # An open failure has the call made again; an implicit one goes unnoticed here.
        assert record["calls"] == (5 if explicit else 4)
        assert (row["effect"] == "none") == (explicit and row["kind"] != "lost_acknowledgement")
        shown = command("trajectory", run, "EN/1", "--condition", mode)
        assert (shown.code, f"fault: {row['kind']}" in shown.said) == (0, True), shown.said
    shown = command("show", run)
    assert "robustness R = 1.00" in shown.said
    for mode in by_mode:
        assert f"EN · {mode}" in shown.said


def test_a_team_that_takes_an_error_for_an_answer(tmp_path: Path) -> None:
    by_mode, _ = _run(tmp_path, False, "E0,E1")
    reached = {
        mode: sum(goal["reached"] for goal in record["measures"]["free"]["goals"])
        for mode, record in by_mode.items()
    }
    # A call that failed reached nothing, however right it was.
    assert reached == {"E0": 4, "E1": 3}
    assert (by_mode["E0"]["outcome"], by_mode["E1"]["outcome"]) == ("pass", "fail")


def test_the_reference_team_under_faults(tmp_path: Path) -> None:
    run = tmp_path / "run"
    ran = command("run", "orchestration", *FREE, "--agent", "gold", "--faults", "E0,E2", "-o", run)
    assert ran.code == 0, ran.err
    records = samples_of(run)
    assert len(records) == 10
    struck = [row for record in records for row in record["fault_ledger"]]
    assert {row["mode"] for row in struck} == {"E2"}
    assert all(row["clean"] for row in struck)


def test_prompted_faults_need_somebody_to_prompt(tmp_path: Path) -> None:
    ran = command("run", "orchestration", *FREE, "--agent", "gold", "--faults", "prompted", "-o", tmp_path / "run")
    assert (ran.code, "Name one with --simulator" in ran.said) == (2, True)
    assert "--faults prompted" in ran.said
