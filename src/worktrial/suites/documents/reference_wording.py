"""What the questions of a generated archive ask for, from their wording."""

import re
from dataclasses import dataclass
from typing import Literal

_MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_ISSUE = re.compile(rf"in the (?P<month>{'|'.join(_MONTHS)}) (?P<year>\d{{4}}) issue", re.IGNORECASE)
_TABLE = re.compile(r"^According to the table “(?P<name>[^”]+)”")
_PERIOD = rf"(?:in|at the end of) ((?:fiscal year|{'|'.join(_MONTHS)}) \d{{4}})"
_SPAN = rf"from ({'|'.join(_MONTHS)}) (\d{{4}}) to ({'|'.join(_MONTHS)}) (\d{{4}}) inclusive"
_COLUMN = re.compile(r"what is given in the column (?P<what>.+?) for (?P<label>“.+), in [\w ]+\?")
_LOOKUP = re.compile(rf"what is given for (?P<what>.+) {_PERIOD}, in [\w ]+\?")
_ADDED = re.compile(rf"what is the (sum|arithmetic mean) of the monthly figures for (?P<what>.+) {_SPAN}")
_DIFFERENCE = re.compile(rf"does the figure for (?P<what>.+) {_PERIOD} exceed the one {_PERIOD}")
_CHANGE = re.compile(rf"does the figure for (?P<what>.+) change from the one {_PERIOD} to the one {_PERIOD}")
_UNIT = re.compile(r", in (?P<unit>(?:millions|thousands|percent|thousand)[\w ]*)")
_DECIMALS = re.compile(r"rounded to (one|\d) decimals?")
_QUOTED = re.compile(r"“([^”]+)”")

Kind = Literal["lookup", "sum", "mean", "difference", "percent_change"]


@dataclass(frozen=True, slots=True)
class When:
    """A row by time: a month of a year, or a fiscal year."""

    year: int
    month: int | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, understood."""

    kind: Kind
    issue: str
    """`March 1952`."""
    year_month: tuple[int, int]
    table: str
    """As the question names it, or nothing."""
    headings: tuple[str, ...]
    """Quoted headings of the column, the lowest last."""
    phrase: str
    """The column in other words, where no headings are quoted."""
    rows: tuple[When, ...]
    """In the order of the formula."""
    label: tuple[str, ...]
    """Quoted labels of the row, the lowest last, where it is not a time."""
    unit: str
    decimals: int | None
    """Of the answer; None for as many as the figures have."""

    def is_of_issue(self, document: str) -> bool:
        """Whether a document's name carries the issue's year and month."""
        numbers = [int(number) for number in re.findall(r"\d+", document)]
        return numbers[-2:] == list(self.year_month)


def parse(question: str) -> Asked | None:
    """Understand a question; None for wordings that are not known."""
    issue = _ISSUE.search(question)
    kind, what, rows, label = _matched(question)
    if issue is None or kind is None:
        return None
    table, unit, decimals = _TABLE.match(question), _UNIT.search(question), _DECIMALS.search(question)
    quoted = _QUOTED.findall(what)
    return Asked(
        kind=kind,
        issue=f"{issue['month']} {issue['year']}",
        year_month=(int(issue["year"]), _number(issue["month"])),
        table=table["name"] if table else "",
        headings=tuple(reversed(quoted)),
        phrase="" if quoted else what,
        rows=rows,
        label=label,
        unit=unit["unit"] if unit else "",
        decimals=None if decimals is None else 1 if decimals[1] == "one" else int(decimals[1]),
    )


def _matched(question: str) -> tuple[Kind | None, str, tuple[When, ...], tuple[str, ...]]:
    found = _COLUMN.search(question)
    if found is not None:
        return "lookup", found["what"], (), tuple(reversed(_QUOTED.findall(found["label"])))
    found = _LOOKUP.search(question)
    if found is not None:
        return "lookup", found["what"], (_when(found[2]),), ()
    found = _ADDED.search(question)
    if found is not None:
        first, last = _count(found[3], found[4]), _count(found[5], found[6])
        months = tuple(When(count // 12, count % 12 + 1) for count in range(first, last + 1))
        return "sum" if found[1] == "sum" else "mean", found["what"], months, ()
    found = _DIFFERENCE.search(question)
    if found is not None:
        return "difference", found["what"], (_when(found[2]), _when(found[3])), ()
    found = _CHANGE.search(question)
    if found is not None:
        return "percent_change", found["what"], (_when(found[3]), _when(found[2])), ()
    return None, "", (), ()


def _when(text: str) -> When:
    name, _, year = text.rpartition(" ")
    return When(int(year), None if name == "fiscal year" else _number(name))


def _count(name: str, year: str) -> int:
    return 12 * int(year) + _number(name) - 1


def _number(name: str) -> int:
    return _MONTHS.index(name.capitalize()) + 1
