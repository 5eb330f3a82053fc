"""A day at the returns desk, drawn: a request for every slot of the shift, its pattern apart from its words."""

from collections.abc import Callable, Iterator
from datetime import date, timedelta
from functools import partial
from random import Random

from worktrial.language import JsonValue
from worktrial.suites.shifts.pace import Chore, first_possible
from worktrial.workplaces.kit.desk import Matter
from worktrial.workplaces.people import Fact

from . import names
from .base import TODAY, Draw
from .rules import FIRST_WORD, desk
from .state import Diagnosis, Order, State

SLOTS = {
    "short": "return repair return",
    "half": "repair return exchange pickup return exchange pickup return exchange pickup return return",
    "full": "return repair exchange return pickup repair return exchange return repair pickup return exchange "
    "return return exchange repair pickup return return pickup return",
}
EASY = ("plain", "plain", "opened", "misdelivered", "other_line")
"""Returns that only take time."""
TRAPS = (
    "law",
    "used",
    "late",
    "holiday",
    "camera",
    "claims_misdelivered",
    "defect",
    "seller",
    "seller_keeps",
    "seller_asked",
    "gift",
    "duplicate",
    "paid_by_card_company",
    "serial_wrong",
    "serial_claim",
    "expected",
    "keeps_it",
    "approval",
    "approval_back",
    "recalled",
)
_LONG = {"defect": 110, "approval_back": 75, "expected": 85, "keeps_it": 60, "gift": 45, "approval": 60,
         "seller_asked": 60, "serial_wrong": 55, "serial_claim": 45}  # fmt: skip
"""Pattern to the minutes that its work may take."""
REPAIRS = ("plain", "fault", "expired", "no_date", "receipt", "third", "other_symptoms", "contract")
EXCHANGES = ("unsafe", "defect", "mind", "claims_defect", "company", "late", "mind", "defect")
PICKUPS = ("plain", "hazard", "care", "plain", "seller", "hazard")
_EASY_SHARE = 0.3
_NOTICE = {"short": (24, 34), "half": (50, 80), "full": (100, 160)}
_RECALLED_ORDERS = {"short": 2, "half": 4, "full": 5}
NOTICE = "RC-2610"


_WAITING = {"short": 2, "half": 4, "full": 5}
"""Requests that wait when the shift begins."""
_COMING = {"short": 0.72, "half": 0.92, "full": 1.0}
"""Share of the shift that the pace of requests is reckoned from; those that wait at the beginning come off it."""
_WORK = {"return": 16, "repair": 18, "exchange": 13, "pickup": 12, "recall hold": 6, "Report": 3}
"""Minutes that the work on a matter of a kind takes, but for waiting and asking."""
_ONE_WORD = 2


def draw(length: str, minutes: int, random: Random) -> State:
    """State in which a shift begins, its future in it: the first of some days that one clerk can do."""
    return first_possible(Draw(length, minutes, random), partial(_day, length), _chores)


def _chores(state: State) -> Iterator[Chore]:
    """Everything that has to be done on a day, some minutes before it is due."""
    manifest, until = (state.time.minute_of(str(state.figures[name])) for name in ("manifest", "diagnosis_until"))
    for matter in desk.matters(state):
        request, right = matter.request, matter.right
        begins, due = request.at, (right.by or 0) - 6
        words = sum(step.tool == "send_message" for step in right.steps)
        if matter.name == "recall buyers":
            yield Chore(begins, due, 5 + _ONE_WORD * words)
            continue
        minutes = _WORK[matter.name] + _ONE_WORD * words
        if request.sender:
            yield Chore(begins, begins + FIRST_WORD - 2, _ONE_WORD)
            minutes += _ONE_WORD * (len(right.tell) - 1) - 1  # often the answer is the first word
        elif not right.report:
            minutes += _ONE_WORD * len(right.tell)
        ready, tools = max(begins, matter.earliest), {step.tool for step in right.steps}
        if "book_pickup" in tools:
            due = min(due, manifest - 2)
        if wait := _slow(state, matter):
            looked_at = any(asked.call for asked in right.asks)
            by = min(due - wait - 12, ready + 30, until - 2 if looked_at else due)
            yield Chore(ready, by, 9)
            ready, minutes = by + wait, minutes - 7
        elif ready > begins:
            last = 7 if "ship_replacement" in tools else 5 if matter.name == "exchange" else 9
            yield Chore(begins, ready, minutes - last)
            minutes = last
        yield Chore(ready, due, minutes)


def _slow(state: State, matter: Matter) -> int:
    """Minutes for which a matter waits for others: the repair centre, the warehouse, whoever has to agree."""
    found = 0
    for asked in matter.right.asks:
        person = state.people[asked.person]
        if asked.call is not None:
            found += asked.minutes + 1
        elif "topic" in asked.fields:
            found += person.delay[1] + 1
        else:
            found += (person.delay[1] + 3) * (2 if asked.about in person.forgets else 1)
    return found


def _day(length: str, day: Draw) -> State:
    random, minutes = day.random, day.state.time.ends
    slots = SLOTS[length].split()
    notice = random.randint(*_NOTICE[length])
    sku, lot = _recall(day, notice, slots.count("exchange"))
    patterns = {
        "repair": _patterns(random, REPAIRS, slots.count("repair")),
        "exchange": _patterns(random, EXCHANGES, slots.count("exchange")),
        "pickup": _patterns(random, PICKUPS, slots.count("pickup")),
    }
    traps = random.sample(TRAPS, len(TRAPS))
    gap = minutes * _COMING[length] / len(slots)
    earlier: list[tuple[str, Order]] = []
    for place, kind in enumerate(slots):
        due = 2
        if place >= _WAITING[length]:
            due = max(2, round((place - _WAITING[length] / 2) * gap + random.uniform(0, gap * 0.8)))
        if kind == "return":
            pattern = _return_pattern(random, traps, minutes - due, due > notice + 2)
            _return(day, due, pattern, (sku, lot), earlier)
        elif kind == "exchange":
            _exchange(day, due, patterns[kind].pop(), sku)
        else:
            _MAKERS[kind](day, due, patterns[kind].pop())
    day.state.orders = dict(sorted(day.state.orders.items(), key=lambda item: item[1].ordered or ""))
    day.state.requests = dict(sorted(day.state.requests.items(), key=lambda item: item[1].opened))
    return day.state


def _patterns(random: Random, of: tuple[str, ...], count: int) -> list[str]:
    found: list[str] = []
    while len(found) < count:
        found += random.sample(of, len(of))
    return found[:count]


def _return_pattern(random: Random, traps: list[str], left: int, noticed: bool) -> str:
    if random.random() < _EASY_SHARE:
        return random.choice(EASY)
    for pattern in traps:
        if _LONG.get(pattern, 0) < left and (noticed or pattern != "recalled"):
            traps.remove(pattern)
            return pattern
    return random.choice(EASY)


def _recall(day: Draw, notice: int, exchanges: int) -> tuple[str, str]:
    """The lot that is recalled today: whom it was sold to, what of it is in stock, and the notice."""
    random, state = day.random, day.state
    sku = random.choice(names.RECALLABLE)
    lot = f"{sku.replace('-', '')}-{random.randint(2601, 2608)}C"
    count = _RECALLED_ORDERS[day.length]
    for place in range(count):
        recipient = day.someone() if place == 1 else None
        order = day.order(day.someone(), days=random.randint(20, 90), sku=sku, lot=lot, recipient=recipient)
        if place == 2 and count > 3:
            day.old_refund(order, order.lines[0], random.randint(3, 15))
    # Fewer good pieces than are asked for, and recalled ones beside them.
    good = day.lots[sku][0]
    state.stock[sku] = {lot: random.randint(3, 8), good: max(1, exchanges // 2)}
    model = state.models[sku].name
    text = random.choice(
        (
            f"{model} 제조번호 {lot}에서 과열이 확인되어 오늘자로 리콜합니다. 통지번호 {NOTICE}.",
            f"리콜 통지 {NOTICE}: {model}({sku}), 제조번호 {lot}. 과열 사고 접수. 규정대로 조치 바랍니다.",
        )
    )
    state.expect(notice, "quality", NOTICE, f"통지 {NOTICE}", text, kind="tell", fields={"sku": sku, "lot": lot})
    return sku, lot


def _register(day: Draw, due: int, kind: str, order: Order, requester: str, **filled: JsonValue) -> str:
    """A request that is registered at a minute, with its message; returns its number."""
    day.request_number += 1
    id = f"R-{day.request_number}"
    line = order.lines[0]
    model = day.state.models[line.sku]
    words = day.random.choice(names.WORDS[kind]).format(model=model.name, order=order.id)
    given = {"serial": line.serial, "channel": day.random.choice(names.CHANNELS), **filled}
    payload: dict[str, JsonValue] = {"id": id, "kind": kind, "requester": requester, "order": order.id, **given}
    day.state.time.add(due, "request", **payload, summary=words)
    day.state.expect(due, requester, id, f"{model.name} {_KINDS[kind]} ({id})", words)
    return id


def _return(day: Draw, due: int, pattern: str, recalled: tuple[str, str], earlier: list[tuple[str, Order]]) -> None:
    if pattern == "duplicate" and earlier:
        id, order = day.random.choice(earlier)
        requester = next(e for e in day.state.expected() if e.payload["about"] == id).payload["sender"]
        _register(day, due, "return", order, str(requester), reason=day.random.choice(names.REASONS))
        return
    random, state = day.random, day.state
    period, limit = int(str(day.figures["return_days"])), int(str(day.figures["limit"]))
    buyer = day.someone()
    recipient = day.someone() if pattern == "gift" else None
    order = day.order(
        buyer,
        days=_days(random, pattern, period),
        sku=recalled[0] if pattern == "recalled" else None,
        lot=recalled[1] if pattern == "recalled" else None,
        categories=_categories(pattern),
        large=None if pattern in ("plain", "law") else False,
        most=None if pattern.startswith("approval") else limit,
        least=limit + 60_000 if pattern.startswith("approval") else 0,
        channel=_channel(random, pattern),
        seller=_SELLERS.get(pattern) or (random.choice(("S-01", "S-04")) if pattern == "seller" else "own"),
        lines=2 if pattern == "other_line" else 1 if pattern.startswith("seller") else None,
        plain_payment=pattern == "paid_by_card_company",
        recipient=recipient,
    )
    condition = _condition(random, pattern)
    reason = _reason(random, pattern)
    line = order.lines[0]
    other = pattern == "misdelivered"
    seen = line.serial if pattern not in ("serial_wrong", "serial_claim") else _other_serial(random, line.serial)
    slip = f"포장: {condition}. 일련번호: {seen}. 제품: {'주문과 다름' if other else '주문과 같음'}."
    waits = pattern in ("expected", "keeps_it", "approval_back")
    symptom = random.choice(names.SYMPTOMS[state.models[line.sku].category]) if reason == "불량" else None
    requester = recipient or buyer
    filled: dict[str, JsonValue] = {"reason": reason, "symptom": symptom, "goods": "expected" if waits else "in"}
    id = _register(day, due, "return", order, requester, **filled)
    if waits:
        state.arrivals[id] = {"kind": "입고검수표", "signed_by": "warehouse", "text": slip}
        if pattern != "keeps_it":
            state.time.add(due + random.randint(20, 32), "arrived", request=id)
    else:
        day.paper("입고검수표", id, "warehouse", slip, random.randint(0, 1))
    if pattern == "defect":
        result = random.choice(("제품 결함", "제품 결함", "사용자 과실", "이상 없음"))
        state.diagnoses[id] = Diagnosis(
            result=result, symptom=symptom or "", part_price=random.randrange(20_000, 90_000, 500),
            unsafe=result == "제품 결함" and random.random() < 0.5, minutes=random.randint(28, 38),
        )  # fmt: skip
    if pattern == "duplicate":
        row = order.lines[0]
        day.old_refund(order, row, random.randint(1, 4))
    elif pattern == "other_line":
        day.old_refund(order, order.lines[1], random.randint(1, 4))
    elif pattern == "paid_by_card_company":
        order.months, order.card_cancelled = 0, f"{TODAY - timedelta(days=random.randint(1, 4))}"
    elif pattern.startswith("serial"):
        _scan(day, order, seen if pattern == "serial_wrong" else line.serial)
    elif pattern == "keeps_it":
        text = random.choice(
            (
                "그냥 계속 쓰기로 했습니다. 아까 접수한 반품은 없던 일로 해 주세요.",
                "생각이 바뀌었어요. 반품 안 하겠습니다.",
            )
        )
        state.expect(due + random.randint(8, 18), requester, id, f"{id} 관련", text, kind="tell")
    elif pattern == "approval_back":
        day.paper("승인서", id, "manager", f"{id} 환불 승인. 금액은 규정 계산대로.", 1)
        text = f"{id} 승인은 거두겠습니다. 본사에서 다시 보자고 합니다."
        state.expect(due + random.randint(6, 15), "manager", id, f"{id} 승인 건", text, kind="tell")
    elif pattern not in ("seller", "gift", "seller_asked"):
        earlier.append((id, order))
    manager = pattern != "approval_back" and random.random() < 0.7
    state.answers[id] = {"manager": manager, buyer: random.random() < 0.6, "S-03": random.random() < 0.5}
    if pattern == "approval" and random.random() < 0.4:
        state.people["manager"].forgets.append(id)


_ANY_CONDITION = frozenset(
    {
        "other_line",
        "claims_misdelivered",
        "seller_keeps",
        "seller_asked",
        "gift",
        "serial_wrong",
        "approval",
        "holiday",
    }
)
_SELLERS = {"seller_keeps": "S-02", "seller_asked": "S-03"}


def _days(random: Random, pattern: str, period: int) -> int:
    ranges = {
        "law": (1, 7),
        "late": (period + 1, 17),
        "holiday": (18, 36),
        "camera": (6, 7) if period < 8 else (6, period),
        "defect": (8, 60),
        "seller_keeps": (period + 1, 20),
        "seller_asked": (8, period),
        "recalled": (30, 80),
    }
    return random.randint(*ranges.get(pattern, (1, period)))


def _channel(random: Random, pattern: str) -> str | None:
    if pattern in ("law", "seller", "seller_keeps", "seller_asked"):
        return random.choice(("online", "phone"))
    return "store" if pattern == "camera" else None


def _categories(pattern: str) -> tuple[str, ...]:
    if pattern in ("camera", "seller_asked"):
        return ("카메라",)
    if pattern == "seller_keeps":
        return ("이어폰",)
    if pattern in ("law", "holiday", "opened", "used"):
        return ("노트북", "태블릿", "이어폰", "생활가전")
    return ()


def _condition(random: Random, pattern: str) -> str:
    if pattern in ("law", "opened"):
        return "개봉, 사용 흔적 없음"
    if pattern == "used":
        return "개봉, 사용 흔적 있음"
    if pattern in ("defect", "recalled", "expected"):
        return random.choice(("개봉, 사용 흔적 없음", "개봉, 사용 흔적 있음"))
    if pattern in _ANY_CONDITION:
        return random.choice(("미개봉", "개봉, 사용 흔적 없음", "개봉, 사용 흔적 있음"))
    return "미개봉"


def _reason(random: Random, pattern: str) -> str:
    fixed = {"defect": "불량", "misdelivered": "오배송", "claims_misdelivered": "오배송"}
    return fixed.get(pattern, "변심")


def _other_serial(random: Random, serial: str) -> str:
    return f"{serial[:-4]}{random.randint(7000, 9999)}"


def _scan(day: Draw, order: Order, serial: str) -> None:
    """What the warehouse's scanner read when the parcel left: a paper on file, or only in its own books."""
    people = day.state.people
    if day.random.random() < 0.5:
        day.paper("출고전표", order.id, "warehouse", f"출고 스캔 일련번호: {serial}.", _age(order))
    text = f"{order.id} 출고 스캔 일련번호는 {serial}입니다."
    people["warehouse"].facts[order.id] = {"scan": Fact(value=serial, text=text)}
    heard = day.random.choice((serial, order.lines[0].serial))
    people["call_center"].facts[order.id] = {
        "scan": Fact(value=heard, text=f"고객님 말씀으로는 {heard}라고 하셨습니다. 확인은 못 했습니다.")
    }


def _age(order: Order) -> int:
    """Days since the parcel left."""
    return (TODAY - date.fromisoformat(str(order.ordered))).days


def _repair(day: Draw, due: int, pattern: str) -> None:
    random, state = day.random, day.state
    until = state.time.minute_of(str(day.figures["diagnosis_until"]))
    due = min(due, until - random.randint(12, 20))
    buyer = day.someone()
    limit = int(str(day.figures["limit"]))
    sku = None
    if pattern == "contract":
        customer = state.customers[buyer]
        customer.type, customer.company = "법인", names.CONTRACT_COMPANY
        sku = random.choice(("NB-14", "TB-11"))
    days = random.randint(30, 300)
    if pattern == "expired":
        days = random.randint(760, 900)
    elif pattern == "contract":
        days = random.randint(420, 1000)
    elif pattern in ("no_date", "receipt"):
        days = random.randint(340, 420)
        sku = random.choice(("NB-14", "TB-08", "TB-11", "EP-02"))
    order = day.order(buyer, days=days, sku=sku, most=limit if pattern == "third" else None, lines=1)
    line = order.lines[0]
    if pattern in ("no_date", "receipt"):
        _lose_dates(day, order, with_receipt=pattern == "receipt")
    symptoms = names.SYMPTOMS[state.models[line.sku].category]
    symptom = random.choice(symptoms)
    if pattern in ("third", "other_symptoms"):
        first, second = random.sample(range(10, min(days, 180)), 2)
        other = next(s for s in symptoms if s != symptom)
        day.old_request(order, "repair", first, line.serial, symptom=symptom)
        day.old_request(order, "repair", second, line.serial, symptom=symptom if pattern == "third" else other)
    id = _register(day, due, "repair", order, buyer, symptom=symptom)
    state.diagnoses[id] = Diagnosis(
        result="사용자 과실" if pattern == "fault" else "제품 결함", symptom=symptom,
        part_price=random.randrange(18_000, 160_000, 100),
        unsafe=pattern in ("plain", "other_symptoms", "contract") and random.random() < 0.4,
        minutes=random.randint(26, 36),
    )  # fmt: skip
    state.answers[id] = {buyer: random.random() < 0.65, "manager": random.random() < 0.7}


def _lose_dates(day: Draw, order: Order, *, with_receipt: bool) -> None:
    """An order of the old system, which kept no dates."""
    bought = date.fromisoformat(str(order.delivered))
    del day.state.orders[order.id]
    order.id = f"B-{day.random.randint(10_000, 99_999)}"
    order.ordered = order.delivered = None
    order.channel = "store"
    # Made some while before: three months on, the warranty may be over or not.
    order.lines[0].made = f"{bought - timedelta(days=day.random.randint(20, 160))}"
    day.state.orders[order.id] = order
    if with_receipt:
        day.paper("영수증", order.id, order.buyer, f"매장 영수증. 구입일 {bought}. 단말기 승인번호 있음.", 0)


def _exchange(day: Draw, due: int, pattern: str, sku: str) -> None:
    random = day.random
    until = day.state.time.minute_of(str(day.figures["allocation"]))
    due = min(due, until - random.randint(8, 20))
    buyer = day.someone()
    customer = day.state.customers[buyer]
    if pattern == "company":
        customer.type, customer.company = "법인", random.choice(names.COMPANIES)
    days = random.randint(31, 50) if pattern == "late" else random.randint(2, 29)
    order = day.order(buyer, days=days, sku=sku, lot=day.lots[sku][1])
    reason = "변심" if pattern == "mind" else "불량"
    symptom = random.choice(names.SYMPTOMS[day.state.models[sku].category]) if reason == "불량" else None
    id = _register(day, due, "exchange", order, buyer, reason=reason, symptom=symptom)
    if reason == "불량":
        result = "이상 없음" if pattern == "claims_defect" else "제품 결함"
        unsafe = " 안전 소견 있음: 과열 흔적." if pattern == "unsafe" else ""
        day.paper("진단서", id, "repair_center", f"판정: {result}. 증상: {symptom}.{unsafe}", random.randint(0, 1))


def _pickup(day: Draw, due: int, pattern: str) -> None:
    random = day.random
    until = day.state.time.minute_of(str(day.figures["manifest"]))
    due = min(due, until - random.randint(14, 26))
    buyer = day.someone()
    day.state.customers[buyer].care_home = pattern == "care"
    seller = random.choice(("S-01", "S-04")) if pattern == "seller" else "own"
    order = day.order(buyer, days=random.randint(2, 7), large=True, channel="online", seller=seller)
    category = day.state.models[order.lines[0].sku].category
    symptom = random.choice(names.HAZARDS[category]) if pattern == "hazard" else None
    home = sorted(random.sample(names.WINDOWS[:3], random.choice((1, 2))))
    _register(
        day, due, "pickup", order, buyer, reason="불량" if symptom else "변심", symptom=symptom, windows=home,
        goods="expected",
    )  # fmt: skip


_KINDS = {"return": "반품", "exchange": "교환", "repair": "수리", "pickup": "수거"}
_MAKERS: dict[str, Callable[[Draw, int, str], None]] = {"repair": _repair, "pickup": _pickup}
