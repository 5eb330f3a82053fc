"""The reliability diagram as a page of text."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from lab.scoring.calibration import earned, fit, left_out, log_loss
from lab.scoring.reliability import ReadNumber, ReliabilityBin, by_confidence, by_sums
from worktrial.errors import DataError


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
    stated = sum(one.confidence for one in numbers) / len(numbers)
    console.print(f"{len(numbers)} numbers, {right / len(numbers):.3f} right; stated on average {stated:.3f}")


def print_fit(pages: Sequence[Sequence[ReadNumber]]) -> None:
    """Print the weights fitted to all pages, and the diagram of each page by weights of the others.

    Raises:
        DataError: There are too few recognised numbers to fit to.
    """
    recognised = [[one for one in page if one.evidence.stated < 1] for page in pages]
    recognised = [page for page in recognised if page]
    numbers = [one for page in recognised for one in page]
    if len(recognised) < 2 or all(one.right for one in numbers):
        raise DataError(
            "--fit", "needs recognised numbers of two pages, some of them wrong", "Transcribe more pages"
        )
    told = "  ".join(f"{name} {weight:.3f}" for name, weight in fit(numbers)._asdict().items())
    Console(highlight=False).print(f"weights: {told}\n", soft_wrap=True)
    on_doubtful = earned(numbers)
    if on_doubtful.total:
        shown = f"{on_doubtful.right} of {on_doubtful.total} right ({on_doubtful.share:.3f})"
        Console(highlight=False).print(f"layout doubtful, no sum to prove it: {shown}\n", soft_wrap=True)
    apart = left_out(recognised)
    print_reliability(apart)
    losses = f"{log_loss(apart):.4f} by weights of the other pages, {log_loss(numbers):.4f} as stored"
    Console(highlight=False).print(f"log loss, nats a number: {losses}")


def _figures(one: ReliabilityBin) -> tuple[str, ...]:
    low, high = one.interval.low, one.interval.high
    told = (f"{one.stated:.3f}", f"{one.share:.3f}", f"{low:.3f}-{high:.3f}")
    return (str(one.numbers), str(one.numbers - one.right), *told)
