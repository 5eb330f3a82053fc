"""The terminal's tasks, worked from what the agent sees."""

from datetime import date, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, NamedTuple

from tests.support.two_agents import NaiveAgent, StuckError, day, moment, number, rows, text

CENT = Decimal("0.01")


async def listed(agent: NaiveAgent) -> list[dict[str, Any]]:
    """All containers, page by page."""
    found: list[dict[str, Any]] = []
    page = pages = 1
    while page <= pages:
        seen = await agent.look("list_containers", page=page)
        found += rows(seen, "containers")
        pages, page = int(number(seen, "pages")), page + 1
    return found


async def bill(agent: NaiveAgent, container_id: str, today: date, closed: set[str]) -> Decimal | None:
    """Invoice a container; None when it is on hold."""
    box = await agent.look("get_container", container_id=container_id)
    if box.get("hold"):
        return None
    tariff = await agent.look("get_tariff", line=text(box, "line"))
    customer = await agent.look("get_customer", consignee=text(box, "consignee"))
    arrived = day(box, "arrived_on")
    dates = [arrived + timedelta(days=n) for n in range(1, (today - arrived).days + 1)]
    counted = [d for d in dates if d.weekday() < 6 and d.isoformat() not in closed]
    chargeable = max(0, len(counted) - int(number(tariff, "free_days")))
    rate = f"rate_{box.get('size_ft') or 20}"
    due = Decimal(0)
    for n in range(1, chargeable + 1):
        reached = [tier for tier in rows(tariff, "tiers") if number(tier, "from_day") <= n]
        due += number(reached[-1], rate) if reached else 0
    if box.get("goods_class"):
        due *= Decimal("1.35")
    due = (due * (1 - number(customer, "discount_percent") / 100)).quantize(CENT, ROUND_HALF_UP)
    plug = number(tariff, "plug_in_per_day") * (len(dates) + 1) if box.get("reefer") else Decimal(0)
    await agent.do(
        "issue_invoice",
        container_id=container_id,
        chargeable_days=chargeable,
        demurrage=float(due),
        plug_in=float(plug),
    )
    agent.trajectory.answer += f"{container_id}: {chargeable} days, demurrage {due:.2f}, plug-in {plug:.2f}. "
    return due + plug


async def invoices(agent: NaiveAgent, container_id: str = "", consignee: str = "") -> str:
    """Invoice one container, or all of a consignee's."""
    seen = await agent.look("list_containers")
    closed = {text(one, "day") for one in rows(await agent.look("list_closed_days"), "closed_days")}
    ids = [container_id]
    if consignee:
        ids = [text(c, "container_id") for c in await listed(agent) if text(c, "consignee") == consignee]
    total = Decimal(0)
    for id_ in ids:
        charged = await bill(agent, id_, day(seen, "time"), closed)
        total += charged or 0
        if charged is None:
            agent.trajectory.answer += f"{id_} is on hold. "
    return f"{agent.trajectory.answer}Total {total:.2f}."


class Trip(NamedTuple):
    """When a driver would leave and be back."""

    departs: datetime
    back: datetime


def trip(driver: dict[str, Any], minutes: int, slot: datetime, now: datetime) -> Trip | None:
    """The trip to a slot and back, or None when a rule forbids it."""
    longest = 600 if number(driver, "long_days_used") < 2 else 540
    if (
        number(driver, "driven_today") + 2 * minutes > longest
        or number(driver, "driven_this_week") + 2 * minutes > 3360
    ):
        return None
    driven = int(number(driver, "driven_since_break"))
    before = driven + minutes > 270
    departs = slot - timedelta(minutes=minutes + 45 * before)
    driven = driven + minutes - 270 * before
    back = slot + timedelta(minutes=60 + minutes + 45 * (driven + minutes > 270))
    late = back > moment(driver, "on_duty_from") + timedelta(hours=13)
    return None if late or departs < now + timedelta(minutes=30) else Trip(departs, back)


async def dispatch(agent: NaiveAgent, job_id: str) -> str:
    """Find slot and driver for a job with dangerous goods."""
    jobs = await agent.look("list_jobs", status="open")
    now = moment(jobs, "time")
    job = next((j for j in rows(jobs, "jobs") if text(j, "job_id") == job_id), None)
    if job is None:
        raise StuckError(f"no job {job_id}")
    receiver = await agent.look("get_receiver", receiver_id=text(job, "receiver_id"))
    today = now.date().isoformat()
    certified = [
        text(row, "driver_id")
        for row in rows(await agent.look("list_drivers"), "drivers")
        if text(row, "status") == "available" and text(row, "certificate_until") >= today
    ]
    drivers = [await agent.look("get_driver", driver_id=driver_id) for driver_id in certified]
    for slot in rows(receiver, "slots"):
        if text(slot, "status") != "free" or moment(slot, "start") > moment(job, "deliver_by"):
            continue
        able = [(d, trip(d, int(number(receiver, "drive_minutes")), moment(slot, "start"), now)) for d in drivers]
        fit = [(number(d, "driven_this_week"), text(d, "driver_id"), t) for d, t in able if t]
        if fit:
            _, driver_id, chosen = min(fit)
            departs = chosen.departs.isoformat(timespec="minutes")
            slot_id = text(slot, "slot_id")
            await agent.do("dispatch_job", job_id=job_id, driver_id=driver_id, slot_id=slot_id, departs=departs)
            return f"{driver_id}, {slot_id}, {chosen.departs:%H:%M} 출발, {chosen.back:%H:%M} 복귀."
    await agent.do("ask_duty_manager", about=job_id, question="No driver may take it. What now?")
    return "배차하지 못했습니다."


async def yard(agent: NaiveAgent) -> str:
    """Put the dangerous goods that wait in the lane away."""
    lane = [text(c, "container_id") for c in await listed(agent) if text(c, "position") == "LANE"]
    waiting = [await agent.look("get_container", container_id=id_) for id_ in lane]
    bays = rows(await agent.look("list_bays"), "bays")
    stand: list[list[str]] = []
    for bay in bays:
        inside = [await agent.look("get_container", container_id=id_) for id_ in rows(bay, "containers")]
        stand.append([text(box, "goods_class") for box in inside])
    codes: dict[frozenset[str], int] = {}
    said = []
    for box in sorted(waiting, key=lambda b: -number(b, "gross_kg")):
        goods = text(box, "goods_class")
        if not goods:
            continue
        for other in {goods_class for inside in stand for goods_class in inside if goods_class} - {goods}:
            if (pair := frozenset((goods, other))) not in codes:
                codes[pair] = int(number(await agent.look("get_segregation", first=goods, second=other), "code"))
        for place, bay in enumerate(bays):
            full = bay.get("blocked") or len(stand[place]) >= number(bay, "places")
            kept = all(
                abs(place - at) >= codes.get(frozenset((goods, other)), 0)
                for at, inside in enumerate(stand)
                for other in inside
            )
            if not full and kept:
                bay_id, container_id = text(bay, "bay_id"), text(box, "container_id")
                await agent.do("move_container", container_id=container_id, bay_id=bay_id)
                stand[place].append(goods)
                said.append(f"{container_id} is in {bay_id}.")
                break
    return " ".join(said)
