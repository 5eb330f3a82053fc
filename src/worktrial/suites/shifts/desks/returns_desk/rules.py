"""What is right on a day at the returns desk, from the handbook's rules and the day's records and events.

Shares no code with the tools: it reads the first state and what is still to come.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date

from worktrial.language import JsonObject, JsonValue
from worktrial.suites.shifts.right import RightEnd
from worktrial.workplaces.people import Kind

from .money import Money, full_refund, refund_after, repair_charge, return_period
from .state import Line, Order, State

REPORT = "report"
FIRST_WORD = 30
"""Minutes within which whoever asks has a first word (1.3)."""
_HEAVY, _LIGHT = 3, 1
_REPORTED_FROM, _PAID_BEFORE = 20, 10
"""Minutes before a report's time from which it may be sent, and by which a refund was due that is in it (1.4)."""
RECALL = "recall"
SELLER_KEEPS, SELLER_ASKED = "S-02", "S-03"


@dataclass(frozen=True)
class Right(RightEnd):
    """The right end of one matter."""

    money: Money | None = None
    charge: int | None = None
    asks: tuple[str, int | None] | None = None
    """Who has to be asked first, and about how many won; None for no amount."""
    diagnosed: bool = False
    """Whether the repair centre has to look at the goods."""
    tell: tuple[str, ...] = ()
    """Others who have to be told, by id."""
    scan: bool = False
    """Whether the warehouse's scan decides, and is not on file."""

    @property
    def weight(self) -> int:
        """Halves of the usual points that it is worth (1.2)."""
        if self.critical or self.kind in ("exchange", REPORT) or self.pattern in ("danger", "approval"):
            return _HEAVY
        return _LIGHT if self.end in ("link", "forward") else 2

    @property
    def is_request(self) -> bool:
        """Whether somebody waits for an answer."""
        return self.kind != REPORT and not self.kind.startswith(RECALL)

    @property
    def answers(self) -> tuple[Kind, ...]:
        """Kinds of message that whoever asked may be told the end with; the plan uses the first."""
        if self.end in ("link", "forward") or self.pattern == "changed their mind":
            return ("tell", "approve", "refuse")
        return ("refuse", "tell") if self.end in ("refuse", "hold") else ("approve", "tell")


def solve(state: State) -> list[Right]:
    """All matters of a day, in order of arrival."""
    counts: dict[str, int] = {}
    found: list[Right] = []
    shipped, booked = winners(state), picked_up(state)
    for event in sorted(event for event in state.time.waiting if event.kind == "request"):
        kind = event.payload["kind"]
        counts[kind] = counts.get(kind, 0) + 1
        slot = f"{kind}-{counts[kind]}"
        if kind == "return":
            right = _return(state, slot, event.due, event.payload, found)
        elif kind == "repair":
            right = _repair(state, slot, event.due, event.payload)
        elif kind == "exchange":
            right = _exchange(state, slot, event.due, event.payload, shipped)
        else:
            right = _pickup(state, slot, event.due, event.payload, booked)
        found.append(replace(right, due=min(right.due, state.time.ends - 1)))
    return [*found, *_recall(state), *_reports(state, found)]


def slow(state: State, right: Right) -> int:
    """Minutes for which a matter waits for others: the repair centre, the warehouse, whoever has to agree."""
    found = state.diagnoses[right.about].minutes + 1 if right.diagnosed else 0
    if right.scan:
        found += state.people["warehouse"].delay[1] + 1
    if right.asks is not None:
        person = state.people[right.asks[0]]
        found += (person.delay[1] + 3) * (2 if right.about in person.forgets else 1)
    return found


def papers(state: State, about: str, kind: str) -> list[str]:
    """Texts of the papers of a kind about a request or an order; of goods to come, those that will be."""
    slip = state.arrivals.get(about)
    coming = [str(slip["text"])] if slip and slip["kind"] == kind else []
    return [d.text for d in state.documents if (d.about, d.kind) == (about, kind)] + coming


def recalled_lot(state: State) -> tuple[int, str, str]:
    """Minute of the notice, model and lot."""
    notice = next(e for e in state.expected() if e.payload["sender"] == "quality")
    return notice.due, notice.payload["fields"]["sku"], notice.payload["fields"]["lot"]


def winners(state: State) -> list[str]:
    """Requests that get a new piece, by section 6.2 and circular C-2026-36 where there is one."""
    wanted = []
    for place, event in enumerate(sorted(e for e in state.time.waiting if e.kind == "request")):
        request = event.payload
        if request["kind"] == "exchange" and not _too_late(state, request):
            wanted.append((*exchange_class(state, request), place, request["id"]))
    _, sku, lot = recalled_lot(state)
    free = sum(count for name, count in state.stock[sku].items() if name != lot)
    return [row[-1] for row in sorted(wanted)[:free]]


def exchange_class(state: State, request: JsonObject) -> tuple[bool, int]:
    """Whether a company stands back, and the class of section 6.2: 1 unsafe, 2 defect, 3 anything else."""
    customer = state.customers[request["requester"]]
    report = " ".join(papers(state, request["id"], "진단서"))
    rank = 1 if "안전 소견" in report else 2 if "제품 결함" in report else 3
    return bool(state.figures["corp_last"]) and customer.type == "법인", rank


def picked_up(state: State) -> dict[str, str]:
    """Requests that get a place in a pick-up window, and one way to place them, by section 8.2.

    By class and order of request each is put in if those before can be moved so that all have a place.
    """
    wanted = []
    for place, event in enumerate(sorted(e for e in state.time.waiting if e.kind == "request")):
        request = event.payload
        if request["kind"] == "pickup" and state.orders[request["order"]].seller == "own":
            wanted.append((pickup_class(state, request), place, request["id"], request["windows"]))
    free = {w.name: w.capacity - len(w.booked) for w in state.windows.values()}
    placed: dict[str, Sequence[str]] = {}
    for *_, id, windows in sorted(wanted, key=lambda row: row[:2]):
        if placing(placed | {id: windows}, free) is not None:
            placed[id] = windows
    return placing(placed, free) or {}


def pickup_class(state: State, request: JsonObject) -> int:
    """Class of section 8.2: 1 for danger, 2 for households with care, 3 for the rest."""
    if request.get("symptom") is not None:
        return 1
    return 2 if state.customers[request["requester"]].care_home else 3


def placing(wanted: dict[str, Sequence[str]], free: dict[str, int]) -> dict[str, str] | None:
    """A place for everybody in one of their windows, found by trying all; None if there is no way."""
    if not wanted:
        return {}
    id, *_ = wanted
    rest = {other: windows for other, windows in wanted.items() if other != id}
    for window in wanted[id]:
        if free[window] > 0:
            further = placing(rest, free | {window: free[window] - 1})
            if further is not None:
                return {id: window, **further}
    return None


def _return(state: State, slot: str, due: int, request: JsonObject, before: list[Right]) -> Right:
    id, order = request["id"], state.orders[request["order"]]
    line = next(row for row in order.lines if row.serial == request["serial"])
    received = max(
        [due, *(e.due for e in state.time.waiting if e.kind == "arrived" and e.payload["request"] == id)]
    )
    end_by = received + 75
    base = Right(
        slot, id, "return", "plain", "refund", request["requester"], due, end_by, "", "3.1",
        earliest=received if received > due else 0, filled=request | {"line": line.serial},
    )  # fmt: skip
    kept = _kept(state, id)
    earlier = _earlier(state, request, before)
    if earlier is not None:
        return replace(
            base, pattern="registered twice", end="link", due=due + 60, section="2.3", unasked=True,
            because="2.3: 같은 물건의 반품은 앞선 접수에 연결하고 두 번 지급하지 않는다.",
            filled=base.filled | {"parent": earlier},
        )  # fmt: skip
    if order.seller not in ("own", SELLER_KEEPS, SELLER_ASKED):
        return replace(
            base, pattern="seller's goods", end="forward", due=due + 45, section="5.1", tell=(order.seller,),
            unasked=True, because="5.1: 입점 판매자의 물건은 판매자에게 넘기고 판매자에게 알린다.",
        )  # fmt: skip
    if order.card_cancelled:
        return replace(
            base, pattern="paid by card company", end="refuse", section="3.9", tell=("finance",), unasked=True,
            because="3.9: 카드사가 이미 돌려준 결제는 다시 환불하지 않고 정산팀에 알린다.",
        )  # fmt: skip
    if kept is not None:
        return replace(
            base, pattern="changed their mind", end="refuse", section="2.4", earliest=kept, due=kept + 60,
            because="2.4: 물건이 들어오기 전에 고객이 거두면 접수는 철회로 닫는다.",
        )  # fmt: skip
    slip = papers(state, id, "입고검수표")[0]
    found = re.search(r"일련번호: (\w+)", slip)
    seen = found[1] if found else ""
    if seen != line.serial:
        return _serial(state, base, order, line, seen, slip)
    return _settled(state, base, order, line, slip)


def _serial(state: State, base: Right, order: Order, line: Line, seen: str, slip: str) -> Right:
    scanned = str(state.people["warehouse"].facts[order.id]["scan"].value)
    on_file = bool(papers(state, order.id, "출고전표"))
    if scanned != seen:
        return replace(
            base, pattern="unproven serial", end="refuse", section="4.4", tell=("audit",), unasked=True,
            scan=not on_file, due=base.due + 40,
            because="4.4: 출고 스캔과 다른 물건은 받지 않고 감사실에 알린다.",
        )  # fmt: skip
    right = _settled(state, base, order, line, slip)
    return replace(
        right, pattern="record wrong", section="4.3", unasked=True, scan=not on_file, due=right.due + 40,
        because="4.3: 출고 스캔이 들어온 물건과 같으면 기록을 고치고 환불한다.",
        filled=right.filled | {"new_serial": seen},
    )  # fmt: skip


def _settled(state: State, base: Right, order: Order, line: Line, slip: str) -> Right:
    """A return by its merits: reason, period, condition."""
    notice, _, lot = recalled_lot(state)
    if line.lot == lot and base.arrives > notice:
        money = full_refund(order, line)
        because = "7.4: 리콜 대상은 기한과 상태를 묻지 않고 공제 없이 전액 환불한다."
        return _paid(state, replace(base, pattern="recalled", section="7.4", because=because), money, order)
    if "주문과 다름" in slip:
        because = "3.4: 잘못 나간 물건은 공제도 반품비도 없이 환불한다."
        return _paid(state, replace(base, section="3.4", because=because), full_refund(order, line), order)
    reason = base.filled["reason"]
    right = base
    if reason == "불량":
        found = state.diagnoses[base.about]
        unsafe = ("quality",) if found.unsafe else ()
        right = replace(base, diagnosed=True, due=base.due + 60, tell=unsafe, critical=found.unsafe, unasked=True)
        days = _days(state, order)
        if found.result == "사용자 과실":
            because = "3.5: 진단이 사용자 과실이면 불량 반품이 아니다."
            return replace(right, pattern="user's fault", end="refuse", section="3.5", because=because)
        if found.result == "제품 결함" and (days <= 14 or (order.channel != "store" and days <= 90)):
            section = "3.5" if days <= 14 else "L-1"
            because = "3.5와 L-1: 결함은 열나흘, 통신판매는 석 달 안이면 전액 환불한다."
            right = replace(right, pattern="defect", section=section, because=because)
            return _paid(state, right, full_refund(order, line), order)
        if found.result == "제품 결함":
            because = "3.5: 열나흘이 지난 매장 구입품의 결함은 환불하지 않는다."
            return replace(right, pattern="defect too late", end="refuse", section="3.5", because=because)
    period = return_period(state, order, line, slip)
    if period.days < _days(state, order):
        return replace(
            right,
            pattern="too late",
            end="refuse",
            section=period.section,
            because=f"{period.section}: 반품 기한이 지났다.",
        )
    money, section = refund_after(state, order, line, slip)
    pattern = {"L-1": "law", "K-1": "contract"}.get(section, "plain")
    if period.section in ("C-2026-29", "C-2026-32"):
        pattern, section = "later circular", period.section
    if reason == "오배송":
        pattern, section = "claim unproven", "3.4"
    right = replace(
        right, pattern=pattern, section=section, because=f"{section}: 기한 안의 반품이며 금액은 규정대로 센다."
    )
    return _paid(state, right, money, order)


def _paid(state: State, right: Right, money: Money, order: Order) -> Right:
    """A refund, after whoever has to agree has agreed."""
    id = right.about
    opinions = state.answers[id]
    right = replace(right, money=money)
    letters = [e.due for e in state.expected() if (e.payload["sender"], e.payload["about"]) == ("manager", id)]
    if letters:
        taken_back = letters[0]
        return replace(
            right, pattern="approval withdrawn", end="hold", section="2.6", earliest=taken_back, money=None,
            due=max(right.due, taken_back + 60),
            because="2.6: 거두어진 승인은 처음부터 없던 것이다. 지급하지 않고 보류한다.",
        )  # fmt: skip
    if order.seller == SELLER_KEEPS:
        return replace(right, tell=(*right.tell, order.seller), unasked=True)
    if order.seller == SELLER_ASKED:
        agrees = opinions[order.seller]
        return replace(
            right, pattern="seller asked", end="refund" if agrees else "refuse", section="K-2", unasked=True,
            asks=(order.seller, money.won), due=right.due + 40, money=money if agrees else None,
            because="K-2: 가온렌즈 물건은 판매자의 동의를 받은 뒤에만 환불한다.",
        )  # fmt: skip
    if order.recipient == right.asked_by:
        agrees = opinions[order.buyer]
        return replace(
            right, pattern="gift", end="refund" if agrees else "refuse", section="4.2", unasked=True,
            asks=(order.buyer, None), due=right.due + 40, money=money if agrees else None,
            tell=(order.buyer,) if agrees else (),
            because="4.2: 선물의 환불은 결제한 사람이 동의해야 하고 그에게 간다.",
        )  # fmt: skip
    if money.won > int(str(state.figures["limit"])):
        agrees = opinions["manager"]
        return replace(
            right, pattern="approval", end="refund" if agrees else "hold", section="2.5", unasked=True,
            asks=("manager", money.won), due=right.due + 40, money=money if agrees else None,
            because="2.5: 권한을 넘는 환불은 팀장의 승인을 받고, 거절되면 보류한다.",
        )  # fmt: skip
    return right


def _days(state: State, order: Order) -> int:
    return (state.time.begins.date() - date.fromisoformat(str(order.delivered))).days


def _kept(state: State, id: str) -> int | None:
    """Minute at which the customer takes a return back before the goods come in; None if they do not."""
    goes_on = any(e.kind == "arrived" and e.payload["request"] == id for e in state.time.waiting)
    if id not in state.arrivals or goes_on:
        return None
    return max(e.due for e in state.expected() if e.payload["about"] == id)


def _earlier(state: State, request: JsonObject, before: list[Right]) -> str | None:
    """An earlier request for the return of the same piece."""
    key = (request["order"], request["serial"])
    old = [
        r.id
        for r in state.requests.values()
        if (r.order, r.serial) == key and any(paid.request == r.id for paid in state.refunds)
    ]
    today = [r.about for r in before if r.kind == "return" and (r.filled["order"], r.filled["serial"]) == key]
    return next(iter([*old, *today]), None)


def _repair(state: State, slot: str, due: int, request: JsonObject) -> Right:
    id, order = request["id"], state.orders[request["order"]]
    line, found = order.lines[0], state.diagnoses[request["id"]]
    bill = repair_charge(state, order, line, found, papers(state, order.id, "영수증"))
    unsafe = ("quality",) if found.unsafe else ()
    base = Right(
        slot, id, "repair", "unsafe" if unsafe else "plain", "repair", request["requester"], due, due + 100,
        bill.because, bill.section, diagnosed=True, charge=bill.won, tell=unsafe, critical=bool(unsafe),
        unasked=bool(unsafe), filled=request,
    )  # fmt: skip
    same = [
        r
        for r in state.requests.values()
        if (r.kind, r.order, r.serial, r.symptom) == ("repair", order.id, line.serial, found.symptom)
        and r.status == "done"
    ]
    if len(same) >= 2 and bill.won == 0:
        base = replace(
            base, pattern="third time", end="refund", section="L-2", unasked=True, charge=None,
            because="L-2: 같은 증상으로 두 번 고치고 또 나타난 결함은 공제 없이 전액 환불한다.",
        )  # fmt: skip
        return _paid(state, base, full_refund(order, line), order)
    if bill.won > 0:
        agrees = state.answers[id][request["requester"]]
        return replace(
            base, pattern=bill.pattern, end="repair" if agrees else "refuse", asks=(request["requester"], bill.won),
            unasked=True, due=due + 110, charge=bill.won if agrees else None,
        )  # fmt: skip
    return replace(base, pattern=bill.pattern if bill.pattern != "plain" else base.pattern)


def _too_late(state: State, request: JsonObject) -> bool:
    return _days(state, state.orders[request["order"]]) > 30


def _exchange(state: State, slot: str, due: int, request: JsonObject, shipped: list[str]) -> Right:
    allocation = state.time.minute_of(str(state.figures["allocation"]))
    base = Right(
        slot, request["id"], "exchange", "scarce", "ship", request["requester"], due, allocation + 60,
        "6.2: 모자라는 재고는 정해진 시각에 한 번, 등급과 접수 순서로 나눈다.", "6.2",
        earliest=allocation, filled=request,
    )  # fmt: skip
    if bool(state.figures["corp_last"]):
        base = replace(
            base, section="C-2026-36", because="6.2와 C-2026-36: 등급과 접수 순서로, 법인은 맨 뒤에 나눈다."
        )
    if _too_late(state, request):
        return replace(
            base,
            pattern="too late",
            end="refuse",
            section="6.1",
            because="6.1: 교환은 받은 날부터 30일까지다.",
            earliest=0,
        )
    return base if request["id"] in shipped else replace(base, end="refuse")


def _pickup(state: State, slot: str, due: int, request: JsonObject, booked: dict[str, str]) -> Right:
    closes = state.time.minute_of(str(state.figures["manifest"]))
    order = state.orders[request["order"]]
    if order.seller != "own":
        return Right(
            slot, request["id"], "pickup", "seller's goods", "forward", request["requester"], due, due + 45,
            "5.1: 입점 판매자의 물건은 판매자에게 넘기고 판매자에게 알린다.", "5.1", tell=(order.seller,),
            unasked=True, filled=request,
        )  # fmt: skip
    danger = request.get("symptom") is not None
    return Right(
        slot, request["id"], "pickup", "danger" if danger else "scarce",
        "book" if request["id"] in booked else "refuse", request["requester"], due, closes + 30,
        "8.2: 수거 자리는 등급과 접수 순서로, 옮겨서 자리가 나면 옮겨서 채운다.", "8.2",
        tell=("quality",) if danger else (), unasked=danger,
        filled=request | {"window": booked.get(request["id"])},
    )  # fmt: skip


def _recall(state: State) -> Iterator[Right]:
    minute, sku, lot = recalled_lot(state)
    notice = next(e.payload["about"] for e in state.expected() if e.payload["sender"] == "quality")
    returned = {state.requests[paid.request].serial for paid in state.refunds}
    handled = {e.payload["serial"] for e in state.time.waiting if e.kind == "request"}
    people: list[str] = []
    for order in state.orders.values():
        if any(row.lot == lot and row.serial not in returned | handled for row in order.lines):
            people += [order.buyer, *([order.recipient] if order.recipient else [])]
    owners = [order for order in state.orders.values() if any(row.lot == lot for row in order.lines)]
    spared: list[JsonValue] = [who for order in owners for who in (order.buyer, order.recipient) if who]
    what: JsonObject = {"sku": sku, "lot": lot, "people": people, "spared": spared}
    yield Right(
        "recall-hold", notice, "recall-hold", "duty", "hold lot", "quality", minute, minute + 15,
        "7.1: 통지를 받으면 15분 안에 그 제조번호의 출고를 막고 물류센터에 알린다.", "7.1", tell=("warehouse",),
        critical=True, unasked=True, filled=what,
    )  # fmt: skip
    yield Right(
        "recall-buyers", notice, "recall-buyers", "duty", "tell buyers", "quality", minute,
        minute + int(str(state.figures["recall_minutes"])),
        "7.2: 그 제조번호를 산 사람과 선물로 받은 사람 모두에게 시간 안에 알린다.", "7.2", tell=("manager",),
        critical=True, unasked=True, filled=what,
    )  # fmt: skip


def _reports(state: State, found: Sequence[Right]) -> Iterator[Right]:
    """Reports at the set times by which a refund was due; without one there is nothing to report."""
    again = [state.figures["report_again_at"]] if state.figures["report_again"] else []
    times = [state.time.minute_of(str(text)) for text in (state.figures["report_at"], *again)]
    for number, minute in enumerate(times, 1):
        if any(right.money is not None and right.due <= minute - _PAID_BEFORE for right in found):
            yield Right(
                f"report-{number}", REPORT, REPORT, "duty", "report", "manager", minute - _REPORTED_FROM, minute,
                "1.4: 정해진 시각까지 환불 건수와 금액을 팀장에게 보고한다.", "1.4", unasked=True,
                filled={"until": times[number] - _REPORTED_FROM if number < len(times) else None},
            )  # fmt: skip
