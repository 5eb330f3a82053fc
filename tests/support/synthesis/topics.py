"""The parts of a customs declarant's job, as a well-read author would list them."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Topic:
    """A sub-topic; no two have more than a few words in common."""

    prefix: str
    """Begins the names of its desks and records."""
    noun: str
    """What is worked on there; part of the tools' names."""
    done: str
    """The status of a record that is in order."""
    held: str
    """The status of one that is not."""
    measure: str
    """The field that decides."""
    limit: int
    """The greatest value that is in order."""
    title: str
    about: str

    @property
    def id(self) -> str:
        return self.title.lower().replace(" ", "-")


_ROWS = """
RU|ruling|issued|deferred|open_questions|2|Tariff code rulings
    Assigns commodity codes to unfamiliar goods and publishes binding answers for traders.
PE|permit|granted|escalated|risk_points|40|Dual-use export permits
    Screens technology shipments for military application before they may depart.
GU|guarantee|released|blocked|used_percent|80|Comprehensive guarantee accounts
    Watches how much of a bank's security is taken up by suspended duty.
MA|manifest|matched|disputed|missing_units|0|Vessel manifest reconciliation
    Compares sea containers announced by carriers with those counted on the quay.
VA|valuation|accepted|adjusted|added_value|5000|Royalty and assist valuation
    Adds licence fees and free tooling to the price paid between related firms.
OR|origin|confirmed|refused|foreign_percent|45|Preferential origin proofs
    Checks supplier statements against the share of foreign input in a product.
TR|transit|discharged|queried|days_late|3|Road transit discharge
    Closes journeys of sealed trucks once the office of destination has reported.
SA|sample|analysed|resampled|spread_permille|15|Laboratory sample orders
    Sends powders and liquids out for chemical analysis and files what comes back.
RE|refund|repaid|withheld|claim_months|36|Overpaid duty refunds
    Gives money back to importers who were charged twice or too much.
SE|seizure|destroyed|detained|objections|0|Counterfeit seizure files
    Keeps fake brands detained, tells right holders and has them destroyed.
QU|quota|allotted|waitlisted|requested_tonnes|250|Seasonal quota drawing
    Allots farm produce volumes day by day until the season's share is gone.
CO|courier|cleared|opened|declared_euro|150|Low value courier parcels
    Lets small mail order consignments pass in bulk and picks out odd ones.
LO|lot|removed|recounted|shrinkage_permille|8|Bonded warehouse lots
    Moves stored stock under suspension and writes off natural shrinkage.
IN|inspection|booked|rescheduled|waiting_hours|24|Physical inspection bookings
    Finds a dock, a crew and an hour for unloading a suspect trailer.
AP|appeal|upheld|reopened|new_facts|1|Penalty appeal hearings
    Prepares replies to companies contesting fines in front of the tribunal.
HI|hit|dismissed|frozen|similarity|70|Sanctioned party screening
    Weighs name similarity of consignees with entries on embargo lists.
CA|carnet|reexported|overdue|days_over|0|Temporary admission carnets
    Follows exhibition equipment that enters for a fair and must leave again.
DR|drawback|settled|contested|loss_percent|12|Inward processing yields
    Accounts for raw sugar turned into sweets and shipped abroad duty free.
"""

TOPICS = tuple(
    Topic(prefix, noun, done, held, measure, int(limit), title, about.strip())
    for head, about in zip(_ROWS.strip().splitlines()[::2], _ROWS.strip().splitlines()[1::2], strict=True)
    for prefix, noun, done, held, measure, limit, title in [head.split("|")]
)
"""More than a full-size job needs, since some are taken for others."""

BY_PREFIX = {topic.prefix: topic for topic in TOPICS}
