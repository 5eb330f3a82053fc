"""The tables of the bulletin: what they are called, what they hold, in which unit."""

from dataclasses import dataclass
from enum import StrEnum

from lab.generate.columns import Figure, Group, Node, Terms, completed, figure, sum_of, total


class Measure(StrEnum):
    """The rule by which figures of months make a figure of a year."""

    FLOW = "flow"
    """Added up."""
    STOCK = "stock"
    """The last month's."""
    RATE = "rate"
    """The mean."""


@dataclass(frozen=True, slots=True)
class TimeTable:
    """A table with fiscal years and months in its rows."""

    code: str
    title: str
    columns: tuple[Node, ...]
    measure: Measure = Measure.FLOW
    divisor: int = 1000
    """Thousands of florins in one printed unit."""
    decimals: int = 0
    years: int = 6
    two_years: bool = True
    """All months since January of the year before; otherwise the last thirteen."""
    province: str = ""

    @property
    def unit(self) -> str:
        """Unit of most of its columns, in words."""
        if self.measure is Measure.RATE:
            return "percent"
        return "millions of florins" if self.divisor == 1000 else "thousands of florins"


GOODS = completed(
    (
        Group(
            "Food and drink",
            (
                figure("Grain", "duty.grain", "duties on grain"),
                figure("Sugar", "duty.sugar", "duties on sugar"),
                figure("Wine", "duty.wine", "duties on wine"),
            ),
        ),
        Group(
            "Manufactures",
            (
                figure("Textiles", "duty.textiles", "duties on textiles"),
                figure("Machinery", "duty.machinery", "duties on machinery"),
                figure("Glass and paper", "duty.glass", "duties on glass and paper"),
            ),
        ),
        figure("Timber", "duty.timber", "duties on timber"),
        total("All goods", "duties on all goods"),
    )
)
CUSTOMS_DUTIES = sum_of(GOODS)

RECEIPTS = completed(
    (
        Group(
            "Taxes on income",
            (
                figure("Persons", "receipts.persons", "taxes on the income of persons"),
                figure("Companies", "receipts.companies", "taxes on the income of companies"),
                total("Total", "taxes on income in total"),
            ),
        ),
        Group(
            "Duties",
            (
                Figure("Customs", CUSTOMS_DUTIES, "customs duties"),
                Group(
                    "Excise",
                    (
                        figure("Spirits and tobacco", "receipts.spirits", "excise on spirits and tobacco"),
                        figure("Motor spirit", "receipts.motor", "excise on motor spirit"),
                    ),
                ),
                total("Total", "duties in total"),
            ),
        ),
        figure(
            "Posts and telegraphs", "receipts.posts", "receipts from posts and telegraphs",
            renamed="Communications", note="Net of the cost of carriage by sea.",
        ),
        figure("Crown lands", "receipts.lands", "receipts from crown lands"),
        total("Total receipts", "total receipts"),
    )
)  # fmt: skip

EXPENDITURES = completed(
    (
        Group(
            "Civil departments",
            (
                figure("Justice", "outlays.justice", "expenditures for justice"),
                figure("Instruction", "outlays.schools", "expenditures for instruction"),
                figure("Health", "outlays.health", "expenditures for health"),
                total("Total", "expenditures of the civil departments in total"),
            ),
        ),
        Group(
            "Works",
            (
                figure("Roads and bridges", "outlays.roads", "expenditures for roads and bridges"),
                figure("Harbours", "outlays.harbours", "expenditures for harbours"),
                figure("Water supply", "outlays.water", "expenditures for water supply"),
                total("Total", "expenditures for works in total"),
            ),
        ),
        figure("Defence", "outlays.defence", "expenditures for defence"),
        figure("Pensions", "outlays.pensions", "expenditures for pensions", note="Includes grants to widows."),
        figure("Interest on the debt", "outlays.interest", "interest paid on the debt"),
        total("Total expenditures", "total expenditures"),
    )
)


def _minus(terms: Terms) -> Terms:
    return tuple((key, -sign) for key, sign in terms)


_ALL_RECEIPTS, _ALL_OUTLAYS = sum_of(RECEIPTS), sum_of(EXPENDITURES)
_INCOME = tuple((key, 1) for key in ("receipts.persons", "receipts.companies"))
_BONDS, _NOTES, _BILLS = ((("debt.bonds", 1),), (("debt.notes", 1),), (("debt.bills", 1),))
_BEARING = _BONDS + _NOTES + _BILLS
_PUBLIC_DEBT = (*_BEARING, ("debt.matured", 1))


def _kind_of_debt(text: str, terms: Terms) -> Group:
    """Amount and share of one kind of debt."""
    return Group(
        text,
        (
            Figure("Amount", terms, f"{text.lower()} outstanding"),
            Figure(
                "Percent of total", terms, f"share of {text.lower()} in interest-bearing debt", _BEARING, decimals=1
            ),
        ),
    )


SUMMARY = TimeTable(
    "S-1",
    "Summary of Receipts and Expenditures",
    (
        Group(
            "Receipts",
            (
                Figure("Taxes on income", _INCOME, "taxes on income in total"),
                Figure(
                    "Other receipts", tuple(t for t in _ALL_RECEIPTS if t not in _INCOME),
                    "receipts other than taxes on income",
                ),
                Figure("Total", _ALL_RECEIPTS, "total receipts", total=True),
            ),
        ),
        Figure("Expenditures", _ALL_OUTLAYS, "total expenditures", note="Warrants issued."),
        Figure(
            "Surplus (+) or deficit (-)", _ALL_RECEIPTS + _minus(_ALL_OUTLAYS), "the surplus (+) or deficit (-)",
        ),
    ),
)  # fmt: skip

BY_SOURCE = TimeTable("R-1", "Receipts by Source", RECEIPTS)
BY_FUNCTION = TimeTable("E-1", "Expenditures by Function", EXPENDITURES, two_years=False)

DEBT = TimeTable(
    "D-1",
    "Debt of the Commonwealth Outstanding",
    (
        Group(
            "Debt of the Commonwealth",
            (
                Group(
                    "Interest-bearing debt",
                    (
                        _kind_of_debt("Bonds", _BONDS),
                        _kind_of_debt("Treasury notes", _NOTES),
                        _kind_of_debt("Bills", _BILLS),
                        Figure("Total", _BEARING, "interest-bearing debt in total", total=True),
                    ),
                ),
                figure(
                    "Matured debt", "debt.matured", "matured debt", note="Called for payment, not yet presented."
                ),
                Figure("Total", _PUBLIC_DEBT, "total debt of the Commonwealth", total=True),
            ),
        ),
        figure("Balance in the chest", "coin.chest", "the balance in the chest"),
    ),
    Measure.STOCK,
)

COIN = TimeTable(
    "M-1",
    "Notes, Coin and Gold",
    completed(
        (
            Group(
                "In circulation",
                (
                    figure("Notes", "coin.notes", "notes in circulation"),
                    figure("Silver coin", "coin.silver", "silver coin in circulation"),
                    figure("Minor coin", "coin.minor", "minor coin in circulation"),
                    total("Total", "notes and coin in circulation in total"),
                ),
            ),
            Group(
                "Gold reserve",
                (
                    figure("Value", "coin.gold", "the value of the gold reserve", late=True),
                    figure(
                        "Thousand ounces",
                        "coin.ounces",
                        "the gold reserve in thousand ounces",
                        divisor=100,
                        late=True,
                    ),
                ),
            ),
        )
    ),
    Measure.STOCK,
    years=5,
    two_years=False,
)

CUSTOMS = TimeTable("T-1", "Customs Duties by Kind of Goods", GOODS, divisor=1, years=5)

INTEREST = TimeTable(
    "I-1",
    "Rates of Interest",
    (
        Group(
            "Government paper",
            (
                figure("Bills, 3 months", "rate.bills", "the rate on bills of 3 months"),
                figure("Notes, 2 years", "rate.notes", "the rate on notes of 2 years"),
                figure("Long bonds", "rate.bonds", "the rate on long bonds"),
            ),
        ),
        Group(
            "Banks",
            (
                figure("Discount rate", "rate.discount", "the discount rate"),
                figure("Savings deposits", "rate.savings", "the rate on savings deposits"),
            ),
        ),
    ),
    Measure.RATE,
    divisor=100,
    decimals=2,
    years=5,
    two_years=False,
)
