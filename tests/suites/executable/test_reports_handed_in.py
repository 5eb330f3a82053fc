"""Suites of one's own with a report form: commands, faults, doors, and folders that cannot be used."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from mcp.client.client import Client
from tests.sandbox.sessions import needs_sandbox
from tests.support.cli import worktrial
from tests.support.own_workplaces import REPORT, write_reporting_suite
from tests.support.served import served

import worktrial as face
from worktrial.errors import DataError
from worktrial.suite import find_suite
from worktrial.suites.executable.folder import OwnExecutableSuite, TrustOptions

CASES = {"cases": [{"case": "K-2", "outcome": "PAID", "amount": 50}]}


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    return write_reporting_suite(tmp_path / "ledger-trial")


@pytest.mark.slow
def test_reference_agents_report_under_every_fault(suite: Path, tmp_path: Path) -> None:
    for agent in ("plan", "careful", "greedy"):
        run = face.run(suite, agent=agent, trust=True, faults="all", out=tmp_path / agent)
        clean = [record for record in run.run.records if record.condition == "E0"]
        assert [record.outcome for record in clean] == ["pass", "pass"], agent
        for record in run.run.records:
            calls = [call["tool"] for call in run.trajectory(*record.key)["calls"]]
            assert calls.count("hand_in_report") >= 1, (agent, record.condition)
    idle = face.run(suite, agent="idle", trust=True, out=tmp_path / "idle")
    assert idle.completion == 0.0


def test_a_report_that_never_arrived_is_none(suite: Path, tmp_path: Path) -> None:
    """An agent that does the work, and takes no notice of the error that its report meets."""

    async def agent(assignment: Any) -> str:
        await assignment.call("get_claim", {"claim_id": "K-2"})
        seen = await assignment.call("hand_in_report", CASES)
        return f"K-2 is PAID with 50. {seen}"

    async def run(faults: str) -> Any:
        return await face.run_async(suite, agent, trust=True, faults=faults, repeats=5, out=tmp_path / faults)

    records = asyncio.run(run("E1")).run.records
    struck = ["hand_in_report" in [row.tool for row in record.fault_ledger] for record in records]
    assert any(struck) and not all(struck)
    for record, missed in zip(records, struck, strict=True):
        whys = [check.why for check in record.checks]
        assert missed == ("no report was handed in" in whys)


@needs_sandbox
@pytest.mark.slow
def test_commands_show_what_was_handed_in(suite: Path, tmp_path: Path) -> None:
    run, tools = tmp_path / "run", suite / "workplaces" / "ledger" / "tools.py"
    unknown = 'if claim_id not in state.claims:\n        raise ToolError("unknown_claim", claim_id)\n    '
    decides = 'state.claims[claim_id].status = "DECIDED"'
    tools.write_text(tools.read_text("utf-8").replace(decides, unknown + decides), "utf-8")
    assert worktrial("lint", suite).code == 0
    validated = worktrial("validate", suite)
    assert validated.code == 0, validated.said
    ran = worktrial("run", suite, "--agent", "plan", "-o", run)
    assert ran.code == 0 and "2 passed" in ran.said
    shown = worktrial("trajectory", run, "ledger-01").out
    assert "hand_in_report" in shown and '"outcome"' in shown.replace("'", '"')
    again = worktrial("regrade", run, "-o", tmp_path / "again")
    assert again.code == 0 and "0 of 2 outcomes differ" in again.said
    assert worktrial("report", run, "-o", tmp_path / "site").code == 0


def test_a_report_comes_in_over_http_and_mcp(suite: Path, tmp_path: Path) -> None:
    with served(tmp_path / "run", "--trust", suite=str(suite)) as server:
        opened = server.open(sample="ledger-01")
        assert server.call(opened, "decide", {"claim_id": "K-2", "amount": 50})[0] == 200
        twice = {"cases": [*CASES["cases"], *CASES["cases"]]}
        assert "has two lines" in json.dumps(server.call(opened, "hand_in_report", twice)[1])
        assert server.call(opened, "hand_in_report", CASES)[1]["observation"] == {"handed_in": 1}
        assert server.finish(opened)[1]["outcome"] == "pass"
        opened = server.open(sample="ledger-02")

        async def over_mcp() -> None:
            async with Client(opened["mcp"], mode="auto") as client:
                tools = {tool.name: tool for tool in (await client.list_tools()).tools}
                line = tools["hand_in_report"].input_schema["properties"]["cases"]["items"]
                assert sorted(line["properties"]["outcome"]["enum"]) == sorted(REPORT["outcomes"])
                await client.call_tool("decide", {"claim_id": "K-8", "amount": 7})
                line = {"case": "K-8", "outcome": "PAID", "amount": 7}
                seen = await client.call_tool("hand_in_report", {"cases": [line]})
                assert seen.structured_content == {"handed_in": 1}

        asyncio.run(over_mcp())
        assert server.finish(opened)[1]["outcome"] == "pass"


def form_with(report: Any) -> Callable[[Path], None]:
    """Another form; None for none."""

    def write(place: Path) -> None:
        found = yaml.safe_load((place / "workplace.yaml").read_text("utf-8"))
        del found["report"]
        changed = found if report is None else {**found, "report": report}
        (place / "workplace.yaml").write_text(yaml.safe_dump(changed), "utf-8")

    return write


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (form_with({}), r"workplace\.yaml: .*outcomes.*report"),
        (form_with({"outcomes": {"PAID": "paid"}}), r"workplace\.yaml: .*length >= 2.*report\.outcomes"),
        (form_with({"outcomes": {"PAID": "paid", True: "open"}}), r"workplace\.yaml: .*key True is not text"),
        (form_with({"outcomes": {"PAID": "paid", "OPEN": ""}}), r"workplace\.yaml: .*report\.outcomes"),
        (form_with({**REPORT, "amount": "crowns"}), r"workplace\.yaml: .*unknown field `amount`.*report"),
        (form_with(None), "the workplace has no such tool"),
    ],
)
def test_a_form_that_cannot_be_used_says_why(suite: Path, spoil: Callable[[Path], None], said: str) -> None:
    spoil(suite / "workplaces" / "ledger")
    with pytest.raises(DataError, match=said):
        assert tasks_of(suite)


def tasks_of(suite: Path) -> Any:
    found = find_suite(suite)
    assert isinstance(found, OwnExecutableSuite)
    return found.library_of(TrustOptions(trust=True)).tasks


def tasks_with(place: Path, change: Callable[[dict[str, Any]], None]) -> None:
    file = place / "tasks.yaml"
    tasks = yaml.safe_load(file.read_text("utf-8"))
    change(tasks["tasks"][0])
    file.write_text(yaml.safe_dump(tasks), "utf-8")


def test_a_check_that_the_form_cannot_meet_says_why(suite: Path) -> None:
    place = suite / "workplaces" / "ledger"

    def misspelt(task: dict[str, Any]) -> None:
        task["checks"][2]["outcome"] = ["PAID", "PAYD"]

    tasks_with(place, misspelt)
    with pytest.raises(DataError, match=r"checks: report_line of K-2: the outcome 'PAYD' is none of OPEN, PAID"):
        tasks_of(suite)
    form_with(None)(place)

    def without_call(task: dict[str, Any]) -> None:
        task["plan"]["steps"].pop()

    tasks_with(place, without_call)
    with pytest.raises(DataError, match=r"checks: report_line: the workplace has no report form"):
        tasks_of(suite)
