"""A plan of the day: the work of a clerk who knows beforehand what is right about each matter."""

from worktrial.suites.shifts.cases import Move, Work, send
from worktrial.suites.shifts.clerks import Inbox, Matter, Part, Until, ask, interleave

from .rules import FIRST_WORD, Right, ashore, solve
from .state import State


def plan(state: State) -> Work:
    """Work on every matter in its time; of several always on the one that is due first."""
    desk = _Desk()
    matters = []
    for right in solve(state):
        matters.append((right.arrives, _pressing(right), _matter(state, right, desk)))
        if right.kind not in ("report", "round"):
            text = f"{right.about} is in hand; you will hear from us today."
            word = send(right.asked_by, "tell", right.about, text)
            matters.append(desk.words.say(right.about, right.arrives, word, at_once=_takes_long(right)))
    return interleave(matters, state.time)


def _takes_long(right: Right) -> bool:
    """Whether the answer cannot be there within the time of a first word."""
    waits = bool(right.filled.get("asks") or right.filled.get("vet"))
    return waits or right.earliest >= right.arrives + FIRST_WORD - 12


def _pressing(right: Right) -> int:
    """Minute by which work should begin: questions whose answer takes long, and the list, come first."""
    if right.kind == "inspect" and right.end == "do":
        return right.due - 38
    if right.kind in ("report", "round"):
        return right.due - 6
    return right.arrives + 20 if right.filled.get("asks") or right.filled.get("vet") else right.due


class _Desk(Inbox):
    """Inbox of the desk, and what its clerk has done or knows by now."""

    def __init__(self) -> None:
        super().__init__(FIRST_WORD)
        self.knows_rates = False


def _matter(state: State, right: Right, inbox: _Desk) -> Matter:
    if right.kind in ("report", "round"):
        yield from _report(state, right)
        return
    yield from inbox.read(right.about)
    yield from _WORK[right.kind](state, right, inbox)


def _report(state: State, right: Right) -> Part:
    if right.asked_by == "yard":
        seen = yield Move("list_inspection_slots")
        fields = {"inspections": sum(slot["agent"] == "Pellworth" for slot in seen["slots"])}
    else:
        seen = yield Move("search_manifest", {"refrigerated_only": True})
        if seen["total"] > len(seen["announcements"]):
            yield Move("search_manifest", {"refrigerated_only": True, "page": 2})
        fields = dict(right.says)
    if right.kind == "round":
        by = state.time.minute_of(str(seen["time"]))
        fields = {"ashore": ashore(state, by)}
    return (yield send(right.asked_by, "tell", "report", "The figures of the day.", **fields))


def _answer(right: Right, desk: _Desk, text: str) -> Part:
    """Tell whoever asked, and everybody else who has to know."""
    yield from desk.words.before_answer(right.about, right.arrives, right.due)
    seen = yield send(right.asked_by, right.answer[0], right.about, text, **right.says)
    yield Until(0, right.due)
    for person in right.tell:
        kind = "escalate" if right.end == "escalate" else "tell"
        seen = yield send(person, kind, right.about, text)
    return seen


def _refuse(right: Right, inbox: _Desk) -> Part:
    return (yield from _answer(right, inbox, f"{right.about} cannot be done as asked: {right.because}"))


def _ask(state: State, right: Right, inbox: _Desk, to: str) -> Part:
    """Ask who knows, and again where they have forgotten."""
    question = send(to, "request", right.about, f"Please let us have your word on {right.about}.")
    yield Until((yield from ask(state, question)), right.due)
    return (yield from inbox.read(right.about))


def _lodge(state: State, right: Right, inbox: _Desk) -> Part:
    entry = yield Move("get_entry", {"entry_id": right.about})
    yield Move("get_importer", {"importer_id": entry["importer"]})
    if right.pattern == "not entitled":
        return (yield from _refuse(right, inbox))
    yield Move("search_entries", {"text": entry["container"]})
    if right.end == "cancel":
        yield Move("cancel_entry", {"entry_id": right.about})
        return (yield from _refuse(right, inbox))
    if right.pattern == "controlled goods":
        yield Move("search_documents", {"text": entry["importer"]})
        return (yield from _refuse(right, inbox))
    filled = right.filled
    if filled["asks"]:
        yield from _ask(state, right, inbox, filled["asks"])
    yield Move("search_documents", {"text": right.about})
    if entry["preference_claimed"] or right.pattern.startswith("papers differ"):
        yield Move("search_documents", {"text": entry["container"]})
    yield Move("get_tariff", {"code": entry["lines"][0]["code"]})
    if entry["terms"] == "FOB":
        yield Move("get_container", {"container_id": entry["container"]})
    if not inbox.knows_rates:
        inbox.knows_rates = True
        yield Move("list_exchange_rates")
    for place, line in enumerate(entry["lines"]):
        change = {"entry_id": right.about, "line": place + 1}
        if line["value"] != filled["values"][place]:
            yield Move("amend_entry", {**change, "field": "value", "value": filled["values"][place]})
        if line["net_weight_kg"] != filled["weights"][place]:
            yield Move("amend_entry", {**change, "field": "weight", "value": filled["weights"][place]})
    if entry["preference_claimed"] != filled["preference"]:
        yield Move("amend_entry", {"entry_id": right.about, "field": "preference", "value": filled["preference"]})
    yield Move("lodge_entry", {"entry_id": right.about, **right.says})
    return (yield from _answer(right, inbox, f"{right.about} is lodged: {right.says}."))


def _quota(state: State, right: Right, inbox: _Desk) -> Part:
    entry = yield Move("get_entry", {"entry_id": right.about})
    yield Move("search_documents", {"text": right.about})
    yield Move("get_container", {"container_id": entry["container"]})
    yield Move("search_documents", {"text": entry["container"]})
    yield Until(right.earliest)
    if right.end != "do":
        return (yield from _refuse(right, inbox))
    if entry["lines"][0]["net_weight_kg"] != right.filled["weight"]:
        weight = {"field": "weight", "value": right.filled["weight"]}
        yield Move("amend_entry", {"entry_id": right.about, **weight})
    yield Move("allot_quota", {"entry_id": right.about})
    return (yield from _answer(right, inbox, f"{right.about} has its share of the quota."))


def _inspect(state: State, right: Right, inbox: _Desk) -> Part:
    yield Move("get_container", {"container_id": right.about})
    if right.end == "leave":
        yield Until(right.earliest + 1)
        yield from inbox.read(right.about)
        return (yield from _refuse(right, inbox))
    if right.end != "do":
        yield Until(state.slots_close)
        return (yield from _refuse(right, inbox))
    late = [event.due for event in state.time.waiting if event.kind == "delayed"]
    if right.pattern == "plan changes":
        yield Until(late[0] + 1)
        yield from inbox.read("unloading")
        yield Move("get_container", {"container_id": right.about})
    yield Move("list_inspection_slots")
    yield Move("book_slot", {"slot_id": right.filled["book"], "container_id": right.about})
    return (yield from _answer(right, inbox, f"{right.about} has a slot."))


def _release(state: State, right: Right, inbox: _Desk) -> Part:
    yield Move("get_container", {"container_id": right.about})
    found = yield Move("search_entries", {"text": right.about})
    for row in found["entries"]:
        entry = yield Move("get_entry", {"entry_id": row["id"]})
        if entry["payment"] == "cash":
            yield Move("search_documents", {"text": row["id"]})
    if right.pattern == "dangerous goods":
        yield Move("search_documents", {"text": right.filled["haulier"]})
    if right.filled["vet"]:
        yield from _ask(state, right, inbox, "vet")
    if right.pattern == "withdrawn":
        yield Until(right.earliest + 1)
        yield from inbox.read(right.about)
    if right.end != "do":
        return (yield from _refuse(right, inbox))
    yield Until(right.earliest)
    yield Move("release_container", {"container_id": right.about, "haulier": right.filled["haulier"]})
    return (yield from _answer(right, inbox, f"{right.about} is released to {right.filled['haulier']}."))


def _correct(state: State, right: Right, inbox: _Desk) -> Part:
    entry = yield Move("get_entry", {"entry_id": right.about})
    about = entry["container"] if right.filled["field"] == "weight" else right.about
    yield Move("search_documents", {"text": about})
    if right.end != "do":
        return (yield from _refuse(right, inbox))
    change = {"entry_id": right.about, **{key: right.filled[key] for key in ("line", "field", "value")}}
    yield Move("amend_entry", change)
    if "duty" in right.filled:
        yield Move("get_tariff", {"code": entry["lines"][0]["code"]})
        if right.filled["duty"] != entry["duty"]:
            duty = {"field": "duty", "value": right.filled["duty"]}
            yield Move("amend_entry", {"entry_id": right.about, **duty})
    return (yield from _answer(right, inbox, f"{right.about} is changed."))


def _storage(state: State, right: Right, inbox: _Desk) -> Part:
    yield Move("get_container", {"container_id": right.about})
    if right.end != "do":
        return (yield from _refuse(right, inbox))
    return (yield from _answer(right, inbox, f"Storage of {right.about}: {right.says['amount']:.2f} euros."))


_WORK = {
    "lodge": _lodge,
    "quota": _quota,
    "inspect": _inspect,
    "release": _release,
    "correct": _correct,
    "storage": _storage,
}
