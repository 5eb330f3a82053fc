"""What an agent of a made run did in one sample: calls, some of them degraded, and what it said."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from tests.support.hostile import ALL, spoilt
from tests.support.made_tasks import MadeTask

from worktrial.workplaces.faults import DegradedCall, FaultEvent, FaultKind, FaultMiss
from worktrial.workplaces.faults.content import digest, touched
from worktrial.workplaces.faults.transforms import failed

TOOLS = ("list_cases", "get_case", "search_records", "read_procedure", "update_case", "notify_team")

Row = dict[str, Any]


@dataclass(slots=True)
class Work:
    """One sample's work."""

    calls: list[Row] = field(default_factory=list)
    ledger: list[DegradedCall] = field(default_factory=list)
    misses: list[FaultMiss] = field(default_factory=list)


def work_on(
    task: MadeTask,
    plan: Sequence[FaultEvent],
    random: Random,
    *,
    calls: int,
    notices: float,
    origin: str,
    hostile: bool,
) -> Work:
    """About `calls` calls, and those that are made again because an answer was degraded.

    Args:
        task: What it is about.
        plan: The sample's `fault_plan`, counted in calls.
        random: Where chance comes from.
        calls: How many different questions the agent has.
        notices: How likely it asks again after a silent fault; after an open one it is likelier.
        origin: Who answers where no fault does.
        hostile: Whether tools, arguments and answers carry attacks.
    """
    done = Work()
    for number in range(calls):
        tool, arguments = _question(task, number, hostile)
        clean = _answer(task, number, hostile)
        tries = 0
        while True:
            index = len(done.calls)
            event = next((e for e in plan if e.covers(index)), None)
            observation: Row = {"content": clean, "origin": origin, "exchange": [], "clean": None, "fault": None}
            if event is not None:
                observation = _degraded(event, index, tool, arguments, clean, origin, done)
            call = {"index": index, "turn": index, "tool": tool, "arguments": arguments, "observation": observation}
            done.calls.append({**call, "seconds": round(random.lognormvariate(-0.5, 0.6), 4)})
            tries += 1
            eager = 0.0 if event is None or tries > 5 else notices if event.mode == "E2" else notices + 0.35
            if random.random() >= eager:
                break
    reached = len(done.calls)
    done.misses.extend(FaultMiss(event=e.index, why="not_reached") for e in plan if e.first >= reached)
    return done


def _question(task: MadeTask, number: int, hostile: bool) -> tuple[str, Row]:
    tool = TOOLS[number % len(TOOLS)]
    arguments: Row = {"case_id": f"{task.id}-{number // 2 + 1}", "page": number % 3 + 1}
    if tool == "update_case":
        arguments |= {"fields": {"status": "settled", "note": "as the procedure says"}}
    if hostile:
        return spoilt(tool, number), {**arguments, spoilt("why", number): ALL}
    return tool, arguments


def _answer(task: MadeTask, number: int, hostile: bool) -> Row:
    rows = [
        {
            "id": f"C-{number}{row}",
            "owner": ("Ines Aldana", "Paul Weber", "Mira Sato")[row],
            "due": f"2026-03-{10 + row:02}",
            "status": ("open", "waiting", "settled")[(number + row) % 3],
            "amount": round(120.5 * (row + 1) + number, 2),
        }
        for row in range(3)
    ]
    answer: Row = {"count": len(rows), "domain": task.domain, "cases": rows, "checked_by": "records desk"}
    if hostile:
        answer |= {spoilt("note", number): ALL, "long": "A very long line. " * 1200, "nothing": None}
    return answer


def _degraded(event: FaultEvent, index: int, tool: str, arguments: Row, clean: Row, origin: str, done: Work) -> Row:
    explicit = event.mode == "E1"
    content = failed(FaultKind(event.kind), tool) if explicit else _silently(event.kind, clean)
    done.ledger.append(
        DegradedCall(
            event=event.index,
            call=index,
            turn=index,
            tool=tool,
            arguments=arguments,
            mode=event.mode,
            kind=event.kind,
            clean=None if explicit else digest(clean),
            degraded=digest(content),
            fields=[] if explicit else list(touched(clean, content)),
        )
    )
    return {
        "content": content,
        "origin": "fault" if explicit else origin,
        "exchange": [],
        "clean": None if explicit else clean,
        "fault": event.kind,
    }


def _silently(kind: str, clean: Row) -> Row:
    rows: list[Row] = clean["cases"]
    if kind == FaultKind.LIST_CUT:
        return {**clean, "cases": rows[:1]}
    if kind == FaultKind.VALUES_EMPTIED:
        return {**clean, "checked_by": "", "cases": [{**row, "due": None} for row in rows]}
    if kind == FaultKind.STALE:
        return {**clean, "cases": [{**rows[0], "status": "unknown", "amount": 0.0}, *rows[1:]]}
    kept = [{k: v for k, v in row.items() if k != "due"} for row in rows]
    return {k: v for k, v in {**clean, "cases": kept}.items() if k != "checked_by"}
