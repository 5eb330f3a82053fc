"""Figures of audits: shares whose intervals know which answers belong together, and tables of several audits."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from worktrial.audits.observations import FAILURE_OF, SimulatorFailure
from worktrial.results.writing import Content, ShownTable
from worktrial.statistics import Figure, TaskTries, Unit, rate
from worktrial.workplaces.seen import ConformanceCheck


class ClusterHits(NamedTuple):
    """Hits among what varies together."""

    cluster: str
    """Task that they are of."""
    hits: int
    n: int = 1


def share(name: str, counted: Iterable[ClusterHits], group: str = "") -> Figure:
    """A share as a figure; of nothing it is unknown."""
    tries: dict[str, list[int]] = {}
    for one in counted:
        sums = tries.setdefault(one.cluster, [0, 0])
        sums[0], sums[1] = sums[0] + one.hits, sums[1] + one.n
    own = {cluster: (hits, n) for cluster, (hits, n) in tries.items() if n}
    of = [TaskTries(cluster, (1.0,) * hits + (0.0,) * (n - hits)) for cluster, (hits, n) in own.items()]
    return Figure.of(name, rate(of) if of else None, hits=sum(hits for hits, _ in own.values()), group=group)


def amount(name: str, value: float, n: int, group: str = "", unit: Unit = Unit.COUNT) -> Figure:
    """A number of things, or a mean, without an interval."""
    return Figure(name=name, value=value, n=n, unit=unit, group=group)


def conformance_figures(answers: Sequence[tuple[str, Mapping[str, bool]]]) -> Iterator[Figure]:
    """Share of the answers that keep to each check, and share of those that show each kind of failure.

    Args:
        answers: Task, and the outcome of each check that was made of the answer.
    """
    for check in ConformanceCheck:
        made = (ClusterHits(task, checks[check]) for task, checks in answers if check in checks)
        yield share("conforms", made, f"check={check}")
    for failure in SimulatorFailure:
        signs = [check for check, sign in FAILURE_OF.items() if sign is failure]
        shown = (ClusterHits(task, not all(checks.get(sign, True) for sign in signs)) for task, checks in answers)
        yield share("failure_alone", shown, f"failure={failure}")


class FigureTable(NamedTuple):
    """Figures that stand in one table: of the whole, or a row for each group."""

    title: str
    columns: Mapping[str, str]
    """Name of a figure to its heading."""
    tag: str = ""
    """Tag that the groups are made by, such as `kind`; "" for figures of the whole."""
    footer: str = ""


def tables_of(shapes: Iterable[FigureTable], named: Mapping[str, Sequence[Figure]]) -> Iterator[ShownTable]:
    """Tables of several audits, beside each other; those without a figure are left out.

    A single one is named only where there is no other first column.

    Args:
        shapes: The tables.
        named: Audit, by the name that readers know, to its figures.
    """
    for shape in shapes:
        rows: list[list[Content]] = []
        for name, figures in named.items():
            found: dict[str, dict[str, Figure]] = {}
            for one in figures:
                tag, _, group = one.group.partition("=")
                if one.name in shape.columns and tag == shape.tag:
                    found.setdefault(group, {})[one.name] = one
            for group, own in found.items():
                about = [group.replace("_", " ")] if shape.tag else []
                names = [name] if len(named) > 1 or not about else []
                rows.append([*names, *about, *(own.get(column) for column in shape.columns)])
        if rows:
            first = ["audit"] if len(named) > 1 or not shape.tag else []
            heads = [*first, *([shape.tag] if shape.tag else []), *shape.columns.values()]
            yield ShownTable(shape.title, heads, rows, shape.footer)
