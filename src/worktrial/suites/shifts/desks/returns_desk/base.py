"""What is there before the first request of a day: customers, models, old orders and requests, people, figures."""

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from random import Random

from worktrial.language import JsonValue
from worktrial.workplaces.people import Person
from worktrial.workplaces.time import Timeline

from . import names
from .state import Customer, Document, Line, Model, Order, Refund, Request, State

BEGINS = datetime(2026, 10, 20, 9)
TODAY = BEGINS.date()
_CUSTOMERS = 220
_ORDERS = 320
_OLD_REQUESTS = 180
_RATES = (
    # opened, used; per cent by category in the order of names.CATEGORIES
    ((7, 15), (6, 14), (10, 20), (15, 30), (8, 18), (5, 12)),
    ((8, 16), (7, 15), (12, 22), (12, 28), (9, 20), (6, 14)),
    ((5, 12), (5, 12), (9, 18), (18, 35), (7, 16), (4, 10)),
)
_OLD_RATES = ((10, 20), (10, 20), (15, 25), (20, 40), (12, 25), (8, 15))
_FEES = (45_000, 38_000, 55_000, 18_000, 42_000, 35_000)
_REPORT_AT = {"short": 115, "half": 150, "full": 300}
"""Length to the minute of the first report: late enough for a refund to be due by then."""
_PLACES = {"short": 0, "half": 2, "full": 4}
"""Length to places of pick-up in all windows."""


class Draw:
    """Work in progress on one day."""

    def __init__(self, length: str, minutes: int, random: Random) -> None:
        self.random = random
        self.length = length
        self.figures = _figures(length, minutes, random)
        self.used: set[str] = set()
        self.suffix = 100
        self.request_number = 7400
        self.old_number = 7000
        customers = _customers(random)
        models = {
            sku: Model(sku=sku, name=name, category=category, large=large, warranty_months=months)
            for sku, name, category, large, months, *_ in names.MODELS
        }
        self.prices = {sku: (low, high) for sku, *_, low, high in names.MODELS}
        self.lots = {
            sku: [f"{sku.replace('-', '')}-{random.randint(2501, 2512)}{letter}" for letter in "AB"]
            for sku in models
        }
        self.state = State(
            time=Timeline(begins=BEGINS, ends=minutes), people=_people(customers), figures=self.figures,
            customers=customers, models=models, orders={}, requests={}, documents=[],
            stock={sku: {lot: random.randint(1, 9) for lot in lots} for sku, lots in self.lots.items()},
            windows=_windows(_PLACES[length]),
        )  # fmt: skip
        for _ in range(_ORDERS):
            self.order(random.choice(list(customers)), days=random.randint(3, 700))
        self._old_requests()

    def someone(self) -> str:
        """A customer who has no other part in the day."""
        found = self.random.choice([id for id in self.state.customers if id not in self.used])
        self.used.add(found)
        return found

    def order(
        self,
        buyer: str,
        *,
        days: int,
        sku: str | None = None,
        most: int | None = None,
        least: int = 0,
        categories: Sequence[str] = (),
        large: bool | None = None,
        channel: str | None = None,
        seller: str = "own",
        lot: str | None = None,
        lines: int | None = None,
        plain_payment: bool = False,
        recipient: str | None = None,
    ) -> Order:
        """An order that was delivered so many days ago; its first line is the one that the day is about.

        Args:
            buyer: Customer.
            days: Days since delivery.
            sku: Model of the first line; None draws one.
            most: Highest price of the first line, in won.
            least: Lowest one.
            categories: Of which the model is drawn.
            large: Whether the model is a large one.
            channel: online, phone or store.
            seller: `own` or a seller's id.
            lot: Lot of the first line.
            lines: Number of lines.
            plain_payment: Without coupon and points.
            recipient: Customer who got it as a gift.
        """
        random = self.random
        delivered = TODAY - timedelta(days=days)
        ordered = delivered - timedelta(days=random.randint(1, 3))
        fit = [
            m.sku
            for m in self.state.models.values()
            if (not categories or m.category in categories)
            and (large is None or m.large == large)
            and (most is None or self.prices[m.sku][0] * 1000 <= most)
            and self.prices[m.sku][1] * 1000 > least
        ]
        first = sku or random.choice(fit)
        low, high = self.prices[first]
        low, high = max(low * 1000, least), min(high * 1000, most or high * 1000)
        price = random.randrange(low, max(high, low + 1000), 100)
        rows = [self._line(first, price, lot, delivered)]
        for _ in range((lines or random.choice((1, 1, 2))) - 1):
            other = random.choice([s for s in self.state.models if s not in names.RECALLABLE and s != first])
            low, high = self.prices[other]
            rows.append(self._line(other, random.randrange(low * 1000, high * 1000, 100), None, delivered))
        total = sum(row.price for row in rows)
        self.suffix += 1
        order = Order(
            id=f"A-{ordered:%y%m%d}-{self.suffix}", buyer=buyer, recipient=recipient,
            channel=channel or random.choice(("online", "online", "phone", "store")), seller=seller,
            ordered=f"{ordered}", delivered=f"{delivered}", lines=rows,
            coupon=0 if plain_payment else random.choice((0, 0, 5000, 10000, 7000)),
            points=0 if plain_payment else random.choice((0, 0, random.randint(300, 9000))),
            months=random.choice((0, 0, 0, 3, 6, 12)) if total > 300_000 else 0,
        )  # fmt: skip
        self.state.orders[order.id] = order
        return order

    def _line(self, sku: str, price: int, lot: str | None, delivered: date) -> Line:
        self.suffix += 1
        made = delivered - timedelta(days=self.random.randint(20, 80))
        lot = lot or self.random.choice(self.lots[sku])
        serial = f"{sku.replace('-', '')}{self.random.randint(100, 999)}{self.suffix:04d}"
        return Line(sku=sku, serial=serial, lot=lot, made=f"{made}", price=price)

    def old_request(self, order: Order, kind: str, days: int, serial: str, **more: str) -> str:
        """A request of an earlier day that was dealt with; returns its number."""
        self.old_number += 1
        id = f"R-{self.old_number}"
        opened = BEGINS - timedelta(days=days, minutes=-self.random.randint(0, 400))
        model = next(self.state.models[row.sku].name for row in order.lines if row.serial == serial)
        words = self.random.choice(names.WORDS[kind]).format(model=model, order=order.id)
        self.state.requests[id] = Request(
            id=id, kind=kind, requester=order.buyer, opened=f"{opened:%Y-%m-%d %H:%M}",  # type: ignore[arg-type]
            channel=self.random.choice(names.CHANNELS), order=order.id, serial=serial, summary=words, status="done",
            settled_at=0, reason=more.get("reason"), symptom=more.get("symptom"),
        )  # fmt: skip
        return id

    def old_refund(self, order: Order, row: Line, days: int) -> str:
        """A line that was returned and paid back on an earlier day; returns the number of its request."""
        id = self.old_request(order, "return", days, row.serial, reason="변심")
        money = row.price - order.coupon * row.price // order.total - order.points * row.price // order.total
        self.state.refunds[id] = Refund(
            request=id, method="transfer", money=money, points=0, coupon=False, minute=-1
        )
        return id

    def paper(self, kind: str, about: str, signed_by: str, text: str, days: int = 0) -> None:
        """A document on file."""
        self.state.documents.append(
            Document(
                id=f"D-{len(self.state.documents) + 301}", kind=kind, about=about,
                date=f"{TODAY - timedelta(days=days)}", signed_by=signed_by, text=text,
            )
        )  # fmt: skip

    def _old_requests(self) -> None:
        for order in self.random.sample(list(self.state.orders.values()), _OLD_REQUESTS):
            model = self.state.models[order.lines[0].sku]
            symptom = self.random.choice(names.SYMPTOMS[model.category])
            kind = self.random.choice(("repair", "exchange", "pickup" if model.large else "repair"))
            age = (TODAY - date.fromisoformat(str(order.delivered))).days
            days = self.random.randint(1, min(200, age))
            self.old_request(order, kind, days, order.lines[0].serial, symptom=symptom)


def _figures(length: str, minutes: int, random: Random) -> dict[str, JsonValue]:
    rates = random.choice(_RATES)
    keys = list(names.CATEGORIES.values())
    fee_up, ends = random.random() < 0.5, BEGINS + timedelta(minutes=minutes)
    quarter = random.choice((0, 15, 30))
    rows: dict[str, JsonValue] = {
        "return_days": random.choice((10, 14)),
        "holiday": random.random() < 0.5,
        "camera_short": random.random() < 0.5,
        "fee_up": fee_up,
        "no_discount": random.random() < 0.5,
        "corp_last": random.random() < 0.5,
        "fee_small": 5000,
        "fee_large": 30000,
        "fee_small_new": 6500,
        "fee_large_new": 38000,
        "limit": random.choice((500_000, 600_000, 700_000)),
        "rates": {key: list(pair) for key, pair in zip(keys, rates, strict=True)},
        "old_rates": {key: list(pair) for key, pair in zip(keys, _OLD_RATES, strict=True)},
        "tech_fee": {key: fee + random.choice((0, 2000, 5000)) for key, fee in zip(keys, _FEES, strict=True)},
        "allocation": f"{BEGINS + timedelta(minutes=minutes // 2 + quarter - 15):%H:%M}",
        "manifest": f"{BEGINS + timedelta(minutes=minutes * 3 // 4 - quarter):%H:%M}",
        "diagnosis_until": f"{ends - timedelta(minutes=70 if minutes < 300 else 100):%H:%M}",
        "recall_minutes": 45 if length != "full" else 60,
        "report_at": f"{BEGINS + timedelta(minutes=_REPORT_AT[length]):%H:%M}",
        "report_again": length == "full",
        "report_again_at": "16:30",
        "pickups": length != "short",
    }
    return rows


def _customers(random: Random) -> dict[str, Customer]:
    full = random.sample([last + first for last in names.LAST for first in names.FIRST], _CUSTOMERS)
    found = {}
    for number, name in enumerate(full):
        id = f"C-{101 + number}"
        company = random.choice(names.COMPANIES) if random.random() < 0.06 else None
        found[id] = Customer(
            id=id, name=name, phone=f"010-{random.randint(2000, 9999)}-{random.randint(1000, 9999)}",
            grade=random.choice(("일반", "일반", "일반", "실버", "골드")), type="법인" if company else "개인",
            company=company,
        )  # fmt: skip
    return found


def _people(customers: dict[str, Customer]) -> dict[str, Person]:
    offices = (
        Person(
            id="manager", name="노해연", role="반품보증팀 팀장", hours="09:00-18:00", delay=(4, 10), patience=60,
            decides="권한을 넘는 환불의 승인",
        ),
        Person(id="quality", name="품질안전팀", role="리콜 통지, 안전 소견", hours="09:00-18:00", delay=(5, 12)),
        Person(id="audit", name="감사실", role="일련번호 불일치, 의심 건 조사", hours="09:00-18:00", delay=(8, 15)),
        Person(id="finance", name="정산팀", role="카드사 취소, 입금 확인", hours="09:00-18:00", delay=(8, 15)),
        Person(id="warehouse", name="물류센터", role="입고, 출고 스캔", hours="08:00-18:00", delay=(10, 18)),
        Person(id="repair_center", name="수리센터", role="진단과 수리", hours="09:00-18:00", delay=(8, 15)),
        Person(id="courier", name="바른택배 배차실", role="대형 제품 수거", hours="09:00-18:00", delay=(5, 12)),
        Person(id="call_center", name="고객상담실", role="전화 접수", hours="09:00-18:00", delay=(3, 6)),
        Person(id="S-01", name="모아디지털", role="입점 판매자", hours="09:00-17:00", delay=(12, 20)),
        Person(id="S-02", name="두레음향", role="입점 판매자", hours="09:00-17:00", delay=(12, 20)),
        Person(id="S-03", name="가온렌즈", role="입점 판매자", hours="09:00-17:00", delay=(12, 20)),
        Person(id="S-04", name="해솔상회", role="입점 판매자", hours="09:00-17:00", delay=(12, 20)),
    )  # fmt: skip
    people = {office.id: office for office in offices}
    for c in customers.values():
        people[c.id] = Person(id=c.id, name=c.name, role="고객", hours="문자 수신", delay=(5, 12), patience=5)
    return people


def _windows(places: int) -> dict[str, int]:
    found = dict.fromkeys(names.WINDOWS, 0) if places else {}
    for place in range(places):
        found[names.WINDOWS[place % 3]] += 1
    return found
