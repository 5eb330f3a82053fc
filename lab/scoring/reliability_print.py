"""The reliability diagram as a page of text."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from lab.scoring.reliability import ReadNumber, ReliabilityBin, by_confidence, by_sums


def print_reliability(numbers: Sequence[ReadNumber]) -> None:
    """Print how many numbers are right, by their confidence, and by what printed sums say of them."""
    console = Console(highlight=False)
    for heading, bins in (("confidence", by_confidence(numbers)), ("sums", by_sums(numbers))):
        table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False)
        table.add_column(heading)
        for name in ("numbers", "wrong", "stated", "right", "95 % interval"):
            table.add_column(name, justify="right")
        for one in bins:
            table.add_row(one.name, *_figures(one))
        console.print(table)
        console.print()
    right = sum(one.right for one in numbers)
    stated = sum(one.stated for one in numbers) / len(numbers)
    console.print(f"{len(numbers)} numbers, {right / len(numbers):.3f} right; stated on average {stated:.3f}")


def _figures(one: ReliabilityBin) -> tuple[str, ...]:
    low, high = one.interval.low, one.interval.high
    told = (f"{one.stated:.3f}", f"{one.share:.3f}", f"{low:.3f}-{high:.3f}")
    return (str(one.numbers), str(one.numbers - one.right), *told)
