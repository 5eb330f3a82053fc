"""What of a made run is the agent's own: its settings, and the trajectory that it leaves."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
from tests.support.hostile import ALL, spoilt
from tests.support.made_tasks import MadeTask
from tests.support.made_work import Work

from worktrial.engine.manifest import Manifest, SessionRecord, versions
from worktrial.engine.record import SampleRecord
from worktrial.grading import Outcome
from worktrial.workplaces.faults import FaultMode, FaultSettings

Row = dict[str, Any]

START = datetime(2026, 3, 2, 9, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class MadeAgent:
    """Who works, and how `make_run` was asked to make it."""

    name: str
    skill: float | Mapping[str, float]
    seed: int
    suite: str
    cost: float | None
    invalid: float
    effort: str | None
    calls: int
    hostile: bool
    trajectories: bool

    @property
    def judged(self) -> bool:
        """Whether a simulator plays the workplace and judges vote; the starter suite does both by code."""
        return self.suite != "starter"


def faults_of(condition: str) -> FaultSettings:
    """The settings that a condition's name stands for."""
    mode, _, size = condition.partition("/")
    count, _, length = (size or "2x2").partition("x")
    return FaultSettings(FaultMode(mode), int(count), int(length))


def trajectory_line(agent: MadeAgent, task: MadeTask, record: SampleRecord, work: Work, number: int) -> Row:
    """The line of stored work."""
    answer = f"Settled what was open in {task.domain.lower()}; two cases changed, one waits for its owner."
    thought = "The procedure asks for the owner first, so I look the case up before I change anything."
    if agent.hostile:
        answer, thought = f"{answer}\n\n{ALL}", spoilt(thought, number)
    messages: list[Row] = [
        {"role": "system", "content": "You are at work. Carry out the assignment with the tools you are given."},
        {"role": "user", "content": task.instruction},
    ]
    for call in work.calls:
        index = call["index"]
        function = {"name": call["tool"], "arguments": msgspec.json.encode(call["arguments"]).decode()}
        said: Row = {"role": "assistant", "content": thought if index % 3 == 0 else None}
        if index % 4 == 1:
            said["reasoning_content"] = thought
        said["tool_calls"] = [{"id": f"call_{index}", "type": "function", "function": function}]
        seen = msgspec.json.encode(call["observation"]["content"]).decode()
        messages += [said, {"role": "tool", "tool_call_id": f"call_{index}", "content": seen}]
    finished = record.outcome is not Outcome.INVALID
    if finished:
        messages.append({"role": "assistant", "content": answer})
    whose = {"suite": agent.suite, "sample": task.id, "repeat": record.repeat, "condition": record.condition}
    return {
        **whose,
        "outcome": record.outcome,
        "reason": record.reason,
        "instruction": task.instruction,
        "clock": record.clock,
        "answer": answer if finished else None,
        "stop_reason": record.stop_reason,
        "messages": messages,
        "calls": work.calls,
        "final_state": None if agent.judged else {"cases": {"C-00": {"status": "settled"}}},
    }


def manifest_of(
    agent: MadeAgent, tasks: Sequence[MadeTask], repeats: int, conditions: Sequence[str], cost: float
) -> Manifest:
    """The manifest of the finished run."""
    rest: Row = {"temperature": None, "max_tokens": None, "tool_mode": "native", "structured": "auto", "extra": {}}
    roles: Row = {"agent": {"model": agent.name, "effort": agent.effort, **rest}}
    if agent.judged:
        roles |= {role: {"model": f"{role}-1", "effort": None, **rest} for role in ("simulator", "judge")}
    faults = [faults_of(name) for name in conditions]
    settings: Row = {
        "agent": agent.name,
        "tasks": [task.id for task in tasks],
        "votes": 3,
        "parallel_votes": False,
        "judge_method": "votes",
        "judge_record": 120000,
        "repeats": repeats,
        "memory": "history",
        "simulator_prompt": "full",
        "limits": {"turns": 60, "tokens": None, "seconds": None, "cost": None},
        "roles": roles,
    }
    if any(f.mode is not FaultMode.E0 for f in faults):
        settings["faults"] = {
            "settings": [
                {"mode": f.mode, "count": f.count, "duration": f.duration, "seed": 0, "unit": "call"}
                for f in faults
            ],
            "prompted": False,
        }
    session = SessionRecord(
        started=START.isoformat(),
        command=["worktrial", "run", agent.suite, "--agent", agent.name],
        endpoints=dict.fromkeys(roles, "http://127.0.0.1:8000/v1"),
        versions=versions(),
        ended=(START + timedelta(hours=1)).isoformat(),
        end="done",
        cost=round(cost, 9),
        tokens=0,
    )
    return Manifest(
        suite=agent.suite,
        data={"folder": "made", "fingerprint": f"made-{agent.seed}-{len(tasks)}"},
        settings=settings,
        samples=len(tasks) * repeats * len(conditions),
        sessions=[session],
    )
