"""A plan of the day: the work of a clerk who knows beforehand what is right about each matter."""

from worktrial.suites.shifts.cases import Move, Work, send
from worktrial.suites.shifts.clerks import Inbox, Matter, Part, Until, ask, interleave

from .rules import FIRST_WORD, REPORT, Right, recalled_lot, slow, solve
from .state import State

_WRONG_SERIAL = ("record wrong", "unproven serial")


def plan(state: State) -> Work:
    """Work on every matter in its time; of several always on the one that is due first."""
    notes = Notes()
    matters = []
    for right in solve(state):
        matters.append((right.arrives, _pressing(state, right), _matter(state, right, notes)))
        if right.is_request:
            word = send(right.asked_by, "tell", right.about, f"{right.about} 건은 확인하고 있습니다.")
            at_once = bool(slow(state, right)) or right.earliest >= right.arrives + FIRST_WORD - 12
            matters.append(notes.words.say(right.about, right.arrives, word, at_once=at_once))
    return interleave(matters, state.time)


def _pressing(state: State, right: Right) -> int:
    """Minute by which a matter has to be begun or done: the repair centre and the courier close before."""
    if right.diagnosed:
        return min(right.due, state.time.minute_of(str(state.figures["diagnosis_until"])), right.arrives + 30)
    if right.kind == "recall-hold" or right.kind == REPORT:
        return right.due - 6
    if wait := slow(state, right):
        return min(right.due - wait - 12, max(right.arrives, right.earliest) + 30)
    if right.end == "book":
        return min(right.due, state.time.minute_of(str(state.figures["manifest"])) - 10)
    return right.due


class Notes(Inbox):
    """Inbox of the desk, and what was paid so far."""

    def __init__(self) -> None:
        super().__init__(FIRST_WORD)
        self.paid: list[int] = []


def _matter(state: State, right: Right, notes: Notes) -> Matter:
    if right.kind == REPORT:
        yield from _report(right, notes)
        return
    if right.kind != "recall-buyers":
        yield from notes.read(right.about)
    yield from _WORK[right.kind](state, right, notes)


def _report(right: Right, notes: Notes) -> Part:
    counts = {"refunds": len(notes.paid), "amount": sum(notes.paid)}
    text = f"환불 {counts['refunds']}건, 합계 {counts['amount']}원입니다."
    return (yield send("manager", "tell", right.about, text, **counts))


def _close(right: Right, notes: Notes, resolution: str, text: str, **fields: int) -> Part:
    """Close the request, and tell whoever asked and everybody else who has to know."""
    yield Move("close_request", {"request_id": right.about, "resolution": resolution})
    return (yield from _answer(right, notes, text, **fields))


def _answer(right: Right, notes: Notes, text: str, **fields: int) -> Part:
    is_gift = right.pattern == "gift"
    yield from notes.words.before_answer(right.about, right.arrives, right.due)
    seen = yield send(right.asked_by, right.answers[0], right.about, text, **({} if is_gift else fields))
    yield Until(0, right.due)
    for person in right.tell:
        seen = yield send(person, "tell", right.about, text, **fields)
    return seen


def _declined(right: Right, notes: Notes) -> Part:
    resolution = {"hold": "held", "forward": "forwarded"}.get(right.end, "refused")
    if right.pattern == "changed their mind":
        resolution = "withdrawn"
    return (yield from _close(right, notes, resolution, f"{right.about} 건은 이렇게 되었습니다. {right.because}"))


def _ask(state: State, right: Right, notes: Notes) -> Part:
    """Ask who has to agree, and again where they have forgotten."""
    assert right.asks is not None
    who, won = right.asks
    words = (right.about, f"{right.about} 건, 동의하시는지 알려 주세요.")
    fields = {} if won is None else {"amount": won}
    yield Until((yield from ask(state, send(who, "request", *words, **fields))), right.due)
    return (yield from notes.read(right.about))


def _diagnose(state: State, right: Right) -> Part:
    seen = yield Move("order_diagnosis", {"request_id": right.about})
    ready = state.time.minute_of(str(seen["time"])) + state.diagnoses[right.about].minutes + 1
    yield Until(ready, right.due - (slow(state, right) if right.asks else 0))
    return (yield Move("search_documents", {"reference": right.about}))


def _return(state: State, right: Right, notes: Notes) -> Part:
    order = right.filled["order"]
    yield Move("get_request", {"request_id": right.about})
    yield Move("get_order", {"order_id": order})
    if right.end == "link":
        yield Move("search_requests", {"text": order})
        parent = str(right.filled["parent"])
        yield Move("link_request", {"request_id": right.about, "parent_id": parent})
        return (yield from _answer(right, notes, f"{right.about} 건은 먼저 접수된 {parent} 건과 함께 처리됩니다."))
    if right.earliest:
        yield Until(right.earliest + 1)
        yield from notes.read(right.about)
    if right.end not in ("forward", "hold") and right.pattern not in ("paid by card company", "changed their mind"):
        yield Move("search_documents", {"reference": right.about})
    if right.pattern in _WRONG_SERIAL:
        yield from _look_up_scan(state, right, notes)
    if right.diagnosed:
        yield from _diagnose(state, right)
    return (yield from _pay(state, right, notes))


def _look_up_scan(state: State, right: Right, notes: Notes) -> Part:
    order = right.filled["order"]
    seen = yield Move("search_documents", {"reference": order})
    if right.scan:
        question = send("warehouse", "ask", order, f"{order} 출고 스캔 번호가 무엇인가요?", topic="scan")
        yield Until((yield from ask(state, question)), right.due)
        seen = yield from notes.read(order)
    if right.pattern == "record wrong":
        line, new = right.filled["line"], right.filled["new_serial"]
        seen = yield Move("correct_serial", {"order_id": order, "old_serial": line, "new_serial": new})
    return seen


def _pay(state: State, right: Right, notes: Notes) -> Part:
    if right.asks is not None:
        yield from _ask(state, right, notes)
    if right.money is None:
        return (yield from _declined(right, notes))
    money = right.money
    what = {"method": money.methods[0], "money": money.won, "points": money.points}
    yield Move("refund", {"request_id": right.about, **what, "restore_coupon": money.coupon})
    notes.paid.append(money.won)
    return (yield from _close(right, notes, "done", f"{right.about} 건 환불이 처리되었습니다.", amount=money.won))


def _repair(state: State, right: Right, notes: Notes) -> Part:
    yield Move("get_request", {"request_id": right.about})
    seen = yield Move("order_diagnosis", {"request_id": right.about})
    ready = state.time.minute_of(str(seen["time"])) + state.diagnoses[right.about].minutes + 1
    yield Move("get_order", {"order_id": right.filled["order"]})
    yield Move("search_requests", {"text": right.filled["serial"]})
    yield Until(ready, right.due - (slow(state, right) if right.asks else 0))
    yield Move("search_documents", {"reference": right.about})
    if right.end == "refund":
        return (yield from _pay(state, right, notes))
    if right.asks is not None:
        yield Move("get_customer", {"customer_id": right.asked_by})
        yield from _ask(state, right, notes)
    if right.charge is None:
        return (yield from _declined(right, notes))
    yield Move("start_repair", {"request_id": right.about, "charge": right.charge})
    return (yield from _close(right, notes, "done", f"{right.about} 수리에 들어갑니다.", amount=right.charge))


def _exchange(state: State, right: Right, notes: Notes) -> Part:
    yield Move("get_request", {"request_id": right.about})
    yield Move("get_order", {"order_id": right.filled["order"]})
    if right.filled["symptom"] is not None:
        yield Move("search_documents", {"reference": right.about})
    if right.earliest:
        yield Until(right.earliest)
    if right.end != "ship":
        return (yield from _declined(right, notes))
    _, sku, lot = recalled_lot(state)
    good = next(name for name in state.stock[sku] if name != lot)
    yield Move("ship_replacement", {"request_id": right.about, "lot": good})
    return (yield from _close(right, notes, "done", f"{right.about} 교환품을 보냈습니다."))


def _pickup(state: State, right: Right, notes: Notes) -> Part:
    yield Move("get_request", {"request_id": right.about})
    yield Move("get_order", {"order_id": right.filled["order"]})
    if right.end == "forward":
        return (yield from _declined(right, notes))
    if right.pattern != "danger":
        yield Move("get_customer", {"customer_id": right.asked_by})
    if right.end != "book":
        return (yield from _declined(right, notes))
    yield Move("list_pickups")
    window = str(right.filled["window"])
    yield Move("book_pickup", {"request_id": right.about, "window": window})
    return (yield from _close(right, notes, "done", f"{right.about} 수거는 오늘 {window}시입니다."))


def _hold(state: State, right: Right, notes: Notes) -> Part:
    yield Move("hold_lot", {"sku": right.filled["sku"], "lot": right.filled["lot"]})
    text = f"{right.filled['lot']} 출고를 막았습니다. 포장 중인 것도 빼 주세요."
    return (yield send("warehouse", "tell", right.about, text))


def _buyers(state: State, right: Right, notes: Notes) -> Part:
    yield Move("search_orders", {"text": right.filled["lot"]})
    people = right.filled["people"]
    for person in people:
        text = f"구입하시거나 받으신 제품(제조번호 {right.filled['lot']})이 리콜 대상입니다. 사용을 멈춰 주세요."
        yield send(person, "tell", right.about, text)
    text = f"리콜 대상 {len(people)}분께 알렸습니다."
    return (yield send("manager", "tell", right.about, text, buyers=len(people)))


_WORK = {
    "return": _return,
    "repair": _repair,
    "exchange": _exchange,
    "pickup": _pickup,
    "recall-hold": _hold,
    "recall-buyers": _buyers,
}
