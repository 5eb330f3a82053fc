"""`python -m lab score`: an archive against tables whose truth is known."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:  # reading an archive is not for --help
    from collections.abc import Sequence

    from lab.scoring import TableScore
    from lab.scoring.report import Summary
    from lab.scoring.trust import Trust


def score(
    archive: Annotated[Path, typer.Argument(help="A built archive.", metavar="ARCHIVE")],
    truth: Annotated[
        Path, typer.Option(help="Tables written down by hand, one JSON object a line.", metavar="TABLES.jsonl")
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Also write one JSON object a table, with each failed look-up."),
    ] = None,
) -> None:
    """Compare an archive's tables with the truth: cell F1, values found by their labels, numbers recalled.

    Example: python -m lab score bulletins.archive --truth tables.jsonl -o scores.jsonl
    """
    import json

    from lab.scoring.report import as_row, score_archive
    from lab.scoring.truth import read_truth
    from worktrial.archive.store import Archive
    from worktrial.errors import DataError

    truths = read_truth(truth)
    scores = score_archive(Archive.open(archive), truths)
    if output is not None:
        lines = "".join(json.dumps(as_row(one), ensure_ascii=False) + "\n" for one in scores)
        try:
            output.write_text(lines, "utf-8")
        except OSError as e:
            raise DataError(output, f"cannot be written: {e.strerror}") from e
    print_scores(scores)


def print_scores(scores: "Sequence[TableScore]") -> None:
    """Print a line for each table and a mean for each kind of page."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from lab.scoring.report import summaries
    from worktrial.cli.untrusted import printable

    # Narrow: a figure must not be folded on a terminal of 80 columns.
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column("table", overflow="fold")
    headings = ("cell\nF1", "strict", "value\nfound", "in\ntables", "on\npage", "wrong", "low", "fixed")
    for name in headings:
        table.add_column(name, justify="right", overflow="fold", vertical="bottom")
    for one in scores:
        on_page = one.numbers_on_page
        shares = (
            one.cell_f1,
            one.cell_f1_strict,
            one.value_found,
            one.numbers_in_tables.share,
            on_page.share if on_page is not None else None,
        )
        name = f"{one.truth.id}, page {one.truth.pdf_page}\n{one.truth.doc}"
        table.add_row(Text(printable(name)), *_shares(shares), *_counts(one.trust))
    table.add_row()
    for mean in summaries(scores):
        shares = (mean.cell_f1, mean.cell_f1_strict, mean.value_found, mean.in_tables, mean.on_page)
        tables = "1 table" if mean.tables == 1 else f"{mean.tables} tables"
        table.add_row(Text(printable(f"{mean.name}, {tables}")), *_shares(shares), *_counts(mean.trust))
    console = Console(highlight=False)
    console.print(table)
    for mean in summaries(scores):
        line = _trust_line(mean)
        if line is not None:
            console.print(Text(printable(line)), soft_wrap=True)
    for one in scores:
        if one.trouble is not None:
            console.print(Text(printable(f"{one.truth.id}: {one.trouble}"), style="yellow"), soft_wrap=True)


def _trust_line(mean: "Summary") -> str | None:
    from lab.scoring.numbers import Recall

    trust = mean.trust
    if not trust.flagged and not trust.repaired:
        return None
    repairs = (
        f"of {trust.repaired} repaired, {trust.repaired_right} are right, {trust.repaired_harm} were right before"
    )
    flags = f"{Recall(trust.flagged, trust.numbers).share:.1%} of all numbers have a low confidence"
    if trust.wrong:
        flags += f", and {Recall(trust.wrong_flagged, trust.wrong).share:.1%} of the {trust.wrong} wrong ones"
    return f"{mean.name}: {flags}; {repairs}"


def _shares(values: "Sequence[float | None]") -> list[str]:
    return ["" if value is None else f"{value:.3f}" for value in values]


def _counts(trust: "Trust") -> list[str]:
    return [f"{trust.wrong}/{trust.numbers}", str(trust.flagged), str(trust.repaired)]
