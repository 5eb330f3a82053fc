"""Sums of the customs desk by the handbook: exchange, duty, what an account bears, storage. Exact decimals."""

from collections.abc import Sequence
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal

from worktrial.language import JsonValue

from .state import Container, CustomsEntry, GoodsLine, Importer, State

NEW_STORAGE = date(2026, 6, 8)
"""Day from which on circular C-2026-19 charges more."""
_CENT = Decimal("0.01")
_STORAGE = {20: (Decimal("14.80"), Decimal("27.35")), 40: (Decimal("23.60"), Decimal("44.10"))}
_PLUG = Decimal("31.45")


def cents(amount: Decimal) -> Decimal:
    """Amount rounded to the cent, halves upwards (section 3.1)."""
    return amount.quantize(_CENT, ROUND_HALF_UP)


def exact(value: float) -> Decimal:
    """Decimal that a figure is written as."""
    return Decimal(str(value))


def exchange_rate(state: State, currency: str) -> Decimal:
    """Units of a currency for one euro: of the month, or by circular C-2026-12 of the day."""
    if currency == "EUR":
        return Decimal(1)
    month, day = map(exact, state.rates[currency])
    moved = abs(day - month) / month >= Decimal("0.05")
    return day if state.figures["rate_daily"] and moved else month


def entry_duty(state: State, entry: CustomsEntry, lines: Sequence[GoodsLine], *, preference: bool) -> Decimal:
    """Duty of an entry (sections 3.1 and 3.2), euros.

    Args:
        state: Tariff, rates and the container's freight.
        entry: Its terms and currency.
        lines: As they should read.
        preference: Whether the preferential rate is due.
    """
    total = Decimal(0)
    for place, line in enumerate(lines):
        tariff = state.tariff[line.code]
        rate = exact(tariff.preferential if preference else tariff.full)
        if tariff.basis == "euros for 100 kg":
            total += cents(rate * line.weight / 100)
            continue
        value = cents(exact(line.value) / exchange_rate(state, entry.currency))
        if entry.terms == "FOB" and place == 0:
            value += exact(state.containers[entry.container].freight)
        total += cents(value * rate / 100)
    return total


def bears(state: State, importer: Importer, lodging: CustomsEntry) -> Decimal:
    """Sum that a deferment account still bears for an entry (section 3.6, contract K-1), euros."""
    limit = exact(importer.limit)
    if importer.id == state.figures["k1"]:
        limit = limit * 3 / 4
    first = drafts_before(state, lodging)
    set_aside = [entry_duty(state, entry, entry.lines, preference=entry.preference) for entry in first]
    return limit - exact(importer.used) - exact(importer.reserved) - sum(set_aside)


def drafts_before(state: State, lodging: CustomsEntry) -> list[CustomsEntry]:
    """Refrigerated drafts of the same importer, whose duty is set aside before a dry one's (3.6)."""
    if state.containers[lodging.container].refrigerated:
        return []
    return [
        entry
        for entry in state.entries.values()
        if entry.importer == lodging.importer
        and entry.status == "draft"
        and state.containers[entry.container].refrigerated
    ]


def storage_due(state: State, container: Container, collected: JsonValue) -> Decimal:
    """Storage of a container up to the day of collection (sections 8.1, A-1, C-2026-19, K-2), euros."""
    came, goes = date.fromisoformat(container.discharged), date.fromisoformat(str(collected))
    days = (goes - came).days
    free = 3 if container.refrigerated else 5
    if container.importer == state.figures["k2"]:
        free = 10
    early, late = _STORAGE[container.size]
    total = Decimal(0)
    for number in range(free + 1, days + 1):
        daily = early if number - free <= 5 else late
        if state.figures["storage_new"] and came + timedelta(days=number) >= NEW_STORAGE:
            daily = cents(daily * Decimal("1.12"))
        total += daily
    return total + (_PLUG * days if container.refrigerated else 0)
