"""Several models in one role, and the one gate that all requests of a run pass."""

import asyncio
from pathlib import Path

from tests.engine.rig import QUICK, TinyTrial, role_settings
from tests.support import behaviours
from tests.support.cli import samples_of
from tests.support.script import Script
from tests.support.scripted_server import ScriptedServer

from worktrial.engine.record import SampleResult
from worktrial.engine.roles import Role
from worktrial.engine.run import run_trial
from worktrial.engine.run_plan import RunSettings
from worktrial.engine.trial import Job, SampleContext
from worktrial.grading import Outcome


async def ask_everyone(job: Job, context: SampleContext) -> SampleResult:
    seats = ["agent", "sub-agent", "judge", "judge-2", "judge-3"]
    await asyncio.gather(
        *(context.model(role_name)([{"role": "user", "content": job.sample}]) for role_name in seats * 2)
    )
    return SampleResult(outcome=Outcome.PASS, reason="asked", measures={"asked": len(seats) * 2})


def test_every_seat_is_booked_apart_and_one_gate_bounds_them_all(tmp_path: Path) -> None:
    says = behaviours.Says("Hello.")
    with ScriptedServer(Script(agent=says, judge=says, latency=0.01)) as server:
        seats = [role_settings(server.url), role_settings(server.url, Role.SUB_AGENT)]
        seats += [role_settings(server.url, Role.JUDGE, number=n) for n in (1, 2, 3)]
        settings = RunSettings(folder=tmp_path / "run", concurrency=4, requests=3, retry=QUICK)
        run_trial(TinyTrial(4, ask_everyone), {role_name.role_name: role_name for role_name in seats}, settings)
        assert server.stats()["in_flight_peak"] == 3
        assert server.stats()["connections_peak"] <= 3
    for sample in samples_of(tmp_path / "run"):
        assert {role_name: usage["requests"] for role_name, usage in sample["usage"].items()} == dict.fromkeys(
            ["agent", "judge", "judge-2", "judge-3", "sub-agent"], 2
        )
        assert sample["measures"] == {"asked": 10}
