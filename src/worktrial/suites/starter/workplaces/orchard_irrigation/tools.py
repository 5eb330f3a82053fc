"""The farm's irrigation system as its irrigation planner uses it."""

from datetime import datetime, timedelta
from typing import Annotated

import msgspec
from msgspec import Meta

from worktrial.suites.starter.workplaces.orchard_irrigation.state_types import (
    Block,
    Job,
    Line,
    Probe,
    Problem,
    Question,
    Report,
    State,
    Topic,
)
from worktrial.workplaces.executable import ToolError, reads, writes

Json = dict[str, object]
Minute = Annotated[str, Meta(pattern=r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$")]
Volume = Annotated[int, Meta(ge=1, le=100_000)]

PAGE_SIZE = 5
HORIZON = timedelta(days=14)


@reads()
def list_blocks(state: State) -> Json:
    """List the blocks with crop, irrigation system, area and pump line."""
    blocks = [
        {
            "block_id": block_id,
            "crop": block.crop,
            "system": block.system,
            "area_ha": block.area_ha,
            "line": block.line,
        }
        for block_id, block in state.blocks.items()
    ]
    return {"time": state.clock, "blocks": blocks}


@reads(block_id="B1")
def get_block(state: State, block_id: str) -> Json:
    """Open a block: crop, system, area, pump line and flow, field capacity, wilting point, root depth.

    Args:
        block_id: For example B1.
    """
    return {"time": state.clock, "block_id": block_id, **msgspec.structs.asdict(_block(state, block_id))}


@reads(block_id="B1")
def list_probes(state: State, block_id: str) -> Json:
    """List a block's soil moisture probes with their depth.

    Args:
        block_id: For example B1.
    """
    _block(state, block_id)
    probes = [
        {"probe_id": probe_id, "depth_mm": probe.depth_mm}
        for probe_id, probe in state.probes.items()
        if probe.block_id == block_id
    ]
    return {"block_id": block_id, "probes": probes}


@reads(probe_id="P-11")
def get_readings(state: State, probe_id: str) -> Json:
    """Read a probe's last readings in percent by volume, oldest first.

    Args:
        probe_id: For example P-11.
    """
    probe = _probe(state, probe_id)
    return {"time": state.clock, "probe_id": probe_id, "block_id": probe.block_id, "readings": probe.readings}


@reads()
def get_forecast(state: State) -> Json:
    """Read the forecast of rain and reference evapotranspiration by day, in millimetres."""
    return {"time": state.clock, "days": state.forecast}


@reads(block_id="B1")
def list_sprays(state: State, block_id: str) -> Json:
    """List what was sprayed on a block lately.

    Args:
        block_id: For example B1.
    """
    _block(state, block_id)
    return {"block_id": block_id, "sprays": [spray for spray in state.sprays if spray.block_id == block_id]}


@reads()
def get_turn(state: State) -> Json:
    """Read the canal turn: when it begins and ends, and the water allocated to the farm in it."""
    return {"time": state.clock, **msgspec.structs.asdict(state.turn)}


@reads()
def list_deliveries(state: State, page: Annotated[int, Meta(ge=1, le=1000)] = 1) -> Json:
    """List the metered deliveries of the last days, oldest first, five a page.

    Args:
        page: Which page, counted from 1.
    """
    pages = max(1, -(-len(state.deliveries) // PAGE_SIZE))
    if page > pages:
        raise ToolError("no_such_page", f"There are {pages} pages of deliveries.")
    shown = state.deliveries[(page - 1) * PAGE_SIZE : page * PAGE_SIZE]
    return {"page": page, "pages": pages, "deliveries": shown}


@reads(line="L1")
def list_jobs(state: State, line: Line | None = None) -> Json:
    """List irrigation jobs with block, line, start, end, volume and status.

    Args:
        line: Only jobs on this pump line.
    """
    jobs = [
        {"job_id": job_id, **msgspec.structs.asdict(job)}
        for job_id, job in state.jobs.items()
        if line in (None, job.line)
    ]
    return {"time": state.clock, "jobs": jobs}


@reads(topic="moisture")
def get_rule(state: State, topic: Topic) -> Json:
    """Read one of the farm's irrigation rules.

    Args:
        topic: Which rule.
    """
    return {"topic": topic, "text": state.rules[topic]}


@writes(block_id="B1", start="2025-07-15T22:30", volume_m3=300)
def schedule_job(state: State, block_id: str, start: Minute, volume_m3: Volume) -> Json:
    """Schedule an irrigation job on a block's pump line; the system works out when it ends.

    Args:
        block_id: For example B1.
        start: When the valve opens, for example 2025-07-14T23:15.
        volume_m3: How much water, in cubic metres.
    """
    block = _block(state, block_id)
    begins = _future(state, start)
    end = (begins + timedelta(minutes=-(-volume_m3 * 60 // block.flow_m3_per_hour))).isoformat(timespec="minutes")
    for job_id, job in state.jobs.items():
        if job.line == block.line and job.status == "scheduled" and job.start < end and start < job.end:
            raise ToolError("overlap", f"{job_id} runs on {block.line} from {job.start} to {job.end}.")
    new_id = f"J-{70 + len(state.jobs)}"
    job = Job(block_id=block_id, line=block.line, start=start, end=end, volume_m3=volume_m3, status="scheduled")
    state.jobs[new_id] = job
    return {"job_id": new_id, **msgspec.structs.asdict(job)}


@writes(job_id="J-71")
def cancel_job(state: State, job_id: str) -> Json:
    """Cancel a scheduled irrigation job.

    Args:
        job_id: For example J-71.
    """
    if job_id not in state.jobs:
        raise ToolError("unknown_job", f"There is no job {job_id}.")
    job = state.jobs[job_id]
    if job.status != "scheduled":
        raise ToolError("not_scheduled", f"{job_id} is {job.status}.")
    job.status = "cancelled"
    return {"job_id": job_id, **msgspec.structs.asdict(job)}


@writes(probe_id="P-11", problem="out_of_range")
def report_probe(state: State, probe_id: str, problem: Problem) -> Json:
    """Send a technician to a probe that cannot be trusted.

    Args:
        probe_id: For example P-11.
        problem: What is wrong with it.
    """
    _probe(state, probe_id)
    if any(report.probe_id == probe_id for report in state.reports):
        raise ToolError("already_reported", f"{probe_id} has been reported.")
    state.reports.append(Report(probe_id=probe_id, problem=problem, at=state.clock))
    return {"report": state.reports[-1]}


@writes(block_id="B1", question="May B1 wait until the next turn?", missing_m3=120)
def ask_manager(
    state: State,
    block_id: str,
    question: Annotated[str, Meta(max_length=2000)],
    missing_m3: Volume | None = None,
) -> Json:
    """Put a question about a block to the farm manager, who answers by the next morning.

    Args:
        block_id: For example B1.
        question: What the manager shall decide.
        missing_m3: The water that is missing, in cubic metres, when the question is about water.
    """
    _block(state, block_id)
    if not question.strip():
        raise ToolError("no_question", "A question needs a text.")
    asked = Question(
        question_id=f"Q-{17 + len(state.questions)}",
        block_id=block_id,
        missing_m3=missing_m3,
        text=question,
        asked_at=state.clock,
    )
    state.questions.append(asked)
    return {"question": asked}


def _block(state: State, block_id: str) -> Block:
    if block_id not in state.blocks:
        raise ToolError("unknown_block", f"There is no block {block_id}.")
    return state.blocks[block_id]


def _probe(state: State, probe_id: str) -> Probe:
    if probe_id not in state.probes:
        raise ToolError("unknown_probe", f"There is no probe {probe_id}.")
    return state.probes[probe_id]


def _future(state: State, text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as e:
        raise ToolError("invalid_time", f"{text} is no time.") from e
    now = datetime.fromisoformat(state.clock)
    if moment < now:
        raise ToolError("time_passed", f"{text} is before now ({state.clock}).")
    if moment > now + HORIZON:
        raise ToolError("beyond_horizon", f"{text} is more than 14 days ahead.")
    return moment
