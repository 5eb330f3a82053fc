"""The terminal's numbers, worked out a second time from the initial states alone."""

from datetime import date, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from itertools import permutations
from typing import Any

import pytest

from worktrial.suites.starter import load_tasks

TASKS = {task.id: task for task in load_tasks() if task.workplace == "container_terminal"}
BREAK_AFTER, BREAK = 270, 45


def planned(task_id: str, tool: str) -> list[dict[str, Any]]:
    """The arguments of the plan's calls of a tool."""
    return [step.arguments for step in TASKS[task_id].plan.steps if step.call == tool]


def exact(value: Any) -> Decimal:
    return Decimal(str(value))


def demurrage(state: dict[str, Any], container_id: str) -> tuple[int, Decimal, Decimal]:
    """Chargeable days, demurrage and plug-in fee, walking from day to day."""
    box = state["containers"][container_id]
    tariff = state["tariffs"][box["line"]]
    today = date.fromisoformat(state["clock"][:10])
    now, free, chargeable, due = date.fromisoformat(box["arrived_on"]), tariff["free_days"], 0, Decimal(0)
    plug = exact(tariff["plug_in_per_day"])
    while now < today:
        now += timedelta(days=1)
        plug += exact(tariff["plug_in_per_day"])
        if now.strftime("%A") == "Sunday" or now.isoformat() in state["closed_days"]:
            continue
        if free:
            free -= 1
            continue
        chargeable += 1
        tier = max((t for t in tariff["tiers"] if t["from_day"] <= chargeable), key=lambda t: t["from_day"])
        due += exact(tier[f"rate_{box['size_ft']}"])
    due *= Decimal("1.35") if box["goods_class"] else 1
    due *= 1 - exact(state["customers"][box["consignee"]]["discount_percent"]) / 100
    return chargeable, due.quantize(Decimal("0.01"), ROUND_HALF_UP), plug if box["reefer"] else Decimal(0)


@pytest.mark.parametrize("task_id", ["terminal-01", "terminal-05"])
def test_invoices(task_id: str) -> None:
    state = TASKS[task_id].initial_state
    total = Decimal(0)
    for given in planned(task_id, "issue_invoice"):
        found = given["chargeable_days"], exact(given["demurrage"]), exact(given["plug_in"])
        assert found == demurrage(state, given["container_id"])
        assert not state["containers"][given["container_id"]]["hold"]
        total += found[1] + found[2]
    stated = {
        exact(check.value) for check in TASKS[task_id].checks if check.check in ("answer_number", "answer_money")
    }
    assert total in stated


def test_everything_of_meridian_foods_that_may_leave_is_invoiced() -> None:
    containers = TASKS["terminal-05"].initial_state["containers"]
    theirs = {id_ for id_, box in containers.items() if box["consignee"] == "Meridian Foods"}
    held = {id_ for id_ in theirs if containers[id_]["hold"]}
    assert {given["container_id"] for given in planned("terminal-05", "issue_invoice")} == theirs - held
    assert held == {"BOXU-7720"}


def drive(minutes: int, since_break: int) -> tuple[int, int]:
    """How long a stretch of driving takes with its breaks, minute by minute, and the driving since the last one."""
    took = 0
    for _ in range(minutes):
        if since_break == BREAK_AFTER:
            took, since_break = took + BREAK, 0
        took, since_break = took + 1, since_break + 1
    return took, since_break


def trip(driver: dict[str, Any], one_way: int, slot: str, clock: str) -> tuple[datetime, datetime] | None:
    """Departure and return, or None when the trip breaks a rule."""
    there, since_break = drive(one_way, driver["driven_since_break"])
    back, _ = drive(one_way, since_break)
    departs = datetime.fromisoformat(slot) - timedelta(minutes=there)
    returns = datetime.fromisoformat(slot) + timedelta(minutes=60 + back)
    day = driver["driven_today"] + 2 * one_way
    allowed = (
        departs >= datetime.fromisoformat(clock) + timedelta(minutes=30)
        and day <= (600 if driver["long_days_used"] < 2 else 540)
        and driver["driven_this_week"] + 2 * one_way <= 3360
        and returns - datetime.fromisoformat(driver["on_duty_from"]) <= timedelta(hours=13)
    )
    return (departs, returns) if allowed else None


def choices(task_id: str, job_id: str, certified: bool) -> list[tuple[str, int, str, datetime, datetime]]:
    """Every legal (slot's start, minutes this week, driver, departure, return)."""
    state = TASKS[task_id].initial_state
    job = state["jobs"][job_id]
    one_way = state["receivers"][job["receiver_id"]]["drive_minutes"]
    found = []
    for slot in state["slots"].values():
        if (
            slot["receiver_id"] != job["receiver_id"]
            or slot["status"] != "free"
            or slot["start"] > job["deliver_by"]
        ):
            continue
        for driver_id, driver in state["drivers"].items():
            valid = not certified or (driver["certificate_until"] or "") >= state["clock"][:10]
            if driver["status"] == "available" and valid:
                went = trip(driver, one_way, slot["start"], state["clock"])
                if went:
                    found.append((slot["start"], driver["driven_this_week"], driver_id, *went))
    return sorted(found)


def test_the_one_driver_for_the_earliest_slot() -> None:
    state = TASKS["terminal-02"].initial_state
    assert state["containers"][state["jobs"]["J-3302"]["container_id"]]["goods_class"]
    legal = choices("terminal-02", "J-3302", certified=True)
    start, _, driver_id, departs, returns = legal[0]
    assert [row[2] for row in legal if row[0] == start] == [driver_id], "one solution only"
    given = planned("terminal-02", "dispatch_job")[0]
    assert (given["driver_id"], given["departs"]) == (driver_id, departs.isoformat(timespec="minutes"))
    assert start == state["slots"]["S-1403"]["start"]
    assert f"{returns:%H:%M}" in TASKS["terminal-02"].plan.answer
    later = min(legal[1:], key=lambda row: row[1])
    assert later[2] == "D-21", "a driver with fewer hours tempts to a later slot"
    tempted = choices("terminal-02", "J-3302", certified=False)
    assert min(tempted[:2], key=lambda row: row[1])[2] == "D-22", "without the certificate another one would go"


def test_nobody_may_drive_the_promised_job() -> None:
    state = TASKS["terminal-04"].initial_state
    assert choices("terminal-04", "J-3310", certified=False) == []
    driven = state["drivers"]["D-25"]["driven_today"] + 2 * state["receivers"]["R-17"]["drive_minutes"]
    assert [
        check.value for check in TASKS["terminal-04"].checks if check.check in ("answer_number", "answer_money")
    ] == [driven]


def put_away(state: dict[str, Any], order: tuple[str, ...]) -> dict[str, int]:
    """The bay number of each container when they are put away in this order."""
    codes = {frozenset(row["classes"]): row["code"] for row in state["segregation"]}
    goods = {id_: box["goods_class"] for id_, box in state["containers"].items()}
    stand = {
        id_: int(box["position"][1:])
        for id_, box in state["containers"].items()
        if box["position"] in state["bays"]
    }
    placed = {}
    for container_id in order:
        for bay_id, bay in state["bays"].items():
            number = int(bay_id[1:])
            full = list(stand.values()).count(number) >= bay["places"]
            near = any(
                abs(number - at) < codes.get(frozenset((goods[container_id], goods[other])), 0)
                for other, at in stand.items()
            )
            if not (bay["blocked"] or full or near):
                placed[container_id] = stand[container_id] = number
                break
    return placed


def test_the_yard() -> None:
    state = TASKS["terminal-03"].initial_state
    lane = {id_: box for id_, box in state["containers"].items() if box["position"] == "LANE"}
    dangerous = sorted((id_ for id_ in lane if lane[id_]["goods_class"]), key=lambda id_: -lane[id_]["gross_kg"])
    right = put_away(state, tuple(dangerous))
    moves = planned("terminal-03", "move_container")
    assert {move["container_id"]: int(move["bay_id"][1:]) for move in moves} == right
    assert len(lane) == len(dangerous) + 1
    assert any(put_away(state, order) != right for order in permutations(dangerous)), "the order matters"


def test_the_block_keeps_its_own_rules() -> None:
    state = TASKS["terminal-03"].initial_state
    codes = {frozenset(row["classes"]): row["code"] for row in state["segregation"]}
    stand = [
        (box["goods_class"], int(box["position"][1:]))
        for box in state["containers"].values()
        if box["position"] in state["bays"]
    ]
    assert all(goods for goods, _ in stand)
    for one, at in stand:
        for other, there in stand:
            assert abs(at - there) >= codes.get(frozenset((one, other)), 0)
