"""The tables of the bulletin: what they are called, what they hold, in which unit."""

from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

from lab.generate.columns import Figure, Group, Node, Terms, completed, sum_of


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


@cache
def catalogue() -> dict[str, TimeTable]:
    """The tables of `tables.yaml` by their names there."""
    made: dict[str, TimeTable] = {}
    for name, told in yaml.safe_load(files(__package__).joinpath("tables.yaml").read_text("utf-8")).items():
        columns = completed(tuple(_node(node, made) for node in told.pop("columns")))
        made[name] = TimeTable(columns=columns, measure=Measure(told.pop("measure", "flow")), **told)
    return made


def _node(told: dict[str, Any], made: dict[str, TimeTable]) -> Node:
    if "text" not in told:
        ((text, children),) = told.items()
        return Group(text, tuple(_node(child, made) for child in children))
    terms = _terms(told.pop("keys", ()))
    if "sum_of" in told:
        left_out = told.pop("without", ())
        terms = tuple(term for term in sum_of(made[told.pop("sum_of")].columns) if term[0] not in left_out)
    if "minus" in told:
        terms += tuple((key, -sign) for key, sign in sum_of(made[told.pop("minus")].columns))
    return Figure(terms=terms, share_of=_terms(told.pop("share_of", ())), **told)


def _terms(keys: list[str] | tuple[()]) -> Terms:
    return tuple((key, 1) for key in keys)
