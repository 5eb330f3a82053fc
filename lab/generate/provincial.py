"""Tables that every province has: the bulk of a large archive, hard to tell apart."""

from lab.generate.catalogue import TimeTable
from lab.generate.columns import Figure, Group, Node, completed, figure, total
from lab.generate.vocabulary import vocabulary


def provincial(subject: int, province: str, number: int) -> tuple[TimeTable, ...]:
    """Tables of a province, which differ from those of the next one by a name in the title alone."""
    return tuple(
        TimeTable(
            f"P-{subject + 1}.{number}{letter}",
            title.format(province=province),
            _provincial_columns(title.format(province=province), province, headings),
            divisor=1,
            years=4,
            two_years=False,
            province=province,
        )
        for letter, table in zip("ab", vocabulary().subjects[subject], strict=True)
        for title, headings in table.items()
    )


def _provincial_columns(title: str, province: str, headings: list[str | dict[str, list[str]]]) -> tuple[Node, ...]:
    def one(text: str) -> Figure:
        return figure(text, provincial_key(province, text), f"{text.lower()} ({title})")

    nodes: list[Node] = []
    for heading in headings:
        if isinstance(heading, str):
            nodes.append(one(heading))
            continue
        for text, below in heading.items():
            inner = (*map(one, below), total("Total", f"{text.lower()} in total ({title})"))
            nodes.append(Group(text, inner))
    return completed((*nodes, total("Total", f"the total ({title})")))


def provincial_key(province: str, text: str) -> str:
    """The series of a province under a heading."""
    return f"province.{province}.{text.lower()}"


PROVINCIAL_TAXES = ("Land tax", "Income tax", "Stamp duties", "Licence fees")
"""Taxes that every province collects; the first two are direct."""
