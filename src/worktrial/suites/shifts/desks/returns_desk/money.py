"""Amounts by the handbook's rules, to the won."""

import re
from dataclasses import dataclass
from datetime import date

from worktrial.language import JsonValue

from . import names
from .state import Diagnosis, Line, Method, Order, State

_LAW_DAYS = 7
_HOLIDAY = (date(2026, 9, 14), date(2026, 10, 2), date(2026, 10, 23))
"""First and last delivery, and last day of return, by C-2026-29."""
_CAMERA_DAYS = 5
_SELLER_DAYS = 20
_CONTRACT_MONTHS = 36
_DISCOUNTS = {"일반": 0, "실버": 5, "골드": 10}


@dataclass(frozen=True)
class Money:
    """A refund."""

    won: int
    points: int
    coupon: bool
    method: Method


@dataclass(frozen=True)
class Period:
    """Days in which a thing may be returned, and the paper that says so."""

    days: int
    section: str


@dataclass(frozen=True)
class Bill:
    """Price of a repair, and the paper that decides it."""

    won: int
    section: str
    because: str
    pattern: str


def full_refund(order: Order, line: Line) -> Money:
    """Everything that was paid for a line, where the shop is answerable."""
    return _refund(order, line, 0, 0, shops_fault=True)


def return_period(state: State, order: Order, line: Line, slip: str) -> Period:
    """Days in which the customer may simply change their mind.

    Args:
        state: First state of the day.
        order: The order.
        line: The line that is returned.
        slip: Receiving slip.
    """
    delivered = date.fromisoformat(str(order.delivered))
    period = Period(int(str(state.figures["return_days"])), "3.1")
    first, last, until = _HOLIDAY
    if order.seller == "S-02":
        period = Period(_SELLER_DAYS, "K-1")
    elif state.figures["camera_short"] and _category(state, line) == "카메라" and order.channel == "store":
        period = Period(_CAMERA_DAYS, "C-2026-32")
    elif state.figures["holiday"] and order.seller == "own" and first <= delivered <= last and "미개봉" in slip:
        period = Period((until - delivered).days, "C-2026-29")
    if order.channel != "store" and period.days < _LAW_DAYS:
        return Period(_LAW_DAYS, "L-1")
    return period


def refund_after(state: State, order: Order, line: Line, slip: str) -> tuple[Money, str]:
    """Refund of somebody who changed their mind in time, and the paper that decides the amount."""
    figures = state.figures
    days = (state.time.begins.date() - date.fromisoformat(str(order.delivered))).days
    rates = _of(figures["rates"], names.CATEGORIES[_category(state, line)])
    rate, section = 0, "3.1"
    if "흔적 있음" in slip:
        rate, section = int(str(_at(rates, 1))), "A-3"
    elif "미개봉" not in slip:
        rate, section = int(str(_at(rates, 0))), "A-3"
        if order.channel != "store" and days <= _LAW_DAYS:
            rate, section = 0, "L-1"
    size = "fee_large" if state.models[line.sku].large else "fee_small"
    fee = int(str(figures[f"{size}_new" if figures["fee_up"] else size]))
    if order.seller == "S-02":
        fee, section = 0, "K-1"
    return _refund(order, line, rate, fee, shops_fault=False), section


def repair_charge(state: State, order: Order, line: Line, found: Diagnosis, receipts: list[str]) -> Bill:
    """What the customer pays for a repair; 0 under warranty."""
    category = _category(state, line)
    customer = state.customers[order.buyer]
    contract = customer.company == names.CONTRACT_COMPANY
    months = _CONTRACT_MONTHS if contract else state.models[line.sku].warranty_months
    section, because, pattern = "9.1", "9.1: 보증 기간 안의 결함은 무상으로 고친다.", "plain"
    bought = [seen[1] for text in receipts if (seen := re.search(r"구입일 ([\d-]+)", text))]
    if order.delivered is not None:
        start = date.fromisoformat(order.delivered)
    elif bought:
        start, section, pattern = date.fromisoformat(bought[0]), "9.2", "date by receipt"
        because = "9.2: 기록에 구입일이 없으면 단말기 승인번호가 있는 영수증의 날짜로 센다."
    else:
        start, section, pattern = months_on(date.fromisoformat(line.made), 3), "9.2", "date by manufacture"
        because = "9.2: 구입일을 알 수 없으면 제조일에서 석 달 뒤를 구입일로 본다."
    covered = months_on(start, months) >= state.time.begins.date()
    if covered and found.result == "제품 결함":
        if contract:
            section, because, pattern = "K-3", "K-3: 한울교육의 기기는 서른여섯 달 보증한다.", "contract"
        return Bill(0, section, because, pattern)
    labour = 0 if contract else int(str(_of(state.figures["tech_fee"], names.CATEGORIES[category])))
    discount = _DISCOUNTS[customer.grade]
    if state.figures["no_discount"] and category in ("TV", "노트북"):
        discount = 0
    won = labour + found.part_price - found.part_price * discount // 100 // 10 * 10
    if found.result == "사용자 과실":
        section, because, pattern = "9.3", "9.3: 사용자 과실은 보증 기간에도 유상이다.", "user's fault"
    elif pattern == "plain":
        section, because, pattern = "9.1", "9.1: 보증 기간이 지난 수리는 유상이다.", "warranty over"
    return Bill(won, section, because, pattern)


def months_on(day: date, months: int) -> date:
    """The same day of a later month, or the last one that it has."""
    month = day.month - 1 + months
    year, month = day.year + month // 12, month % 12 + 1
    last = (date(year + month // 12, month % 12 + 1, 1) - date(year, month, 1)).days
    return date(year, month, min(day.day, last))


def _refund(order: Order, line: Line, rate: int, fee: int, *, shops_fault: bool) -> Money:
    """Refund of a line: its share of the payment, less what is kept of it and the cost of sending it back."""
    coupon = order.coupon * line.price // order.total
    points = order.points * line.price // order.total
    kept = line.price * rate // 100 // 10 * 10
    won = line.price - coupon - points - kept - fee
    whole = len(order.lines) == 1
    restored = bool(order.coupon) and whole and shops_fault
    return Money(won, points, restored, "transfer" if order.months and won < order.card else "card")


def _category(state: State, line: Line) -> str:
    return state.models[line.sku].category


def _of(table: JsonValue, key: str) -> JsonValue:
    assert isinstance(table, dict)
    return table[key]


def _at(row: JsonValue, place: int) -> JsonValue:
    assert isinstance(row, list)
    return row[place]
