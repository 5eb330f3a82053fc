"""The scheduling tasks, worked from what the agent sees."""

from datetime import datetime, timedelta
from decimal import Decimal
from math import ceil
from typing import Any

from tests.support.two_agents import NaiveAgent, StuckError, moment, number, rows, text


async def ends_first(agent: NaiveAgent, product: dict[str, Any], quantity: int) -> tuple[str, datetime, datetime]:
    """The machine on which a job ends first, its start and its end."""
    seen = await agent.look("list_machines")
    rates = product.get("units_per_hour") or {}
    plans = []
    for machine in rows(seen, "machines"):
        machine_id, jobs = text(machine, "machine_id"), rows(machine, "schedule")
        if not rates.get(machine_id):
            continue
        setup = text(machine, "setup")
        if jobs:
            last = await agent.look("get_order", order_id=text(jobs[-1], "what"))
            setup = text(await agent.look("get_product", product_id=text(last, "product_id")), "family")
        change = await agent.look("get_changeover", from_family=setup, to_family=text(product, "family"))
        free = moment(jobs[-1], "end") if jobs else moment(seen, "time")
        start = free + timedelta(minutes=int(number(change, "minutes")))
        plans.append((start + timedelta(minutes=-(-quantity * 60 // rates[machine_id])), machine_id, start))
    if not plans:
        raise StuckError("no machine can run it")
    end, machine_id, start = min(plans)
    return machine_id, start, end


async def schedule(agent: NaiveAgent, order_id: str) -> str:
    """Plan one order by the rule."""
    order = await agent.look("get_order", order_id=order_id)
    product = await agent.look("get_product", product_id=text(order, "product_id"))
    machine_id, start, end = await ends_first(agent, product, int(number(order, "quantity")))
    begins = start.isoformat(timespec="minutes")
    await agent.do("schedule_order", order_id=order_id, machine_id=machine_id, start=begins)
    left = int((moment(order, "due") - end).total_seconds() // 60)
    return f"{machine_id} from {start:%H:%M} to {end:%H:%M}, {left} minutes early; WO-494 stays."


async def split_and_schedule(agent: NaiveAgent, order_id: str) -> str:
    """Plan what the material covers, and ask for the rest."""
    order = await agent.look("get_order", order_id=order_id)
    product = await agent.look("get_product", product_id=text(order, "product_id"))
    material_id = text(product, "material_id")
    material = await agent.look("get_material", material_id=material_id)
    quantity, each, case = (
        int(number(order, "quantity")),
        number(product, "kg_per_unit"),
        number(product, "units_per_case"),
    )
    drum = number(material, "kg_per_drum")
    if not (each and case and drum):
        raise StuckError("no size of a unit, case or drum")
    free = number(material, "free_kg")
    kept = min(quantity, int(free / each / case) * int(case))
    rest = quantity - kept
    drums = ceil((rest * each - (free - kept * each)) / drum)
    if rest:
        await agent.do("split_order", order_id=order_id, quantity=kept)
        await agent.do("raise_requisition", material_id=material_id, drums=drums)
    machine_id, start, end = await ends_first(agent, product, kept)
    begins = start.isoformat(timespec="minutes")
    await agent.do("schedule_order", order_id=order_id, machine_id=machine_id, start=begins)
    total = drums * number(material, "price_per_drum") if rest else Decimal(0)
    return f"{kept} units on {machine_id} until {end:%H:%M}, {rest} open, requisition {total:,.2f}."
