"""What is right on a day at the customs desk, from the handbook's rules and the day's records and events.

Shares no code with the tools: it reads the first state and what is still to come.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from functools import partial

from worktrial.language import JsonObject
from worktrial.suites.shifts.right import RightEnd
from worktrial.workplaces.people import Kind

from .duty import bears, drafts_before, entry_duty, storage_due
from .names import CONTROLLED
from .papers import true_lines
from .scarce import inspected, quota_winners, unloaded
from .state import CustomsEntry, GoodsLine, Request, State

FIRST_WORD = 30
"""Minutes within which whoever asks has a first word (1.3)."""
ROUND_MINUTES = 15
ROUND_SLACK = 10
"""Minutes before a count within which a box may be in it or not (1.6)."""
_HEAVY, _LIGHT = 3, 1
_GRAVE_RELEASES = ("withdrawn", "contract", "dangerous goods")
_UNASKED_RELEASES = ("no power", "contract", "entry missing", "not paid", "dangerous goods")
_DO: tuple[Kind, ...] = ("approve", "tell")
_NOT: tuple[Kind, ...] = ("refuse", "tell")


@dataclass(frozen=True)
class Right(RightEnd):
    """The right end of one matter."""

    tell: tuple[str, ...] = ()
    """Others who have to be told, by id."""
    says: JsonObject = field(default_factory=dict)
    """Fields that the answer carries."""
    weight: int = 2
    """Halves of the usual points that it is worth (1.2)."""


_Rule = Callable[[State, str, Request], Right]


def solve(state: State) -> list[Right]:
    """All matters of a day, in order of arrival."""
    counts: dict[str, int] = {}
    found = []
    scarce = {"quota": partial(_quota, quota_winners(state)), "inspect": partial(_inspect, inspected(state))}
    rules: dict[str, _Rule] = {**_RULES, **scarce}
    for request in sorted(state.requests, key=lambda request: request.due):
        counts[request.kind] = counts.get(request.kind, 0) + 1
        found.append(rules[request.kind](state, f"{request.kind}-{counts[request.kind]}", request))
    return [replace(right, weight=_weight(right)) for right in [*found, *_reports(state), *_rounds(state)]]


def _weight(right: Right) -> int:
    """Halves of the usual points (1.2)."""
    if right.critical or right.kind == "quota" or (right.kind == "lodge" and right.end == "do"):
        return _HEAVY
    return _LIGHT if right.kind in ("storage", "correct", "round") else 2


def is_party(state: State, person: str, importer: str) -> bool:
    """Whether a person is the importer, or a broker whose power of attorney is on file and runs (section 2.2)."""
    until = state.importers[importer].powers.get(person)
    return person == importer or (until is not None and until >= _today(state))


def _today(state: State) -> str:
    return f"{state.time.begins.date()}"


def _lodge(state: State, slot: str, request: Request) -> Right:
    entry = state.entries[request.about]
    same = (e for e in state.entries.values() if e.container == entry.container)
    twin = next((e for e in same if e.status == "lodged"), None)
    code = entry.lines[0].code
    controlled = code in {row[0] for row in CONTROLLED} and not any(
        d.about == entry.importer
        and d.kind == "import licence"
        and d.says["code"] == code
        and d.says["valid_until"] >= _today(state)
        for d in state.documents
    )
    pattern, end, section = "", "refuse", ""
    says: JsonObject = {}
    tell: tuple[str, ...] = ()
    if not is_party(state, request.sender, entry.importer):
        pattern, section, tell = "not entitled", "2.2", (entry.importer,)
        because = "2.2: a broker acts only with a power on file that runs; the importer is told."
    elif twin is not None:
        pattern, end, section, says = "announced twice", "cancel", "2.5", {"entry": twin.id}
        because = "2.5: a container has one entry; the draft under its other reference is cancelled."
    elif controlled:
        pattern, end, section, tell = "controlled goods", "escalate", "2.4", ("compliance",)
        because = "2.4: goods of annex A-2 without a licence that fits are handed to the compliance officer."
    if pattern:
        return Right(
            slot, entry.id, "lodge", pattern, end, request.sender, request.due, request.due + 60, because, section,
            _NOT, tell, critical=bool(controlled and tell), unasked=True, says=says,
        )  # fmt: skip
    return _lodged(state, slot, request, entry)


def _lodged(state: State, slot: str, request: Request, entry: CustomsEntry) -> Right:
    pattern, section, because = "plain", "3.1", "3.1: duty follows from value, rate and weight, line by line."
    lines = true_lines(state, entry)
    if lines != entry.lines:
        pattern, section, because = "papers differ", "4.1", "4.1: the paper that counts goes before the draft."
    asks = entry.preference and entry.id in state.certificates
    preference = entry.preference
    if asks:
        preference = state.certificates[entry.id]
        pattern, section = "ask early", "4.3"
        because = "4.3: a certificate that is not on file is asked for at the issuing office abroad."
    elif preference:
        preference, why = _proven(state, entry)
        if not preference:
            pattern, section, because = "proof of origin", why[0], why[1]
    duty = entry_duty(state, entry, lines, preference=preference)
    importer = state.importers[entry.importer]
    payment = "deferment" if importer.limit and duty <= bears(state, importer, entry) else "cash"
    if (importer.limit and payment == "cash") or importer.id == state.figures["k1"]:
        contract = importer.id == state.figures["k1"]
        pattern = f"{pattern}, contract" if contract else f"{pattern}, limit"
        if pattern.startswith("plain"):
            section, because = "3.6", "3.6: the account bears limit less used less reserved."
            if contract:
                section, because = "K-1", "K-1: a quarter of the limit is kept free for this importer."
            elif drafts_before(state, entry):
                pattern = "kept for another"
                because = "3.6: the duty of refrigerated drafts of the same importer is set aside first."
    return Right(
        slot, entry.id, "lodge", pattern, "do", request.sender, request.due, entry.cut_off, because, section, _DO,
        critical=pattern.startswith("proof of origin"), unasked=pattern != "plain",
        says={"duty": float(duty), "payment": payment},
        filled={
            "values": [line.value for line in lines], "weights": [line.weight for line in lines],
            "preference": preference, "asks": f"origin_{entry.origin.lower()}" if asks else "",
        },
    )  # fmt: skip


def _proven(state: State, entry: CustomsEntry) -> tuple[bool, tuple[str, str]]:
    """Whether the claimed preference is due, and if not by which rule."""
    if state.figures["suspended"] and entry.origin == state.figures["suspended_country"]:
        return False, ("C-2026-15", "C-2026-15: the preference of this country is suspended.")
    oldest = state.time.begins.date() - timedelta(days=30 * int(str(state.figures["certificate_months"])))
    proven = any(
        d.kind == "certificate of origin"
        and d.about == entry.container
        and d.says["container"] == entry.container
        and d.says["origin"] == entry.origin
        and date.fromisoformat(d.date) >= oldest
        for d in state.documents
    )
    return proven, ("4.3", "4.3: a certificate names the container and the country, and is not too old.")


def _quota(winners: Collection[str], state: State, slot: str, request: Request) -> Right:
    entry = state.entries[request.about]
    wins = entry.id in winners
    at = state.time.minute_of(str(state.figures["quota_at"]))
    circular = bool(state.figures["newcomers"])
    weight = true_lines(state, entry)[0].weight
    return Right(
        slot, entry.id, "quota", "scarce", "do" if wins else "refuse", request.sender, request.due, at + 60,
        "5.2: by class, whole consignments, as much of the quota as can be used"
        + ("; C-2026-17: newcomers before others." if circular else "."),
        "C-2026-17" if circular else "5.2", _DO if wins else _NOT, earliest=at,
        critical=wins, unasked=circular or weight != entry.lines[0].weight, filled={"weight": weight},
    )  # fmt: skip


def _inspect(seated: Mapping[str, str], state: State, slot: str, request: Request) -> Right:
    container = state.containers[request.about]
    dropped = _events(state, "inspection_dropped", container.id)
    stands = unloaded(state, container)
    fits = {s.id: state.time.minute_of(s.begins) >= stands + 30 for s in state.slots.values() if s.agent is None}
    book = seated.get(container.id)
    filled: JsonObject = {"slots": [id for id, fit in fits.items() if fit], "book": book}
    pattern, section = "scarce", "6.2"
    because = "6.2: the list is filled in the order of claims, as far as slots can be had."
    end = "do" if filled["book"] else "refuse"
    if dropped:
        pattern, section, end = "withdrawn", "6.1", "leave"
        because = "6.1: what the customs office does not want to see any more is taken off the list."
    elif stands != container.unloaded:
        pattern, section, because = (
            "plan changes",
            "6.6",
            "6.6: when unloading is late the list is looked through again.",
        )
    elif container.importer == state.figures["k4"]:
        pattern, section, because = "contract", "K-4", "K-4: this importer's containers go before all others."
    return Right(
        slot, container.id, "inspect", pattern, end, request.sender, request.due, state.slots_close + 30, because,
        section, _DO if end == "do" else _NOT, earliest=dropped[0] if dropped else 0,
        unasked=pattern in ("contract", "plan changes") or container.refrigerated, filled=filled,
    )  # fmt: skip


def _release(state: State, slot: str, request: Request) -> Right:
    container = state.containers[request.about]
    haulier = request.fields["haulier"]
    held = _events(state, "held", container.id)
    entries = [e for e in state.entries.values() if e.container == container.id]
    lodged = any(e.status == "lodged" for e in entries)
    paid = all(_is_paid(state, e) for e in entries if e.status == "lodged")
    by_importer = request.sender == container.importer
    pattern, end, section, earliest = "plain", "do", "7.1", container.unloaded
    tell: tuple[str, ...] = ()
    because = "7.1: a container goes when its entry is lodged, nothing holds it, and it stands in the yard."
    due = max(request.due, container.unloaded) + (40 if container.refrigerated else 60)
    if not lodged:
        pattern, end = "entry missing", "refuse"
        because = "7.1: nothing is released without a lodged entry; a draft or a void one is none."
    elif not is_party(state, request.sender, container.importer):
        pattern, end, section = "no power", "refuse", "2.2"
        because = "2.2: what somebody asks who is no party is declined."
    elif container.importer == state.figures["k3"] and not container.bill_surrendered:
        pattern, end, section = "contract", "refuse", "K-3"
        because = "K-3: this importer's goods go against the original bill only."
    elif haulier != container.haulier and not by_importer:
        pattern, end, section, tell = "not entitled", "refuse", "7.2", (container.importer,)
        because = "7.2: only the importer names another haulier; the importer is told of the attempt."
    elif not paid:
        pattern, end, section = "not paid", "refuse", "7.5"
        because = "7.5: duty in cash is paid in full, by receipts on file, before the container goes."
    elif held:
        pattern, end, section, earliest = "withdrawn", "refuse", "7.1", held[0]
        because = "7.1: a release that the customs office takes back is stopped."
    elif container.animal_products:
        pattern, section = "veterinary", "7.3"
        end = "do" if state.clearances[container.id] else "refuse"
        because = "7.3: animal products wait for the border veterinary office's word."
    elif container.dangerous:
        pattern, section = "dangerous goods", "7.4"
        because = "7.4: dangerous goods go with a haulier whose licence runs, and the harbour office is told."
        if _licensed(state, haulier):
            tell = ("harbour",)
        else:
            end = "refuse"
    elif haulier != container.haulier:
        pattern, section, because = "new haulier", "7.2", "7.2: the importer may name another haulier."
    elif container.unloaded > request.due:
        pattern = "not unloaded yet"
    vet = pattern == "veterinary"
    if vet or end == "refuse":
        due = request.due + (100 if vet else 60)
    return Right(
        slot, container.id, "release", pattern, end, request.sender, request.due, due, because, section,
        _DO if end == "do" else _NOT, tell, critical=pattern in _GRAVE_RELEASES,
        unasked=vet or bool(tell) or pattern in _UNASKED_RELEASES,
        earliest=earliest, filled={"haulier": haulier, "vet": vet},
    )  # fmt: skip


def _is_paid(state: State, entry: CustomsEntry) -> bool:
    """Whether receipts cover the duty of an entry in cash; what goes through an account counts as paid."""
    receipts = [d for d in state.documents if d.about == entry.id and d.kind == "cash receipt"]
    return entry.payment != "cash" or sum(d.says["amount"] for d in receipts) >= float(str(entry.duty)) - 0.001


def _licensed(state: State, haulier: str) -> bool:
    """Whether a haulier may carry dangerous goods today (section 7.4)."""
    return any(
        d.kind == "dangerous goods licence" and d.about == haulier and d.says["valid_until"] >= _today(state)
        for d in state.documents
    )


def _events(state: State, kind: str, container: str) -> list[int]:
    """Minutes of the events of a kind that come to a container."""
    return [e.due for e in state.time.waiting if e.kind == kind and e.payload["container"] == container]


def _correct(state: State, slot: str, request: Request) -> Right:
    entry = state.entries[request.about]
    place, field_name, value = request.fields["line"] - 1, request.fields["field"], request.fields["value"]
    proven = _states(state, entry, place, field_name, value)
    late = entry.status == "lodged" and entry.cut_off < request.due
    filled: JsonObject = {"line": place + 1, "field": field_name, "value": value}
    says: JsonObject = {}
    tell: tuple[str, ...] = ()
    pattern, end, section = "unproven claim", "refuse", "4.2"
    because = "4.2: a draft or an entry is changed by a paper that states the new figure, not by a word."
    if late:
        pattern, end, section, tell = "after cut-off", "escalate", "4.5", ("customs_office",)
        because = "4.5: after the cut-off an entry is not touched; the matter goes to the customs office."
    elif proven:
        pattern, end = "plain", "do"
        if entry.status == "lodged":
            pattern, section, tell = "lodged already", "4.5", ("customs_office",)
            because = "4.5: whoever amends a lodged entry sets its duty anew and tells the customs office."
            lines = [GoodsLine(code=g.code, value=g.value, weight=g.weight) for g in entry.lines]
            setattr(lines[place], field_name, value)
            filled["duty"] = float(entry_duty(state, entry, lines, preference=entry.preference))
    return Right(
        slot, entry.id, "correct", pattern, end, request.sender, request.due,
        min(request.due + 60, entry.cut_off) if end == "do" else request.due + 60, because, section,
        _DO if end == "do" else _NOT, tell, critical=late, unasked=bool(tell), says=says, filled=filled,
    )  # fmt: skip


def _states(state: State, entry: CustomsEntry, place: int, field_name: str, value: float) -> bool:
    """Whether a paper that counts states the new figure."""
    if field_name == "weight":
        return any(
            d.kind == "weighbridge ticket" and d.about == entry.container and d.says["net_weight_kg"] == value
            for d in state.documents
        )
    invoices = [d for d in state.documents if d.about == entry.id and d.kind == "commercial invoice"]
    return bool(invoices) and max(invoices, key=lambda d: d.date).says["values"][place] == value


def _storage(state: State, slot: str, request: Request) -> Right:
    container = state.containers[request.about]
    if not is_party(state, request.sender, container.importer):
        return Right(
            slot, container.id, "storage", "not entitled", "refuse", request.sender, request.due, request.due + 60,
            "8.1: charges are nobody's business but the importer's and their broker's.", "8.1", _NOT,
        )  # fmt: skip
    amount = storage_due(state, container, request.fields["collected"])
    contract = container.importer == state.figures["k2"]
    circular = bool(state.figures["storage_new"])
    section = "K-2" if contract else "C-2026-19" if circular else "8.1"
    return Right(
        slot, container.id, "storage", "contract" if contract else "later circular" if circular else "plain", "do",
        request.sender, request.due, request.due + 60,
        f"{section}: days beyond the free ones, by the table, and power for refrigerated containers.", section,
        _DO, unasked=contract or circular, says={"amount": float(amount)},
    )  # fmt: skip


def _reports(state: State) -> Iterator[Right]:
    at = state.time.minute_of(str(state.figures["report_at"]))
    aboard = [c for c in state.containers.values() if c.discharged == _today(state) and not c.shut_out]
    yield Right(
        "report-1", "harbour report", "report", "duty", "report", "harbour", max(0, at - 30), at,
        "1.4: the harbour office gets the number of refrigerated containers at the set time.", "1.4", _DO,
        critical=True, unasked=True, says={"refrigerated": sum(c.refrigerated for c in aboard)},
    )  # fmt: skip
    if state.figures["yard_report"]:
        yield Right(
            "report-2", "yard report", "report", "duty", "report", "yard", state.slots_close,
            state.slots_close + 30,
            "6.1: the yard office gets the number of our containers on the list.", "6.1", _DO, unasked=True,
            filled={"due": len(inspected(state))},
        )  # fmt: skip


def _rounds(state: State) -> Iterator[Right]:
    hours = str(state.figures["rounds"]).split(", ")
    for number, hour in enumerate(hours if hours[0] else [], 1):
        at = state.time.minute_of(hour)
        until = state.time.ends if number == len(hours) else state.time.minute_of(hours[number])
        yield Right(
            f"round-{number}", f"count of {hour}", "round", "duty", "report", "harbour", at, at + ROUND_MINUTES,
            "1.6: the harbour office gets the number of refrigerated containers that stand ashore, at set times.",
            "1.6", _DO, unasked=True, says={"ashore": ashore(state, at)}, filled={"until": until},
        )  # fmt: skip


def ashore(state: State, minute: int) -> int:
    """Number of refrigerated containers of today's ship that have been unloaded by a minute."""
    aboard = (c for c in state.containers.values() if c.discharged == _today(state) and not c.shut_out)
    return sum(c.refrigerated and unloaded(state, c) <= minute for c in aboard)


_RULES: dict[str, _Rule] = {
    "lodge": _lodge,
    "release": _release,
    "correct": _correct,
    "storage": _storage,
}
