"""A desk on some day: fifty open claims at edges of the working instruction, and one that is decided."""

from datetime import date, timedelta
from decimal import Decimal
from random import Random

from worktrial.workplaces.executable import cites

from .rules import COVER
from .tools import Claim, Decision, Message, Paper, Parcel, Scan, State

TODAY = date(2031, 5, 20)
CLAIMS = 50
FIRST = ("Ada", "Bo", "Cleo", "Dan", "Eva", "Finn", "Gus", "Hal", "Ivy", "Jon", "Kit", "Lea")
LAST = ("Asker", "Brook", "Fell", "Linde", "Marrow", "Penn", "Quist", "Rowe", "Sarre", "Stone", "Tarn", "Weld")
DEPOTS = ("Marsh Gate", "Hollow Quay", "North Tarn", "Saltmill")
GOODS = ("a mixer", "a lamp", "two vases", "a camera", "a violin bow", "a radio", "a coffee grinder", "a clock")


class Desk:
    """The state as it grows, with numbers for what is added."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.state = State(clock=TODAY.isoformat(), parcels={}, scans={}, claims={})
        self.scans = self.papers = 100

    def name(self) -> str:
        return f"{self.random.choice(FIRST)} {self.random.choice(LAST)}"

    def parcel(self, service: str, declared: Decimal | None) -> str:
        number = f"BW-{40117 + 7 * len(self.state.parcels)}"
        postage = Decimal(self.random.randrange(400, 2600)).scaleb(-2)
        self.state.parcels[number] = Parcel(
            service=service, declared_value=declared, postage=postage, sender=self.name(), recipient=self.name()
        )
        self.state.scans[number] = []
        return number

    def scan(self, parcel: str, day: date, kind: str, note: str = "") -> None:
        self.scans += 1
        self.state.scans[parcel].append(
            Scan(
                scan_id=f"S-{self.scans}",
                day=day,
                kind=kind,
                depot=self.random.choice(DEPOTS),
                note=note,
            )
        )

    def paper(self, kind: str, day: date, amount: Decimal | None = None, text: str = "") -> Paper:
        self.papers += 1
        return Paper(paper_id=f"D-{self.papers}", kind=kind, day=day, amount=amount, text=text)

    def claim(self, parcel: str, kind: str, arrived: date, papers: list[Paper]) -> str:
        number = f"C-{901 + len(self.state.claims)}"
        self.state.claims[number] = Claim(
            parcel_id=parcel,
            kind=kind,
            arrived=arrived,
            claimant=self.state.parcels[parcel].sender,
            papers=papers,
        )
        return number


def draw(random: Random) -> State:
    """Draw a day's desk.

    Args:
        random: Source of everything that is drawn.
    """
    desk = Desk(random)
    makers = (damage_at_the_deadline, damage_at_the_deadline, loss_at_ten_days, old_invoice, packaging)
    for number in range(CLAIMS):
        makers[number % len(makers)](desk)
    decided(desk)
    return desk.state


@cites("C-11", "C-22", "C-27")
def damage_at_the_deadline(desk: Desk) -> None:
    """Damage that was claimed 5 to 9 days after delivery, complete with papers."""
    service, value = _service(desk)
    parcel = desk.parcel(service, _declared(desk, value))
    delivered = TODAY - timedelta(days=desk.random.randrange(9, 13))
    desk.scan(parcel, delivered - timedelta(days=3), "DEPOT_IN")
    desk.scan(parcel, delivered, "DELIVERED", "signed on the courier's screen")
    arrived = min(delivered + timedelta(days=desk.random.randrange(5, 10)), TODAY)
    desk.claim(parcel, "damage", arrived, _papers(desk, value, arrived))


@cites("C-12", "C-13", "C-28")
def loss_at_ten_days(desk: Desk) -> None:
    """Loss of a parcel whose last scan is 8 to 12 days old."""
    service, value = _service(desk)
    parcel = desk.parcel(service, _declared(desk, value))
    last = TODAY - timedelta(days=desk.random.randrange(8, 13))
    desk.scan(parcel, last - timedelta(days=2), "DEPOT_IN")
    desk.scan(parcel, last, "DEPOT_OUT")
    bought = TODAY - timedelta(days=desk.random.randrange(60, 400))
    arrived = TODAY - timedelta(days=desk.random.randrange(4))
    papers = [desk.paper("letter", arrived, text="It has not come."), desk.paper("invoice", bought, value)]
    desk.claim(parcel, "loss", arrived, papers)


@cites("C-08")
def old_invoice(desk: Desk) -> None:
    """Damage whose only proof of value was 23 to 25 months old on the dispatch day."""
    service, value = _service(desk)
    parcel = desk.parcel(service, _declared(desk, value))
    delivered = TODAY - timedelta(days=4)
    desk.scan(parcel, delivered - timedelta(days=2), "DEPOT_IN")
    desk.scan(parcel, delivered, "DELIVERED", "signed on the courier's screen")
    arrived = TODAY - timedelta(days=1)
    papers = _papers(desk, value, arrived)
    papers[1].day = delivered - timedelta(days=2 + desk.random.choice((700, 725, 740, 760)))
    desk.claim(parcel, "damage", arrived, papers)


@cites("C-38", "C-39")
def packaging(desk: Desk) -> None:
    """Damage with P0 noted before the damage scan, or after it."""
    service, value = _service(desk)
    parcel = desk.parcel(service, _declared(desk, value))
    delivered = TODAY - timedelta(days=5)
    before = desk.random.random() < 0.5
    desk.scan(parcel, delivered - timedelta(days=3), "DEPOT_IN", "packaging P0" if before else "")
    desk.scan(parcel, delivered - timedelta(days=2), "DAMAGE", "carton torn")
    desk.scan(parcel, delivered - timedelta(days=1), "DEPOT_IN", "" if before else "repacked, packaging P0")
    desk.scan(parcel, delivered, "DELIVERED", "taken with reservation")
    arrived = TODAY - timedelta(days=2)
    desk.claim(parcel, "damage", arrived, _papers(desk, value, arrived))


@cites("C-35")
def decided(desk: Desk) -> None:
    """Jewellery with its certificate, on a claim that is decided and not paid yet."""
    parcel = desk.parcel("secure", Decimal("90.00"))
    day = TODAY - timedelta(days=30)
    desk.scan(parcel, day - timedelta(days=3), "DEPOT_IN")
    desk.scan(parcel, day, "DELIVERED", "taken with reservation")
    arrived = day + timedelta(days=3)
    papers = [*_papers(desk, Decimal("52.40"), arrived, "a brooch"), desk.paper("certificate", arrived)]
    claim = desk.state.claims.pop(desk.claim(parcel, "damage", arrived, papers))
    claim.goods, claim.status = "jewellery", "DECIDED"
    claim.decision = Decision("PAY", "DAMAGE", Decimal("52.40"), (papers[1].paper_id,), TODAY - timedelta(days=1))
    text = "We pay 52.40 for the damage. You may object within 21 days."
    claim.messages = [Message("M-71", "sender", "decision", text, TODAY - timedelta(days=1))]
    desk.state.claims["C-890"] = claim


def _service(desk: Desk) -> tuple[str, Decimal]:
    """A service, and a value below, at or above what it covers."""
    service = desk.random.choice(tuple(COVER))
    share = Decimal(desk.random.choice(("0.3", "0.6", "0.95", "1", "1.2")))
    return service, (COVER[service] * share).quantize(Decimal("0.01"))


def _declared(desk: Desk, value: Decimal) -> Decimal | None:
    """What the sender stated: nothing, less than the value, the value, or more."""
    return desk.random.choice((None, (value * Decimal("0.8")).quantize(Decimal("0.01")), value, value + 50))


def _papers(desk: Desk, value: Decimal, arrived: date, goods: str = "") -> list[Paper]:
    goods = goods or desk.random.choice(GOODS)
    bought = TODAY - timedelta(days=desk.random.randrange(60, 400))
    return [
        desk.paper("letter", arrived, text=f"The parcel held {goods}, which is broken beyond repair."),
        desk.paper("invoice", bought, value),
        desk.paper("photo_outer", arrived, text="carton dented"),
        desk.paper("photo_goods", arrived, text=f"{goods}, broken"),
    ]
