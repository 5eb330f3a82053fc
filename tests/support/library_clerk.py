"""A clerk of the tool library who looks everything up and goes by the rules, but for mistakes it is told of."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from tests.support.request import ScriptedRequest, text_of
from tests.support.script import Behaviour
from tests.support.wire import Body, completion, json_text, tool_call

from worktrial.workplaces.executable.report_form import REPORT_TOOL

_LOAN = re.compile(r"L-\d{4}")
_RUN = re.compile(r"call_run(\d+)_")
_GONE = re.compile(r"gone for good|잃어버렸습니다")

Record = dict[str, Any]
Errs = Callable[[int, str], bool]
"""Whether the run of this number, counted by instruction, makes its mistake in this task."""


def never(run: int, task: str) -> bool:
    return False


def every_other(run: int, task: str) -> bool:
    return run % 2 == 1


@dataclass(frozen=True)
class Clerk(Behaviour):
    """Looks up every loan of its instruction with member and tool, acts, and reports."""

    errs: Errs = never
    """A run that errs extends every loan that it is asked to, and charges the full price."""

    def answer(self, request: ScriptedRequest) -> Body:
        try:
            return self._answer(request)
        except (LookupError, TypeError, ValueError):
            # A degraded answer lacks what the next step needs.
            return completion("The system did not show what I need, so nothing more was done.")

    def _answer(self, request: ScriptedRequest) -> Body:
        task = text_of(next(m for m in request.messages if m["role"] == "user"))
        run = self._run_of(request, task)
        seen = _observations(request)
        loans = list(dict.fromkeys(_LOAN.findall(task)))
        if "get_loan" not in seen:
            asked = [("get_today", {}), *(("get_loan", {"loan_id": loan}) for loan in loans)]
            return _calls(asked, run, "look")
        found = {entry["loan_id"]: entry["loan"] for entry in seen["get_loan"]}
        if "get_member" not in seen:
            asked = [("get_member", {"member_id": loan["member_id"]}) for loan in found.values()]
            asked += [("get_tool", {"tool_id": loan["tool_id"]}) for loan in found.values()]
            return _calls(asked, run, "more")
        today = date.fromisoformat(seen["get_today"][0]["now"][:10])
        members = {entry["member_id"]: entry["member"] for entry in seen["get_member"]}
        tools = {entry["tool_id"]: entry for entry in seen["get_tool"]}
        acts, lines = [], []
        for asked_for in task.splitlines():
            for loan_id in dict.fromkeys(_LOAN.findall(asked_for)):
                loan = found[loan_id]
                call, line = _decided(
                    loan_id, loan, members[loan["member_id"]], tools[loan["tool_id"]], today,
                    gone=bool(_GONE.search(asked_for)), errs=self.errs(run, task),
                )  # fmt: skip
                acts += [call] if call else []
                lines.append(line)
        if acts and not {"extend_loan", "charge_loss"} & seen.keys():
            return _calls(acts, run, "act")
        if REPORT_TOOL not in seen:
            return _calls([(REPORT_TOOL, {"cases": lines})], run, "report")
        return completion("The report is handed in.")

    def _run_of(self, request: ScriptedRequest, task: str) -> int:
        began = _RUN.search(json_text(request.messages))
        if began:
            return int(began[1])
        counts: dict[str, int] = request.memory.setdefault(("clerk", request.role), {})
        counts[task] = counts.get(task, -1) + 1
        return counts[task]


def _decided(
    loan_id: str, loan: Record, member: Record, tool: Record, today: date, *, gone: bool, errs: bool
) -> tuple[tuple[str, Record] | None, Record]:
    """The act on a loan, and the line that reports it."""
    if gone:
        bought = date.fromisoformat(tool["tool"]["bought"])
        years = today.year - bought.year - ((today.month, today.day) < (bought.month, bought.day))
        price = tool["tool"]["price"]
        amount = price if errs else round(max(5.0, price * (10 - years) / 10), 2)
        line = {"case": loan_id, "outcome": "CHARGED", "amount": amount}
        return ("charge_loss", {"loan_id": loan_id, "amount": amount}), line
    refused = loan["extended"] or tool["reserved_by"] or (member["fees"] > 20 and not member["staff"])
    if refused and not errs:
        why = "EXTENDED_BEFORE" if loan["extended"] else "RESERVED" if tool["reserved_by"] else "FEES_OWED"
        return None, {"case": loan_id, "outcome": why, "date": loan["due"]}
    due = (date.fromisoformat(loan["due"]) + timedelta(days=21 if errs else 14)).isoformat()
    line = {"case": loan_id, "outcome": "EXTENDED", "date": due}
    return ("extend_loan", {"loan_id": loan_id, "due": due}), line


def _observations(request: ScriptedRequest) -> dict[str, list[Record]]:
    names = {
        call["id"]: call["function"]["name"]
        for message in request.messages
        for call in message.get("tool_calls") or ()
    }
    seen: dict[str, list[Record]] = {}
    for message in request.messages:
        if message["role"] == "tool":
            content = json.loads(message["content"])
            seen.setdefault(names[message["tool_call_id"]], []).append(content)
    return seen


def _calls(asked: list[tuple[str, Record]], run: int, stage: str) -> Body:
    calls = [tool_call(name, given, f"call_run{run}_{stage}_{i}") for i, (name, given) in enumerate(asked)]
    return completion(None, tool_calls=calls, finish_reason="tool_calls")


@dataclass(frozen=True)
class Referee(Behaviour):
    """Decides between two ends: for the one that a rule of its own picks, with a quote of the desk's rules."""

    says: str = "right"
    """`right` finds the end that extends by 14 days and refuses what has to be refused; else its only word."""
    quote: str = "A loan may be extended once"

    def answer(self, request: ScriptedRequest) -> Body:
        found = self.says if self.says != "right" else _nearer(text_of(request.messages[-1]))
        reply = {"why": "The rule says so.", "right": found, "quotes": [{"id": "C-01", "quote": self.quote}]}
        if found == "unsaid":
            reply["question"] = "Which of the two days counts?"
        return completion(json_text(reply))


def _nearer(prompt: str) -> str:
    """The person whose due dates are fewer days on, or whose charge is less: the clerk errs to more."""
    first = re.findall(r"person 1: (.*)", prompt)
    second = re.findall(r"person 2: (.*)", prompt)
    for one, other in zip(first, second, strict=True):
        if one != other:
            return "first" if (len(one), one) < (len(other), other) else "second"
    return "neither"


@dataclass(frozen=True)
class Library(Behaviour):
    """One model in every role at the tool library: works, errs in every other run, and rules between two ends."""

    def answer(self, request: ScriptedRequest) -> Body | None:
        if any(tool["function"]["name"] == "get_loan" for tool in request.tools):
            return Clerk(every_other).answer(request)
        if "WHERE THE ENDS DIFFER" in text_of(request.messages[0]):
            return Referee().answer(request)
        return None
