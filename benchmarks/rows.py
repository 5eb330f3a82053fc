"""The table of results: what was measured, beside what, against which limit."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table."""

    name: str
    figure: str
    """The product's figure, with its spread."""
    bare: str = ""
    """The bare loop's figure, with the ratio to it."""
    limit: str = ""
    passed: bool | None = None
    """None where there is no limit."""

    @property
    def verdict(self) -> str:
        """PASS, FAIL, or nothing to judge."""
        return {True: "PASS", False: "FAIL", None: ""}[self.passed]


def at_most(name: str, values: Sequence[float], limit: float, unit: str, *, bare: Sequence[float] = ()) -> Row:
    """A row whose least value must not exceed `limit`.

    The least of several repetitions is what the code costs; what others add to it on a shared machine differs
    from one to the next, and the median shows it.
    """
    return Row(name, spread(values, unit), beside(values, bare, unit), f"<= {limit:g} {unit}", min(values) <= limit)


def plain(name: str, values: Sequence[float], unit: str, *, bare: Sequence[float] = ()) -> Row:
    """A row without a limit."""
    return Row(name, spread(values, unit), beside(values, bare, unit))


def spread(values: Sequence[float], unit: str) -> str:
    """`least (median) unit`."""
    return f"{min(values):.3g} ({median(values):.3g}) {unit}"


def beside(values: Sequence[float], bare: Sequence[float], unit: str) -> str:
    """The bare loop's figure and how many times it the product's is; "" without a bare loop."""
    return f"{spread(bare, unit)}, x{min(values) / min(bare):.2f}" if bare else ""


def print_table(title: str, rows: Sequence[Row]) -> None:
    """Print the rows as a Markdown table below its title."""
    print(f"{title}\n")
    print_cells(
        ["measure", "worktrial", "bare loop", "limit", ""],
        [[r.name, r.figure, r.bare, r.limit, r.verdict] for r in rows],
    )


def print_cells(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a Markdown table, so that it can be put into RESULTS.md as it is."""
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    lines = [
        "| " + " | ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)) + " |" for row in [head, *rows]
    ]
    rule = "|" + "|".join("-" * (w + 2) for w in widths) + "|"
    print("\n".join([lines[0], rule, *lines[1:]]), flush=True)


def exit_if_missed(rows: Sequence[Row]) -> None:
    """Exit with 1, and the names of the rows whose limit is missed, where there are any."""
    missed = [row.name for row in rows if row.passed is False]
    if missed:
        sys.exit(f"missed: {'; '.join(missed)}")
