"""The tool by which agents report: what it asks for, and what it refuses so that an agent can mend it."""

import asyncio
from typing import Any

import msgspec
import pytest
from tests.support.own_workplaces import REPORT
from tests.workplaces.executable.ledger import STATE, TOOLS

from worktrial.errors import DataError
from worktrial.language import JsonObject
from worktrial.suites.starter import suite
from worktrial.workplaces.executable import ExecutableWorkplace
from worktrial.workplaces.executable.code import CodeWorkplace, ScriptedEpisode
from worktrial.workplaces.executable.report_form import ReportForm

FORM = msgspec.convert(REPORT, ReportForm)
PAID = {"case": "K-2", "outcome": "PAID", "amount": 50}


def made(tools: str = TOOLS) -> CodeWorkplace:
    return CodeWorkplace.build(
        "ledger", {"tools": tools}, system_prompt="", initial_state=STATE, report=FORM, trust=True
    )


def handed_in(*lines: Any) -> JsonObject:
    return asyncio.run(made().open().call("hand_in_report", {"cases": list(lines)})).content


def test_the_tool_asks_for_a_line_a_case_with_the_codes_of_the_form() -> None:
    tool = made().artifact.tool("hand_in_report")
    assert tool is not None and tool.writes is False and tool.example_output is None
    for said in ("last call", "one line for each case", "replaces an earlier one", "not judged"):
        assert said in tool.description
    line = tool.parameters["properties"]["cases"]["items"]
    assert list(line["properties"]) == ["case", "outcome", "amount", "date", "number", "ids"]
    assert line["required"] == ["case", "outcome"]
    assert sorted(line["properties"]["outcome"]["enum"]) == ["OPEN", "PAID", "REFUSED"]
    assert "REFUSED: decided, nothing is paid" in line["properties"]["outcome"]["description"]


def test_a_report_is_taken_and_changes_nothing() -> None:
    lines = [PAID, {"case": "K-3", "outcome": "OPEN", "date": "2031-05-21", "number": 3.5, "ids": ["D-1"]}]
    assert handed_in(*lines) == {"handed_in": 2}
    assert handed_in({**PAID, "amount": None, "ids": None}) == {"handed_in": 1}
    home = made()
    calls = [("hand_in_report", {"cases": lines})]
    (done,) = asyncio.run(home.episodes([ScriptedEpisode(home.artifact.initial_state, calls)]))
    assert not done.calls[0].changed and not done.calls[0].touched and not done.calls[0].error


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([PAID, {**PAID, "case": "k 2"}], "'k 2' has two lines"),
        ([{**PAID, "sum": 50}], "cases.0.sum: unknown; expected only amount, case, date, ids, number, outcome"),
        ([{**PAID, "outcome": "PAY"}], "cases.0.outcome: 'PAY' is not one of ['OPEN', 'PAID', 'REFUSED']"),
        ([{"case": "K-2"}], "cases.0.outcome: required, but missing"),
        ([{**PAID, "amount": "fifty"}], "cases.0.amount: 'fifty' is not valid under any of the given schemas"),
        ([{**PAID, "date": "21 May"}], "date"),
        ([], "cases: [] should be non-empty"),
        (["K-2 is paid"], "cases.0: 'K-2 is paid' is not of type 'object'"),
    ],
)
def test_a_report_that_cannot_be_read_says_what_to_mend(lines: list[Any], said: str) -> None:
    assert said in handed_in(*lines)["error"]["message"]


def test_a_tool_of_the_same_name_is_refused_and_another_text_of_a_module_keeps_the_form() -> None:
    with pytest.raises(DataError, match="hand_in_report is one that the report form brings"):
        made(TOOLS.replace("def decide(", "def hand_in_report("))
    home = made()
    assert home.with_module("tools", f"{TOOLS}\n# more\n").artifact.tools == home.artifact.tools


def test_a_workplace_of_ours_may_have_one() -> None:
    home = suite.library.workplace("order_returns")
    assert isinstance(home, ExecutableWorkplace) and home.artifact.tool("hand_in_report") is None
    from worktrial.suites.starter.workplaces.order_returns import tools

    with_form = ExecutableWorkplace.build(
        "returns", tools, system_prompt="", initial_state=home.artifact.initial_state, report=FORM
    )
    session = with_form.open()
    before = session.state
    taken = asyncio.run(session.call("hand_in_report", {"cases": [PAID]}))
    assert (taken.content, session.state) == ({"handed_in": 1}, before)
