"""Requests of a day, by kind: records, papers and the message that comes with each."""

from collections.abc import Callable
from datetime import timedelta
from random import Random

from . import names
from .duty import bears, entry_duty
from .state import Container, CustomsEntry, Document, DocumentKind, GoodsLine, Request, RequestKind, State

PATTERNS = {
    "lodge": ("plain", "power", "value", "weight", "origin", "certificate", "controlled", "account", "twin",
              "contract", "plain",
              "shared"),
    "quota": ("plain", "weighed", "plain", "licence", "weighed"),
    "inspect": ("plain", "plain", "dropped", "contract", "plain",
              "shared"),
    "release": ("plain", "held", "haulier", "unload", "vet", "bill", "unlodged", "named", "power", "unpaid",
                "dangerous"),
    "correct": ("draft", "lodged", "late", "unproven", "letter"),
    "storage": ("plain", "contract", "stranger", "plain"),
}  # fmt: skip


class Draw:
    """Work in progress on one day."""

    def __init__(self, random: Random, minutes: int, state: State, quota_at: int) -> None:
        self.random = random
        self.minutes = minutes
        self.state = state
        self.quota_at = quota_at
        self.quota_left = 0
        self.today = state.time.begins.date()
        self.used = {str(state.figures[f"k{n}"]) for n in range(1, 5)}
        self.used_up: set[str] = set()
        """Importers with a contract who have had their part in the day."""
        self.count = 0

    def importer(self) -> str:
        """An importer who has no other part in the day."""
        found = self.random.choice([id for id in self.state.importers if id not in self.used])
        self.used.add(found)
        return found

    def contractor(self, number: int) -> str:
        """The importer with a contract."""
        return str(self.state.figures[f"k{number}"])

    def sender(self, importer: str, *, broker: bool | None = None) -> str:
        """Importer, or a broker with a power of attorney for them."""
        random = self.random
        if broker is False or (broker is None and random.random() < 0.4):
            return importer
        found = f"BR-{random.randint(31, 36)}"
        self.state.importers[importer].powers[found] = f"{self.today + timedelta(days=random.randint(0, 400))}"
        return found

    def container(self, importer: str, *, refrigerated: bool) -> Container:
        """A container on today's ship."""
        random = self.random
        while (id := f"PWLU{random.randint(400000, 699999)}") in self.state.containers:
            pass
        unloaded = random.randint(-50, max(60, self.minutes // 3))
        free = self.state.time.begins + timedelta(days=random.randint(1, 4), minutes=15 * random.randint(0, 40))
        found = Container(
            id=id, bill=f"BL{random.randint(100000, 999999)}",
            booking=f"BK{random.randint(100000, 999999)}" if random.random() < 0.35 else "",
            importer=importer, size=random.choice([20, 40]), refrigerated=refrigerated, dangerous=False,
            freight=round(random.uniform(900, 4200), 2), unloaded=unloaded, discharged=f"{self.today}",
            free_until=f"{free:%Y-%m-%d %H:%M}", haulier=random.choice(names.HAULIERS),
            bill_surrendered=random.random() < 0.75,
        )  # fmt: skip
        self.state.containers[id] = found
        return found

    def entry(self, container: Container, *, by_weight: bool | None = None, lines: int = 0) -> CustomsEntry:
        """A draft for a container, in order so far."""
        random = self.random
        by_weight = random.random() < 0.3 if by_weight is None else by_weight
        goods = []
        for code, *_ in random.sample(names.BY_WEIGHT if by_weight else names.PERCENT, lines or 1):
            value = round(random.uniform(3_000, 38_000), 2)
            goods.append(GoodsLine(code=code, value=value, weight=random.randint(1_400, 19_000)))
        self.count += 1
        currency = random.choice(list(names.CURRENCIES))
        if currency == "JPY":
            for line in goods:
                line.value = round(line.value * 150)
        entry = CustomsEntry(
            id=f"EN-{4100 + self.count * 3 + random.randint(0, 2)}", importer=container.importer,
            container=container.id, reference=container.bill, terms=random.choice(["CIF", "FOB"]),
            currency=currency, origin=random.choice(names.OTHER_COUNTRIES), preference=False, lines=goods,
            cut_off=0,
        )  # fmt: skip
        self.state.entries[entry.id] = entry
        return entry

    def paper(self, kind: DocumentKind, about: str, days: int, **says: object) -> Document:
        """A document on file, some days old."""
        day = f"{self.today - timedelta(days=days)}"
        found = Document(id="", kind=kind, about=about, date=day, says=dict(says))
        self.state.documents.append(found)
        return found

    def invoice(self, entry: CustomsEntry, days: int, kind: DocumentKind = "commercial invoice") -> Document:
        """Invoice with the values that the entry has now."""
        values = [line.value for line in entry.lines]
        return self.paper(kind, entry.id, days, currency=entry.currency, values=values)

    def request(self, due: int, kind: RequestKind, about: str, sender: str, **fields: object) -> None:
        """Message that asks for something."""
        words = self.random.choice(names.WORDS[kind]).format(about=about, **fields)
        self.state.requests.append(Request(kind=kind, about=about, sender=sender, due=due, fields=dict(fields)))
        self.state.expect(due, sender, about, about, words, fields=dict(fields))


def _lodge(day: Draw, due: int, pattern: str) -> None:
    random, state = day.random, day.state
    cut_off = min(due + random.randint(78, 115), day.minutes - 3)
    too_late = pattern == "certificate" and cut_off - due < 75
    if too_late or (pattern == "contract" and day.contractor(1) in day.used_up):
        pattern = "value"
    importer = day.contractor(1) if pattern == "contract" else day.importer()
    container = day.container(importer, refrigerated=pattern != "shared" and random.random() < 0.25)
    sender = day.sender(importer)
    prefers = pattern in ("origin", "certificate") or (pattern == "plain" and random.random() < 0.5)
    by_weight = True if pattern == "weight" else False if pattern in ("controlled", "value") else None
    lines = 1 if by_weight or pattern == "controlled" or random.random() < 0.5 else 2
    entry = day.entry(container, by_weight=by_weight, lines=lines)
    entry.cut_off = cut_off
    if prefers:
        entry.preference, entry.origin = True, random.choice(_valid_countries(day))
    if pattern == "controlled":
        _controlled(day, entry)
    if pattern == "value":
        _value(day, entry)
    else:
        invoice = day.invoice(entry, random.randint(8, 40))
        if random.random() < 0.3:
            draft = day.invoice(entry, random.randint(41, 60), "pro forma invoice")
            draft.says["values"] = [_sum(entry, value * 0.93) for value in invoice.says["values"]]
    if pattern == "weight":
        low = float(str(state.figures["tolerance"]))
        off = random.uniform(low + 0.4, low + 5) if random.random() < 0.7 else random.uniform(0.6, low - 0.4)
        weighed = round(entry.lines[0].weight * (1 + random.choice([-1, 1]) * off / 100))
        day.paper("weighbridge ticket", container.id, 0, net_weight_kg=weighed)
    if prefers and pattern != "certificate":
        _origin(day, entry, spoilt=pattern == "origin")
    if pattern == "certificate":
        state.certificates[entry.id] = random.random() < 0.6
    if pattern == "power":
        sender = _powerless(day, importer)
    if pattern == "twin":
        _twin(day, entry, container)
    if pattern == "shared":
        _shared(day, entry)
    elif pattern in ("account", "contract"):
        _account(day, entry, contract=pattern == "contract")
    elif pattern != "twin":
        record = state.importers[importer]
        if record.limit and float(bears(state, record, entry)) < 12_000:
            record.limit += 40_000
    day.request(due, "lodge", entry.id, sender)


def _powerless(day: Draw, importer: str) -> str:
    """A broker without a power of attorney, or whose power has run out; another one has a good one."""
    random = day.random
    broker = random.randint(31, 36)
    powers = day.state.importers[importer].powers
    powers.clear()
    powers[f"BR-{31 + (broker - 30) % 6}"] = f"{day.today + timedelta(days=200)}"
    if random.random() < 0.5:
        powers[f"BR-{broker}"] = f"{day.today - timedelta(days=random.randint(1, 30))}"
    return f"BR-{broker}"


def _sum(entry: CustomsEntry, amount: float) -> float:
    """Amount as an invoice in the entry's currency writes it: yen are whole."""
    return round(amount) if entry.currency == "JPY" else round(amount, 2)


def _valid_countries(day: Draw) -> list[str]:
    out = day.state.figures["suspended_country"] if day.state.figures["suspended"] else ""
    return [country for country in names.COUNTRIES if country != out]


def _controlled(day: Draw, entry: CustomsEntry) -> None:
    random = day.random
    code = random.choice(names.CONTROLLED)[0]
    entry.lines[0].code = code
    fate = random.choice(["valid", "none", "other", "old"])
    if fate != "none":
        covers = random.choice([row[0] for row in names.CONTROLLED if row[0] != code]) if fate == "other" else code
        until = day.today + timedelta(days=-random.randint(1, 9) if fate == "old" else random.randint(1, 200))
        day.paper("import licence", entry.importer, 120, code=covers, valid_until=f"{until}")


def _value(day: Draw, entry: CustomsEntry) -> None:
    """The invoice in force has other values than the draft: a later one, or the only one."""
    random = day.random
    if random.random() < 0.5:
        day.invoice(entry, random.randint(20, 40))
    values = [line.value for line in entry.lines]
    place = random.randrange(len(values))
    values[place] = _sum(entry, values[place] * random.choice([0.91, 0.96, 1.05, 1.12]))
    invoice = day.invoice(entry, random.randint(3, 15))
    invoice.says["values"] = values


def _origin(day: Draw, entry: CustomsEntry, *, spoilt: bool) -> None:
    random, figures = day.random, day.state.figures
    longest = int(str(figures["certificate_months"])) * 30
    days, container, origin = random.randint(5, longest - 20), entry.container, entry.origin
    if spoilt:
        fate = random.choice(["suspended", "old", "container"] if figures["suspended"] else ["old", "container"])
        if fate == "suspended":
            entry.origin = origin = str(figures["suspended_country"])
        elif fate == "old":
            days = longest + random.randint(8, 60)
        else:
            container = f"PWLU{random.randint(700000, 799999)}"
    day.paper("certificate of origin", entry.container, days, origin=origin, container=container)


def _twin(day: Draw, entry: CustomsEntry, container: Container) -> None:
    """The same container was lodged under its booking."""
    container.booking = container.booking or f"BK{day.random.randint(100000, 999999)}"
    twin = f"EN-{day.random.randint(3020, 3090)}"
    while twin in day.state.entries:
        twin = f"EN-{day.random.randint(3020, 3090)}"
    day.state.entries[twin] = CustomsEntry(
        id=twin, importer=entry.importer, container=container.id, reference=container.booking, terms=entry.terms,
        currency=entry.currency, origin=entry.origin, preference=False,
        lines=[GoodsLine(code=line.code, value=line.value, weight=line.weight) for line in entry.lines],
        cut_off=-60, status="lodged", payment="cash", lodged_at=-900,
        duty=float(entry_duty(day.state, entry, entry.lines, preference=False)),
    )  # fmt: skip


def _shared(day: Draw, entry: CustomsEntry) -> None:
    """The same importer has a refrigerated draft, and the account bears either, but hardly both."""
    random = day.random
    other = day.entry(day.container(entry.importer, refrigerated=True), by_weight=True, lines=1)
    other.cut_off = day.minutes + random.randint(60, 200)
    duties = [float(entry_duty(day.state, e, e.lines, preference=False)) for e in (entry, other)]
    record = day.state.importers[entry.importer]
    left = sum(duties) * 1.04 if random.random() < 0.35 else max(duties[0] * 1.05, sum(duties) * 0.9)
    record.limit = round(left * 1.5, -3) + 5_000.0
    record.reserved = round(record.limit * 0.06, 2)
    record.used = round(record.limit - record.reserved - left, 2)


def _account(day: Draw, entry: CustomsEntry, *, contract: bool) -> None:
    """An account that bears the duty or does not, by less than can be seen at a glance."""
    record = day.state.importers[entry.importer]
    duty = float(entry_duty(day.state, entry, entry.lines, preference=False))
    limit = max(20_000.0, round(duty * 3 / 1_000) * 1_000.0)
    record.limit, record.reserved = limit, round(max(duty * 0.3, limit * 0.05), 2)
    short = contract or day.random.random() < 0.6
    left = duty * (1.1 if contract else 0.85 if short else 1.06)
    # Short by what is reserved, or by the quarter that the contract keeps back.
    record.used = round(max(0.0, limit - record.reserved - left), 2)
    if contract:
        day.used_up.add(record.id)


def _quota(day: Draw, due: int, pattern: str) -> None:
    random, state = day.random, day.state
    importer = day.importer()
    container = day.container(importer, refrigerated=random.random() < 0.4)
    entry = day.entry(container, by_weight=True, lines=1)
    entry.quota, entry.origin = "Q-0912", "AR"
    entry.lines[0] = GoodsLine(code="07032000", value=entry.lines[0].value, weight=random.randint(4_200, 19_800))
    entry.cut_off = day.quota_at + 300
    day.invoice(entry, 20)
    until = day.today + timedelta(days=random.randint(0, 90))
    if pattern == "licence":
        until = day.today - timedelta(days=random.randint(1, 20))
    if pattern != "licence" or random.random() < 0.6:
        day.paper("export licence", entry.id, 60, valid_until=f"{until}")
    if pattern == "weighed":
        off = random.uniform(0.6, 12)
        weighed = round(entry.lines[0].weight * (1 + random.choice([-1, 1]) * off / 100))
        day.paper("weighbridge ticket", container.id, 0, net_weight_kg=weighed)
    due = min(due, day.quota_at - 8 - random.randint(0, 14))
    day.request(due, "quota", entry.id, day.sender(importer), quota="Q-0912")
    day.quota_left -= 1
    if not day.quota_left:
        asked = [state.entries[r.about] for r in state.requests if r.kind == "quota"]
        total = sum(line.weight for entry in asked for line in entry.lines)
        state.quotas["Q-0912"].balance = round(total * random.uniform(0.4, 0.62) / 100) * 100


def _inspect(day: Draw, due: int, pattern: str) -> None:
    random, state = day.random, day.state
    importer = day.importer() if pattern != "contract" or day.contractor(4) in day.used_up else day.contractor(4)
    day.used_up.add(importer)
    container = day.container(importer, refrigerated=random.random() < 0.35)
    container.inspection_ordered = True
    container.unloaded = random.randint(-40, state.slots_close + 150)
    due = min(due, state.slots_close - 20 - random.randint(0, 10))
    if pattern == "dropped":
        at = min(due + random.randint(6, 14), state.slots_close - 9)
        state.time.add(at, "inspection_dropped", container=container.id)
        text = f"The inspection of {container.id} is not needed any more. It can go without."
        state.expect(at, "customs_office", container.id, container.id, text, kind="tell")
    day.request(due, "inspect", container.id, day.sender(importer))


def _release(day: Draw, due: int, pattern: str) -> None:
    random, state = day.random, day.state
    importer = day.contractor(3) if pattern == "bill" else day.importer()
    container = day.container(importer, refrigerated=random.random() < 0.35)
    container.unloaded = random.randint(-50, -2)
    container.animal_products = pattern == "vet"
    container.dangerous = pattern == "dangerous"
    container.bill_surrendered = random.random() < 0.6
    if pattern == "bill":
        container.bill_surrendered = random.random() < 0.35
    sender = day.sender(importer, broker={"haulier": True, "named": False}.get(pattern))
    if pattern == "power":
        sender = _powerless(day, importer)
    entry = day.entry(container)
    entry.cut_off = -random.randint(10, 90)
    if pattern == "unlodged":
        # Void by an amendment after its cut-off, or not lodged yet.
        entry.status = random.choice(["void", "draft"])
        entry.cut_off = entry.cut_off if entry.status == "void" else min(due + 90, day.minutes)
    else:
        entry.status, entry.payment, entry.lodged_at = "lodged", "deferment", -random.randint(100, 900)
        entry.duty = float(entry_duty(state, entry, entry.lines, preference=False))
        if pattern == "unpaid" or random.random() < 0.4:
            _receipt(day, entry, short=pattern == "unpaid")
    haulier = container.haulier
    if pattern in ("haulier", "named"):
        haulier = random.choice([h for h in names.HAULIERS if h != container.haulier])
    if pattern == "unload":
        container.unloaded = min(due + random.randint(12, 26), day.minutes - 12)
    if pattern == "vet":
        state.clearances[container.id] = random.random() < 0.6
        if random.random() < 0.3 and due + 90 < day.minutes:
            state.people["vet"].forgets.append(container.id)
    if pattern == "held":
        at = due + random.randint(7, 13)
        state.time.add(at, "held", container=container.id)
        text = f"We take the release of {container.id} back. It is held until further notice."
        state.expect(at, "customs_office", container.id, container.id, text, kind="tell")
    day.request(due, "release", container.id, sender, haulier=haulier)


def _receipt(day: Draw, entry: CustomsEntry, *, short: bool) -> None:
    """Duty in cash: paid in one sum or two; where it is short, a part of it or all is missing."""
    random = day.random
    entry.payment, total = "cash", round(float(str(entry.duty)), 2)
    first = round(total * random.choice([0.6, 0.7, 1.0]), 2)
    sums = [first, round(total - first, 2)]
    if short:
        sums = random.choice([[], [first * 0.9], [round(total * 0.95, 2)]])
    for amount in sums:
        if amount:
            day.paper("cash receipt", entry.id, 0, amount=round(amount, 2))


def _correct(day: Draw, due: int, pattern: str) -> None:
    random, state = day.random, day.state
    importer = day.importer()
    container = day.container(importer, refrigerated=random.random() < 0.2)
    field = random.choice(["value", "weight"])
    entry = day.entry(container, by_weight=field == "weight", lines=1 if field == "weight" else 2)
    entry.cut_off = min(due + random.randint(66, 100), day.minutes - 3)
    day.invoice(entry, random.randint(20, 40))
    if pattern in ("lodged", "late") or (pattern == "letter" and random.random() < 0.4):
        entry.status, entry.payment, entry.lodged_at = "lodged", "cash", -random.randint(30, 300)
        entry.duty = float(entry_duty(state, entry, entry.lines, preference=False))
    if pattern == "late":
        entry.cut_off = due - random.randint(4, 40)
    place = random.randrange(len(entry.lines))
    line = entry.lines[place]
    factor = random.choice([0.9, 0.94, 1.07, 1.13])
    value = _sum(entry, line.value * factor) if field == "value" else round(line.weight * factor)
    if pattern != "letter":
        _proof(day, entry, place, field, value if pattern != "unproven" else _sum(entry, value * 1.01))
    else:
        day.paper("shipper's letter", entry.id, 1, says=f"{field} of line {place + 1} is {value}")
    day.request(due, "correct", entry.id, day.sender(importer), line=place + 1, field=field, value=value)


def _proof(day: Draw, entry: CustomsEntry, place: int, field: str, value: float) -> None:
    if field == "weight":
        day.paper("weighbridge ticket", entry.container, 0, net_weight_kg=round(value))
        return
    invoice = day.invoice(entry, day.random.randint(1, 9))
    values = [line.value for line in entry.lines]
    values[place] = value
    invoice.says["values"] = values


def _storage(day: Draw, due: int, pattern: str) -> None:
    random = day.random
    importer = day.contractor(2) if pattern == "contract" else day.importer()
    container = day.container(importer, refrigerated=random.random() < 0.4)
    came = day.today - timedelta(days=random.randint(6, 15))
    container.discharged, container.unloaded = f"{came}", -1440
    container.free_until = f"{came + timedelta(days=3 if container.refrigerated else 5)} 24:00"
    sender = day.importer() if pattern == "stranger" else day.sender(importer)
    if pattern == "stranger" and random.random() < 0.5:
        sender = f"BR-{random.randint(31, 36)}"
    goes = day.today + timedelta(days=random.randint(0, 4))
    day.request(due, "storage", container.id, sender, collected=f"{goes}")


MAKERS: dict[str, Callable[[Draw, int, str], None]] = {
    "lodge": _lodge,
    "quota": _quota,
    "inspect": _inspect,
    "release": _release,
    "correct": _correct,
    "storage": _storage,
}
