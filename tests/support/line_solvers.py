"""The scheduling tasks, worked from what the agent sees."""

import re
from datetime import datetime, timedelta
from decimal import Decimal
from itertools import permutations
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


async def best_sequence(agent: NaiveAgent, machine_id: str, *order_ids: str) -> str:
    """Plan orders on one machine: all in time, with the least changeover."""
    machine = await agent.look("get_machine", machine_id=machine_id)
    free = max((moment(span, "end") for span in rows(machine, "schedule")), default=moment(machine, "time"))
    orders, products, minutes = {}, {}, {}
    for order_id in order_ids:
        orders[order_id] = await agent.look("get_order", order_id=order_id)
        product_id = text(orders[order_id], "product_id")
        products[order_id] = await agent.look("get_product", product_id=product_id)
    families = {order_id: text(product, "family") for order_id, product in products.items()}
    for old, new in permutations([text(machine, "setup"), *families.values()], 2):
        seen = await agent.look("get_changeover", from_family=old, to_family=new)
        minutes[old, new] = int(number(seen, "minutes"))
    plans = []
    for sequence in permutations(order_ids):
        now, setup, total, starts, late = free, text(machine, "setup"), 0, [], False
        for order_id in sequence:
            rate = (products[order_id].get("units_per_hour") or {}).get(machine_id)
            if not rate:
                raise StuckError(f"no rate for {order_id}")
            total += minutes[setup, families[order_id]]
            now += timedelta(minutes=minutes[setup, families[order_id]])
            starts.append(now)
            now += timedelta(minutes=-(-int(number(orders[order_id], "quantity")) * 60 // rate))
            late, setup = late or now > moment(orders[order_id], "due"), families[order_id]
        if not late:
            plans.append((total, sequence, starts))
    if not plans:
        raise StuckError("every sequence is late")
    total, sequence, starts = min(plans)
    for order_id, start in zip(sequence, starts, strict=True):
        begins = start.isoformat(timespec="minutes")
        await agent.do("schedule_order", order_id=order_id, machine_id=machine_id, start=begins)
    rule = text(await agent.look("get_rule", topic="changeover_cost"), "text")
    hourly, each = (
        (Decimal(found) for found in re.findall(r"\d+\.\d\d", rule)) if rule else (Decimal(0), Decimal(0))
    )
    cost = hourly * total / 60 + each * len(sequence)
    return f"{', '.join(sequence)}: {total} minutes of changeover, {cost:.2f}."
