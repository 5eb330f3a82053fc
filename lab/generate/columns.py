"""The columns (or rows) of a table: a tree of headings over sums of series."""

from dataclasses import dataclass, replace

from lab.generate.world import Key

Terms = tuple[tuple[Key, int], ...]
"""Series with their signs."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One column of figures: a sum of series, or its share of another sum."""

    text: str
    terms: Terms = ()
    phrase: str = ""
    """Name in running text, without its headings."""
    share_of: Terms = ()
    """Terms that the figure is a percentage of; none where it is an amount."""
    renamed: str = ""
    """Its heading since the year in which the state renamed it."""
    note: str = ""
    """A footnote to its heading."""
    total: bool = False
    """Whether it adds up the figures before it under the same heading."""
    divisor: int = 0
    """Instead of the table's own, for a column in another unit."""
    decimals: int | None = None
    late: bool = False
    """Its last month is never known in time."""


@dataclass(frozen=True, slots=True)
class Group:
    """A heading over several figures or groups."""

    text: str
    children: "tuple[Figure | Group, ...]"


Node = Figure | Group


def figure(text: str, key: Key, phrase: str, **more: str | int | bool | None) -> Figure:
    """A column that holds one series."""
    return replace(Figure(text, ((key, 1),), phrase), **more)  # type: ignore[arg-type]


def total(text: str, phrase: str, note: str = "") -> Figure:
    """A column that adds up what stands before it under the same heading; its series follow in `completed`."""
    return Figure(text, phrase=phrase, total=True, note=note)


def completed(nodes: tuple[Node, ...]) -> tuple[Node, ...]:
    """The same tree with the series of its totals filled in."""
    done: list[Node] = []
    for node in nodes:
        if isinstance(node, Group):
            done.append(replace(node, children=completed(node.children)))
        elif node.total:
            done.append(replace(node, terms=tuple(term for one in done for term in _parts(one))))
        else:
            done.append(node)
    return tuple(done)


def leaves(nodes: tuple[Node, ...]) -> tuple[Figure, ...]:
    """The figures, left to right."""
    return tuple(
        leaf for node in nodes for leaf in ((node,) if isinstance(node, Figure) else leaves(node.children))
    )


def sum_of(nodes: tuple[Node, ...]) -> Terms:
    """The series of all figures that are no totals and no shares."""
    return tuple(term for node in nodes for term in _parts(node))


def _parts(node: Node) -> Terms:
    if isinstance(node, Group):
        return sum_of(node.children)
    return () if node.total or node.share_of else node.terms
