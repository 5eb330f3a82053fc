"""The agency's customs system."""

from worktrial.language import JsonObject
from worktrial.workplaces.desk.tools import list_rows, record_of, search_rows
from worktrial.workplaces.executable import ToolError, reads, writes

from .state import Field, Payment, Slot, State


@reads()
def search_entries(state: State, text: str = "", status: str = "", page: int = 1) -> JsonObject:
    """Search customs entries by number, importer, container or reference, 20 to a page.

    Args:
        text: Words that all have to occur; empty for all.
        status: Only entries of this status: draft, lodged, cancelled, void; empty for any.
        page: Number of the page, from 1.
    """
    of_status = (e for e in state.entries.values() if not status or e.status == status)
    fields = ("id", "importer", "container", "reference", "status")
    return search_rows(
        "entries",
        of_status,
        text,
        lambda e: f"{e.id} {e.importer} {e.container} {e.reference}",
        page,
        lambda e: {name: getattr(e, name) for name in fields},
    )


@reads()
def get_entry(state: State, entry_id: str) -> JsonObject:
    """Open an entry as it was drafted, with its cut-off time and what has become of it.

    Args:
        entry_id: For example EN-9107.
    """
    e = record_of(state.entries, entry_id, "entry")
    return {
        "id": e.id,
        "importer": e.importer,
        "container": e.container,
        "reference": e.reference,
        "terms": e.terms,
        "currency": e.currency,
        "origin": e.origin,
        "preference_claimed": e.preference,
        "quota": e.quota,
        "lines": [
            {"line": n, "code": line.code, "value": line.value, "net_weight_kg": line.weight}
            for n, line in enumerate(e.lines, 1)
        ],
        "cut_off": state.time.at(e.cut_off),
        "status": e.status,
        "duty": e.duty,
        "payment": e.payment,
        "lodged": None if e.lodged_at is None else state.time.at(e.lodged_at),
    }


@reads()
def search_manifest(state: State, text: str = "", refrigerated_only: bool = False, page: int = 1) -> JsonObject:
    """List announcements of containers on the ship, 20 to a page: each by bill of lading or by booking.

    Args:
        text: Words that all have to occur in container, reference or importer; empty for all.
        refrigerated_only: Only announcements of refrigerated containers.
        page: Number of the page, from 1.
    """
    today = state.time.at(0)[:10]
    announced = [
        (reference, c)
        for c in state.containers.values()
        if c.discharged == today and (c.refrigerated or not refrigerated_only)
        for reference in (c.booking, c.bill)
        if reference
    ]
    announced.sort(key=lambda row: row[0])
    return search_rows(
        "announcements",
        announced,
        text,
        lambda row: f"{row[1].id} {row[0]} {row[1].importer}",
        page,
        lambda row: {
            "reference": row[0],
            "container": row[1].id,
            "importer": row[1].importer,
            "refrigerated": row[1].refrigerated,
            "dangerous": row[1].dangerous,
            "shut_out": row[1].shut_out,
            "unloading": state.time.at(row[1].unloaded),
        },
    )


@reads()
def get_container(state: State, container_id: str) -> JsonObject:
    """Open a container: size, freight, unloading, storage, haulier, holds, release.

    Args:
        container_id: For example PWLU101233.
    """
    c = record_of(state.containers, container_id, "container")
    return {
        "id": c.id,
        "bill": c.bill,
        "booking": c.booking,
        "importer": c.importer,
        "size": c.size,
        "refrigerated": c.refrigerated,
        "dangerous": c.dangerous,
        "animal_products": c.animal_products,
        "ocean_freight_eur": c.freight,
        "discharged": c.discharged,
        "unloaded": state.time.at(c.unloaded) if c.discharged == state.time.at(0)[:10] else c.discharged,
        "free_until": c.free_until,
        "haulier_named": c.haulier,
        "original_bill_surrendered": c.bill_surrendered,
        "customs_hold": c.hold,
        "inspection_ordered": c.inspection_ordered,
        "released_to": c.released_to,
    }


@reads()
def get_importer(state: State, importer_id: str) -> JsonObject:
    """Open an importer: deferment account, and brokers with a power of attorney on file.

    Args:
        importer_id: For example IM-914.
    """
    importer = record_of(state.importers, importer_id, "importer")
    return {
        "id": importer.id,
        "name": importer.name,
        "deferment": {"limit": importer.limit, "used": importer.used, "reserved": importer.reserved},
        "powers_of_attorney": [{"broker": b, "until": until} for b, until in importer.powers.items()],
        "quota_allotted_last_year_kg": importer.allotted_last_year,
    }


@reads()
def search_documents(state: State, text: str, page: int = 1) -> JsonObject:
    """List documents on file with what they say, 20 to a page.

    Args:
        text: An entry, a container, an importer, a haulier, or the number of a document.
        page: Number of the page, from 1.
    """
    wanted = text.strip().casefold()
    found = [d for d in state.documents if wanted and wanted in (d.about.casefold(), d.id.casefold())]
    return list_rows(
        "documents",
        found,
        page,
        lambda d: {"id": d.id, "kind": d.kind, "about": d.about, "date": d.date, "says": dict(d.says)},
    )


@reads()
def get_tariff(state: State, code: str) -> JsonObject:
    """Look up a tariff code: goods, basis, full and preferential rate of duty.

    Args:
        code: Eight digits.
    """
    t = record_of(state.tariff, code, "code")
    return {
        "code": t.code,
        "description": t.description,
        "basis": t.basis,
        "full": t.full,
        "preferential": t.preferential,
    }


@reads()
def list_exchange_rates(state: State) -> JsonObject:
    """List exchange rates, as units of the currency for one euro: the rate of the month and the rate of the day."""
    rows = [{"currency": c, "rate_of_month": month, "rate_of_day": day} for c, (month, day) in state.rates.items()]
    return {"total": len(rows), "date": state.time.now[:10], "rates": rows}


@reads()
def get_quota(state: State, quota_id: str) -> JsonObject:
    """Open a tariff quota: what the desk may still allot today.

    Args:
        quota_id: For example Q-0100.
    """
    q = record_of(state.quotas, quota_id, "quota")
    return {"id": q.id, "goods": q.goods, "balance_kg": q.balance}


@reads()
def list_inspection_slots(state: State) -> JsonObject:
    """List the slots of today's inspections, with who holds them and when the list is taken."""
    rows = [
        {"id": s.id, "begins": s.begins, "container": s.container, "agent": s.agent} for s in state.slots.values()
    ]
    return {"total": len(rows), "list_taken_at": state.time.clock(state.slots_close), "slots": rows}


@writes()
def lodge_entry(state: State, entry_id: str, duty: float, payment: Payment) -> JsonObject:
    """Send an entry to the customs office, with the duty worked out. It cannot be taken back.

    Args:
        entry_id: For example EN-9107.
        duty: Customs duty of all lines, euros.
        payment: By the importer's deferment account, or cash before release.
    """
    e = record_of(state.entries, entry_id, "entry")
    if e.status != "draft":
        raise ToolError("not_draft", f"{entry_id} is {e.status}.")
    if state.time.minute > e.cut_off:
        raise ToolError("cut_off_past", f"{entry_id} could be lodged until {state.time.at(e.cut_off)}.")
    if duty < 0:
        raise ToolError("no_duty", "Duty is 0 or more.")
    e.status, e.duty, e.payment, e.lodged_at = "lodged", round(duty, 2), payment, state.time.minute
    return {"entry": entry_id, "status": "lodged", "duty": e.duty, "payment": payment}


@writes()
def amend_entry(state: State, entry_id: str, field: Field, value: float | str | bool, line: int = 1) -> JsonObject:
    """Change a draft or a lodged entry. A lodged one that is amended after its cut-off becomes void.

    Args:
        entry_id: For example EN-9107.
        field: value and weight are of a line; origin (country code), preference (true or false), duty of the entry.
        value: The new one.
        line: Number of the line, from 1.
    """
    e = record_of(state.entries, entry_id, "entry")
    if e.status not in ("draft", "lodged"):
        raise ToolError("not_open", f"{entry_id} is {e.status}.")
    if not 1 <= line <= len(e.lines):
        raise ToolError("no_such_line", f"{entry_id} has {len(e.lines)} lines.")
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if field in ("value", "weight", "duty") and (not number or float(value) < 0):
        raise ToolError("no_number", f"{field} is a number from 0.")
    if field == "origin" and (not isinstance(value, str) or len(value) != 2):
        raise ToolError("no_country", "origin is a country code of two letters.")
    if field == "preference" and not isinstance(value, bool):
        raise ToolError("no_truth_value", "preference is true or false.")
    if field == "duty" and e.status == "draft":
        raise ToolError("not_lodged", f"{entry_id} has no duty yet: it is given when the entry is lodged.")
    if field == "value":
        e.lines[line - 1].value = round(float(value), 2)
    elif field == "weight":
        e.lines[line - 1].weight = round(float(value))
    elif field == "origin":
        e.origin = str(value).upper()
    elif field == "preference":
        e.preference = bool(value)
    else:
        e.duty = round(float(value), 2)
    e.amended_at = state.time.minute
    if e.status == "lodged" and state.time.minute > e.cut_off:
        e.status = "void"
    return {"entry": entry_id, "status": e.status, "field": field, "value": value}


@writes()
def cancel_entry(state: State, entry_id: str) -> JsonObject:
    """Cancel a draft. It cannot be taken back.

    Args:
        entry_id: For example EN-9107.
    """
    e = record_of(state.entries, entry_id, "entry")
    if e.status != "draft":
        raise ToolError("not_draft", f"{entry_id} is {e.status}.")
    e.status, e.cancelled_at = "cancelled", state.time.minute
    return {"entry": entry_id, "status": "cancelled"}


@writes()
def allot_quota(state: State, entry_id: str) -> JsonObject:
    """Draw the weight of an entry from its quota. It cannot be taken back.

    Args:
        entry_id: For example EN-9107.
    """
    e = record_of(state.entries, entry_id, "entry")
    if e.quota is None:
        raise ToolError("no_quota", f"{entry_id} names no quota.")
    if e.allotted_at is not None:
        raise ToolError("already_allotted", f"{entry_id} has been allotted.")
    if e.status != "draft":
        raise ToolError("not_draft", f"{entry_id} is {e.status}.")
    quota, weight = state.quotas[e.quota], sum(line.weight for line in e.lines)
    if weight > quota.balance:
        raise ToolError("balance_too_small", f"{quota.id} has {quota.balance} kg left, {entry_id} needs {weight}.")
    quota.balance -= weight
    e.allotted_at = state.time.minute
    return {"entry": entry_id, "quota": quota.id, "balance_kg": quota.balance}


@writes()
def book_slot(state: State, slot_id: str, container_id: str) -> JsonObject:
    """Put a container onto a free slot of the inspection list, until the list is taken.

    Args:
        slot_id: For example S-90.
        container_id: For example PWLU101233.
    """
    slot = _slot(state, slot_id)
    c = record_of(state.containers, container_id, "container")
    if slot.agent is not None:
        raise ToolError("slot_taken", f"{slot_id} is held by {slot.agent} for {slot.container}.")
    if any(s.container == container_id for s in state.slots.values()):
        raise ToolError("has_slot", f"{container_id} is on the list already.")
    slot.container, slot.agent = c.id, "Pellworth"
    return {"slot": slot_id, "begins": slot.begins, "container": container_id}


@writes()
def free_slot(state: State, slot_id: str) -> JsonObject:
    """Give up a slot of our own, until the list is taken.

    Args:
        slot_id: For example S-90.
    """
    slot = _slot(state, slot_id)
    if slot.agent != "Pellworth":
        raise ToolError("not_ours", f"{slot_id} is not ours.")
    slot.container = slot.agent = None
    return {"slot": slot_id, "container": None}


@writes()
def release_container(state: State, container_id: str, haulier: str) -> JsonObject:
    """Let a container go to a haulier. It can be stopped for half an hour, while the lorry is in the yard.

    Args:
        container_id: For example PWLU101233.
        haulier: For example H-90.
    """
    c = record_of(state.containers, container_id, "container")
    if c.released_at is not None:
        raise ToolError("already_released", f"{container_id} is released to {c.released_to}.")
    if c.hold:
        raise ToolError("customs_hold", f"{container_id} is held by the customs office.")
    if state.time.minute < c.unloaded or c.shut_out:
        raise ToolError("not_in_yard", f"{container_id} is not in the yard yet.")
    c.released_to, c.released_at = haulier, state.time.minute
    return {"container": container_id, "released_to": haulier}


@writes()
def stop_release(state: State, container_id: str) -> JsonObject:
    """Stop a container that was released less than half an hour ago.

    Args:
        container_id: For example PWLU101233.
    """
    c = record_of(state.containers, container_id, "container")
    if c.released_at is None:
        raise ToolError("not_released", f"{container_id} is not released.")
    if state.time.minute - c.released_at > 30:
        raise ToolError("gone", f"{container_id} has left the yard with {c.released_to}.")
    c.released_to = c.released_at = None
    return {"container": container_id, "released_to": None}


def _slot(state: State, slot_id: str) -> Slot:
    record_of(state.slots, slot_id, "slot")
    if state.time.minute >= state.slots_close:
        raise ToolError("list_taken", f"The list was taken at {state.time.clock(state.slots_close)}.")
    return state.slots[slot_id]
