"""Policies, budgets and requests for a human, from the command line to what is shown, compared and judged again."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.support.agent_behaviours import Calls
from tests.support.cli import at, command, samples_of
from tests.support.occubench import TinyRelease
from tests.support.run_files import work_of
from tests.support.script import Script
from tests.support.scripted_server import ScriptedServer

POLICY = """
name: refunds
mode: {mode}
rules:
  - {{name: second-pair, rule: four_eyes, tool: issue_refund, argument: amount, above: 100,
     after: open_ticket, same: [order_id], why: finance signs above 100}}
  - {{name: look-first, rule: confirm, tool: issue_refund, after: get_order, same: [order_id]}}
"""


def _policy(tmp_path: Path, mode: str = "watch", more: str = "") -> Path:
    path = tmp_path / f"{mode}.yaml"
    path.write_text(POLICY.format(mode=mode) + more, "utf-8")
    return path


def _plan(tmp_path: Path, name: str, *words: Any) -> tuple[Path, dict[str, Any]]:
    run = tmp_path / name
    ran = command("run", "starter", "--agent", "plan", "--tasks", "returns-01", "-o", run, *words)
    assert ran.code == 0, ran.err
    (record,) = samples_of(run)
    return run, record


def test_a_policy_is_watched_shown_reported_and_compared(tmp_path: Path) -> None:
    watched, record = _plan(tmp_path, "watched", "--policy", _policy(tmp_path))
    assert record["outcome"] == "pass"
    (violation,) = record["violations"]
    assert (violation["rule"], violation["kind"], violation["refused"]) == ("second-pair", "four_eyes", False)
    (line,) = work_of(watched)
    assert line["calls"][violation["call"]]["tool"] == "issue_refund"
    assert violation["arguments"] == line["calls"][violation["call"]]["arguments"]

    assert (
        "policy refunds (watch): violations in 1 of 1 samples; second-pair 1; 0 refused"
        in command("show", watched).said
    )
    assert "VIOLATION second-pair (four_eyes)" in command("trajectory", watched, "returns-01").said
    shown = json.loads(command("show", watched, "--json").out)["duties"]
    assert (shown["rules"], shown["broken_in"], shown["budgeted"]) == ({"second-pair": 1}, 1, 0)

    plain, before = _plan(tmp_path, "plain")
    assert before["violations"] == []
    differs = command("compare", watched, plain)
    assert differs.code == 2 and "policy" in differs.err
    assert command("run", "starter", "--agent", "plan", "--tasks", "returns-01", "-o", watched).code == 2

    assert command("report", watched, plain, "-o", tmp_path / "report").code == 0
    page = (tmp_path / "report" / "section-duties.html").read_text("utf-8")
    assert 'id="duties"' in page and "above 100, with no open_ticket" in page
    sql = command("sql", "select rule, tool, call from violations", watched)
    assert sql.code == 0 and "second-pair" in sql.out


def test_a_policy_that_is_enforced_refuses_and_keeps_the_order_of_calls(tmp_path: Path) -> None:
    run, record = _plan(tmp_path, "enforced", "--policy", _policy(tmp_path, "enforce"))
    assert record["outcome"] == "fail"
    (violation,) = record["violations"]
    assert violation["refused"]
    (line,) = work_of(run)
    call = line["calls"][violation["call"]]
    assert [c["index"] for c in line["calls"]] == list(range(len(line["calls"])))
    assert call["observation"]["origin"] == "refusal"
    assert call["observation"]["content"]["error"]["type"] == "policy_violation"
    assert "finance signs above 100" in call["observation"]["content"]["error"]["message"]
    assert not any(r["amount"] == 138.63 for r in line["final_state"]["refunds"])


def test_a_policy_works_beside_faults(tmp_path: Path) -> None:
    _, record = _plan(tmp_path, "faults", "--policy", _policy(tmp_path), "--faults", "E2", "--fault-count", "9")
    assert record["fault_plan"] and record["fault_ledger"]
    assert "violations" in record


@pytest.mark.parametrize(("calls", "outcome"), [(12, "fail"), (13, "pass")])
def test_a_budget_is_graded_and_stays_so_when_work_is_judged_again(
    tmp_path: Path, calls: int, outcome: str
) -> None:
    policy = _policy(tmp_path, more=f"budget: {{calls: {calls}, tokens: 10}}")
    run, record = _plan(tmp_path, "run", "--policy", policy)
    assert (record["outcome"], record["calls"]) == (outcome, 13)
    kept = {c["check"]: c["passed"] for c in record["checks"][-2:]}
    within = "within the budget of"
    assert kept == {f"{within} {calls} calls": outcome == "pass", f"{within} 10 tokens": True}
    assert f"within the budget: {int(outcome == 'pass')} of 1 samples" in command("show", run).said
    again = tmp_path / "again"
    assert command("regrade", run, "-o", again).code == 0
    (regraded,) = samples_of(again)
    assert (regraded["outcome"], regraded["checks"]) == (outcome, record["checks"])
    assert regraded["violations"] == record["violations"]


def test_tokens_of_a_model_are_graded(tmp_path: Path) -> None:
    policy = _policy(tmp_path, more="budget: {tokens: 20}")
    with ScriptedServer(Script(agent=Calls((("get_order", {"order_id": "O-7701"}),)))) as server:
        words = ("run", "starter", "--agent", "agent-1", "--base-url", server.url, "--tasks", "returns-01")
        assert command(*words, "--policy", policy, "-o", tmp_path / "run").code == 0
        costly = _policy(tmp_path, "enforce", "budget: {cost: 0.5}")
        unpriced = command(*words, "--policy", costly, "-o", tmp_path / "costly")
        assert unpriced.code == 2 and "--price" in unpriced.err
        priced = command(*words, "--policy", costly, "--price", "1,1", "-o", tmp_path / "costly")
        assert priced.code == 0, priced.err
    (record,) = samples_of(tmp_path / "run")
    assert [c["passed"] for c in record["checks"] if c["check"] == "within the budget of 20 tokens"] == [False]
    (record,) = samples_of(tmp_path / "costly")
    assert [c["passed"] for c in record["checks"] if c["check"] == "within the budget of $0.5"] == [True]


@pytest.mark.parametrize("suite", ["starter", "shifts"])
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name: p\nrules: [{name: a, rule: forbid, tool: launch_rocket}]", "rules[0] (a): there is no tool"),
        ("name: p\nrules: [{name: a, rule: forbit, tool: x}]", "rules[0]"),
    ],
)
def test_a_policy_that_cannot_work_is_refused(tmp_path: Path, suite: str, text: str, said: str) -> None:
    path = tmp_path / "policy.yaml"
    path.write_text(text, "utf-8")
    ran = command("run", suite, "--agent", "idle", "--policy", path, "-o", tmp_path / "run")
    assert ran.code == 2 and said in ran.err


def test_a_human_is_asked_only_where_one_can_be(tmp_path: Path) -> None:
    asks = Calls((("request_human", {"about": "O-7701", "reason": "It is above my limit."}),))
    with ScriptedServer(Script(agent=asks, tool_calls=1)) as server:
        words = ("run", "starter", "--agent", "agent-1", "--base-url", server.url, "--tasks", "returns-01", "-o")
        assert command(*words, tmp_path / "with", "--request-human").code == 0
        offered = [tool["function"]["name"] for tool in server.requests[0].tools]
        assert command(*words, tmp_path / "without").code == 0
        assert [t["function"]["name"] for t in server.requests[-1].tools] == offered[:-1]
    assert offered[-1] == "request_human"
    (asked,), (vain,) = samples_of(tmp_path / "with"), samples_of(tmp_path / "without")
    assert asked["measures"] == {"human_requests": 1} and vain["measures"] == {}
    (line,) = work_of(tmp_path / "with")
    seen = line["calls"][0]["observation"]
    assert (seen["origin"], seen["content"]) == (
        "human",
        {"answer": "Nobody is available. Decide by your rules."},
    )
    assert "requests for a human: 1" in command("show", tmp_path / "with").said
    differs = command("compare", tmp_path / "with", tmp_path / "without")
    assert differs.code == 2 and "request_human" in differs.err


def test_a_shift_is_held_against_a_policy(tmp_path: Path) -> None:
    words = ("run", "shifts", "--agent", "greedy", "--desk", "returns_desk", "--length", "short", "--variant", "0")
    assert command(*words, "-o", tmp_path / "plain").code == 0
    (plain,) = samples_of(tmp_path / "plain")
    (line,) = work_of(tmp_path / "plain")
    last = line["calls"][-1]["tool"]
    path = tmp_path / "policy.yaml"
    # The greedy clerk never looks anything up.
    path.write_text(
        f"name: p\nrules: [{{name: look-first, rule: confirm, tool: {last}, after: read_section}}]", "utf-8"
    )
    assert command(*words, "--policy", path, "-o", tmp_path / "run").code == 0
    (record,) = samples_of(tmp_path / "run")
    made = [call["index"] for call in line["calls"] if call["tool"] == last]
    assert [violation["call"] for violation in record["violations"]] == made != []
    # Watching changes nothing.
    assert (record["measures"], record["calls"]) == (plain["measures"], plain["calls"])


def test_a_simulated_workplace_is_held_against_a_policy(tmp_path: Path) -> None:
    data = TinyRelease().write(tmp_path / "data")
    path = tmp_path / "policy.yaml"
    path.write_text("name: p\nmode: enforce\nrules: [{name: never, rule: forbid, tool: '*'}]", "utf-8")
    with ScriptedServer(Script()) as server:
        words = ("run", "occupations", "--data", data, *at(server.url), "--tasks", "11", "-o", tmp_path / "run")
        ran = command(*words, "--policy", path)
        assert ran.code == 0, ran.err
        strange = tmp_path / "strange.yaml"
        strange.write_text("name: p\nrules: [{name: a, rule: forbid, tool: launch_rocket}]", "utf-8")
        refused = command(*words, "--policy", strange)
    assert refused.code == 2 and "launch_rocket" in refused.err
    (record,) = samples_of(tmp_path / "run")
    assert len(record["violations"]) == record["calls"] > 0
    # Whoever plays the workplace was never asked.
    assert "simulator" not in record["usage"]
