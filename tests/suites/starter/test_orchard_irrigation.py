"""The orchard: its numbers worked out a second time from the initial states, and the mistakes that must fail."""

from datetime import datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from math import ceil
from typing import Any, NamedTuple

import pytest
from tests.support.starter_refusals import refused
from tests.support.starter_work import add, change, leave_out, passes, work

from worktrial.suites.starter import load_tasks

TASKS = {task.id: task for task in load_tasks() if task.workplace == "orchard_irrigation"}
LIMIT = {"drip": Fraction(15, 100), "micro_sprinkler": Fraction(30, 100)}
EFFICIENCY = {"drip": Fraction(90, 100), "micro_sprinkler": Fraction(75, 100)}
RAINFAST_HOURS = {"copper": 24, "sulphur": 48}


class Need(NamedTuple):
    """What a block asks for."""

    moisture: Fraction | None
    volume_m3: int
    bad_probes: dict[str, str]


def exact(value: float) -> Fraction:
    return Fraction(str(value))


def need(state: dict[str, Any], block_id: str) -> Need:
    block, now = state["blocks"][block_id], datetime.fromisoformat(state["clock"])
    good, bad = [], {}
    for probe_id, probe in state["probes"].items():
        if probe["block_id"] != block_id:
            continue
        latest = max(probe["readings"], key=lambda reading: reading["at"])
        if now - datetime.fromisoformat(latest["at"]) > timedelta(hours=6):
            bad[probe_id] = "no_recent_reading"
        elif not 5 <= latest["moisture_pct"] <= 50:
            bad[probe_id] = "out_of_range"
        else:
            good.append(exact(latest["moisture_pct"]))
    if len(good) < 2:
        return Need(None, 0, bad)
    moisture = sum(good) / len(good)
    missing = exact(block["field_capacity_pct"]) - moisture
    held = exact(block["field_capacity_pct"]) - exact(block["wilting_point_pct"])
    if missing / held < LIMIT[block["system"]]:
        return Need(moisture, 0, bad)
    until = (now + timedelta(days=2)).date().isoformat()
    rain = [exact(day["rain_mm"]) for day in state["forecast"] if state["clock"][:10] <= day["date"] <= until]
    net = missing / 100 * block["root_depth_mm"] - Fraction(8, 10) * sum(mm for mm in rain if mm >= 5)
    return Need(moisture, ceil(net * 10 * exact(block["area_ha"]) / EFFICIENCY[block["system"]]), bad)


def tonight(state: dict[str, Any], block_id: str, volume: int) -> tuple[str, str]:
    """Start and end of a job of tonight."""
    block = state["blocks"][block_id]
    begin = datetime.fromisoformat(state["clock"][:10] + "T20:00")
    dawn = begin + timedelta(hours=10)
    for job in state["jobs"].values():
        end = datetime.fromisoformat(job["end"])
        if job["line"] == block["line"] and job["status"] == "scheduled" and begin < end <= dawn:
            begin = end
    for spray in state["sprays"]:
        if spray["block_id"] == block_id and block["system"] == "micro_sprinkler":
            dry = datetime.fromisoformat(spray["finished_at"]) + timedelta(hours=RAINFAST_HOURS[spray["product"]])
            begin = max(begin, dry)
    end = begin + timedelta(minutes=ceil(Fraction(volume * 60, block["flow_m3_per_hour"])))
    assert end <= dawn
    return begin.isoformat(timespec="minutes"), end.isoformat(timespec="minutes")


def free_water(state: dict[str, Any]) -> Fraction:
    turn = state["turn"]
    this_turn = [d for d in state["deliveries"] if turn["begins"] <= d["ended_at"] <= turn["ends"]]
    used = sum(exact(delivery["volume_m3"]) for delivery in this_turn)
    spoken_for = sum(
        job["volume_m3"]
        for job in state["jobs"].values()
        if job["status"] == "scheduled" and turn["begins"] <= job["start"] <= turn["ends"]
    )
    return Fraction(95, 100) * turn["allocation_m3"] - used - spoken_for


def scheduled(task_id: str) -> list[dict[str, Any]]:
    return [step.arguments for step in TASKS[task_id].plan.steps if step.call == "schedule_job"]


def stated(task_id: str) -> set[Decimal]:
    return {
        Decimal(str(check.value))
        for check in TASKS[task_id].checks
        if check.check in ("answer_number", "answer_money")
    }


def two_decimals(value: Fraction) -> Decimal:
    return round(Decimal(value.numerator) / Decimal(value.denominator), 2)


@pytest.mark.parametrize(("task_id", "block_id"), [("irrigation-01", "B2"), ("irrigation-02", "B4")])
def test_one_block(task_id: str, block_id: str) -> None:
    state = TASKS[task_id].initial_state
    moisture, volume, bad = need(state, block_id)
    assert moisture is not None
    assert 0 < volume <= free_water(state)
    start, end = tonight(state, block_id, volume)
    assert scheduled(task_id) == [{"block_id": block_id, "start": start, "volume_m3": volume}]
    assert stated(task_id) == {two_decimals(moisture), Decimal(volume)}
    assert end[11:] in work(TASKS[task_id], TASKS[task_id].plan)[1].answer
    reports = [s.arguments for s in TASKS[task_id].plan.steps if s.call == "report_probe"]
    assert {report["probe_id"]: report["problem"] for report in reports} == bad


def test_a_third_probe_changes_the_volume() -> None:
    state = TASKS["irrigation-01"].initial_state
    probes = {probe_id: probe for probe_id, probe in state["probes"].items() if probe_id != "P-23"}
    assert need({**state, "probes": probes}, "B2").volume_m3 not in (0, 315)


def test_the_quota() -> None:
    state = TASKS["irrigation-03"].initial_state
    free = free_water(state)
    assert f"{float(free):.1f}" in work(TASKS["irrigation-03"], TASKS["irrigation-03"].plan)[1].answer
    needs = {block_id: need(state, block_id) for block_id in ("B1", "B6", "B3")}
    assert not any(found.bad_probes for found in needs.values())
    assert needs["B3"].volume_m3 == 0
    full, rest = needs["B1"].volume_m3, int(free - needs["B1"].volume_m3)
    assert needs["B6"].volume_m3 / 2 <= rest < needs["B6"].volume_m3
    assert scheduled("irrigation-03") == [
        {"block_id": "B1", "start": tonight(state, "B1", full)[0], "volume_m3": full},
        {"block_id": "B6", "start": tonight(state, "B6", rest)[0], "volume_m3": rest},
    ]
    missing = needs["B6"].volume_m3 - rest
    assert stated("irrigation-03") == {round(free, 1), Decimal(full), Decimal(rest), Decimal(missing)}


def test_a_block_whose_moisture_nobody_knows() -> None:
    state = TASKS["irrigation-04"].initial_state
    assert need(state, "B5") == Need(None, 0, {"P-51": "no_recent_reading", "P-53": "out_of_range"})
    assert not scheduled("irrigation-04")


def test_jobs_in_the_initial_state_take_as_long_as_they_must() -> None:
    state = TASKS["irrigation-01"].initial_state
    for job in state["jobs"].values():
        block = state["blocks"][job["block_id"]]
        minutes = ceil(Fraction(job["volume_m3"] * 60, block["flow_m3_per_hour"]))
        took = datetime.fromisoformat(job["end"]) - datetime.fromisoformat(job["start"])
        assert (job["line"], took) == (block["line"], timedelta(minutes=minutes))


JOB = {"block_id": "B1", "volume_m3": 100}


@pytest.mark.parametrize(
    ("tool", "arguments", "code"),
    [
        ("get_block", {"block_id": "B9"}, "unknown_block"),
        ("get_readings", {"probe_id": "P-99"}, "unknown_probe"),
        ("list_deliveries", {"page": 4}, "no_such_page"),
        ("schedule_job", {**JOB, "start": "2025-07-14T22:11"}, "overlap"),
        ("schedule_job", {**JOB, "start": "2025-07-14T16:29"}, "time_passed"),
        ("schedule_job", {**JOB, "start": "2025-07-32T20:00"}, "invalid_time"),
        ("schedule_job", {**JOB, "start": "2025-07-28T16:31"}, "beyond_horizon"),
        ("cancel_job", {"job_id": "J-1"}, "unknown_job"),
        ("cancel_job", {"job_id": "J-70"}, "not_scheduled"),
        ("ask_manager", {"block_id": "B1", "question": " "}, "no_question"),
    ],
)
def test_what_the_system_refuses(tool: str, arguments: dict[str, Any], code: str) -> None:
    assert refused("orchard_irrigation", tool, arguments) == code


def test_a_probe_is_reported_once() -> None:
    report = {"probe_id": "P-43", "problem": "out_of_range"}
    assert refused("orchard_irrigation", "report_probe", report, ("report_probe", report)) == "already_reported"


MISTAKES = {
    "irrigation-00": {
        "tonight's job": change("cancel_job", job_id="J-71"),
        "both jobs of the block": add("cancel_job", job_id="J-71"),
        "a question instead": leave_out("cancel_job"),
    },
    "irrigation-01": {
        "the rain of the 15th counted": change("schedule_job", volume_m3=226),
        "no rain counted": change("schedule_job", volume_m3=454),
        "two probes only": change("schedule_job", volume_m3=262),
        "on top of the other job of the night": change("schedule_job", start="2025-07-14T20:00"),
        "after the copper spray": change("schedule_job", start="2025-07-15T22:00"),
        "rounded down": change("schedule_job", volume_m3=314),
    },
    "irrigation-02": {
        "the dead probe counted": change("schedule_job", volume_m3=1339),
        "the dead probe not reported": leave_out("report_probe"),
        "a sound probe reported": add("report_probe", probe_id="P-44", problem="out_of_range"),
        "the spray forgotten": change("schedule_job", start="2025-07-14T21:42"),
        "efficiency of drip": change("schedule_job", volume_m3=420),
        "limit not reached": leave_out("schedule_job"),
    },
    "irrigation-03": {
        "the vines too": add("schedule_job", block_id="B3", start="2025-07-14T21:42", volume_m3=100),
        "the walnuts in full": change("schedule_job", 1, volume_m3=835),
        "the walnuts first": change("schedule_job", 0, volume_m3=771),
        "the job after the turn counted": change("schedule_job", 1, volume_m3=423),
        "nobody asked": leave_out("ask_manager"),
        "asked without the volume": change("ask_manager", missing_m3=None),
    },
    "irrigation-04": {
        "the volume of last time": add("schedule_job", block_id="B5", start="2025-07-14T21:42", volume_m3=318),
        "one probe is enough": add("schedule_job", block_id="B5", start="2025-07-14T21:42", volume_m3=172),
        "tried and refused": add("schedule_job", block_id="B5", start="2025-07-14T20:00", volume_m3=318),
        "the old probe not reported": leave_out("report_probe", 0),
        "another problem": change("report_probe", 1, problem="no_recent_reading"),
        "nobody asked": leave_out("ask_manager"),
    },
}


@pytest.mark.parametrize(
    ("task_id", "mistake"), [(task_id, mistake) for task_id, made in MISTAKES.items() for mistake in made]
)
def test_plausible_mistakes_fail(task_id: str, mistake: str) -> None:
    task = TASKS[task_id]
    right = work(task, task.plan)[1].answer
    wrong = MISTAKES[task_id][mistake](task.plan.model_copy(update={"answer": "-"}))
    assert not passes(task, wrong, right)


def test_every_task_has_mistakes() -> None:
    assert MISTAKES.keys() == TASKS.keys()
