"""`python -m lab`: fictional archives, an archive's tables beside the truth, our numbers beside bare engines'."""

import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from worktrial.errors import WorktrialError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lab.generate.generate import Progress
    from lab.panels import Standing
    from lab.panels.layouts import PageResult
    from lab.scoring import TableScore
    from lab.scoring.numbers import Trust
    from lab.scoring.reliability import ReadNumber
    from lab.scoring.report import Summary

app = typer.Typer(
    no_args_is_help=True, add_completion=False, help="Measure how well archives are read. Not installed."
)


def generate(
    output: Annotated[Path, typer.Option("-o", "--output", help="A new or empty folder.", metavar="DIR")],
    pages: Annotated[int, typer.Option(help="Pages in all, from 15 to 200,000.", metavar="N")] = 200,
    seed: Annotated[int, typer.Option(help="The same seed and size make the same archive.", metavar="N")] = 1,
    difficulty: Annotated[
        int,
        typer.Option(
            help="0: characters; 1: pictures for the oldest third of the issues; 2: for all; 3: worn ones.",
            min=0,
            max=3,
            metavar="N",
        ),
    ] = 0,
    questions: Annotated[
        int | None, typer.Option(help="How many to ask; one a page, 20 to 200, unless given.", metavar="N")
    ] = None,
    workers: Annotated[int, typer.Option(help="Processes that make issues.", metavar="N")] = 1,
) -> None:
    """Make the PDFs of an invented statistical bulletin, the truth of every table, and questions with answers.

    No download, no licence, nothing that a model can have seen.

    Example: python -m lab generate -o bulletin --pages 200 --difficulty 1
    """
    from lab.generate import Difficulty, Plan
    from lab.generate import generate as make

    began = time.perf_counter()
    plan = Plan(pages, seed, Difficulty(difficulty), questions)
    made = make(output, plan, workers=workers, progress=_say_how_far())
    seconds = time.perf_counter() - began
    typer.echo(
        f"{output}: {made.documents} documents, {made.pages:,} pages, {made.tables:,} tables, "
        f"{made.questions} questions in {seconds:.1f} s"
    )
    typer.echo(f"Next: worktrial archive build {output / 'pdfs'} -o {output}-archive")


def _say_how_far() -> "Progress":
    """A line on standard error every few seconds."""
    said = time.monotonic()

    def say(done: int, total: int) -> None:
        nonlocal said
        if time.monotonic() - said > 5:
            said = time.monotonic()
            typer.echo(f"  {done:,} of {total:,} pages", err=True)

    return say


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
    from worktrial.archive.store.archive import Archive
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
    from worktrial.language.untrusted import printable

    # Narrow: a figure must not be folded on a terminal of 80 columns.
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column("table", overflow="fold")
    headings = ("cell\nF1", "strict", "value\nfound", "in\ntables", "on\npage", "wrong", "low")
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
    if not trust.flagged:
        return None
    flags = f"{Recall(trust.flagged, trust.numbers).share:.1%} of all numbers have a low confidence"
    if trust.wrong:
        flags += f", and {Recall(trust.wrong_flagged, trust.wrong).share:.1%} of the {trust.wrong} wrong ones"
    return f"{mean.name}: {flags}"


def _shares(values: "Sequence[float | None]") -> list[str]:
    return ["" if value is None else f"{value:.3f}" for value in values]


def _counts(trust: "Trust") -> list[str]:
    return [f"{trust.wrong}/{trust.numbers}", str(trust.flagged)]


def panel(
    pages: Annotated[list[Path], typer.Argument(help="PDFs; of each the first page.", metavar="PAGE.pdf...")],
    truth: Annotated[
        Path | None, typer.Option(help="Transcribed pages: PAGE.yaml, see its README.", metavar="DIR")
    ] = None,
    cache: Annotated[
        Path | None, typer.Option(help="Keeps what each reader read; a change of ours reads anew.", metavar="DIR")
    ] = None,
    show: Annotated[int, typer.Option(help="Missing numbers listed a page.", metavar="N")] = 0,
) -> None:
    """Count the numbers that we and each bare engine have right and wrong on scanned pages.

    Where a page is not transcribed, a number is right that another reader has, too.

    Example: python -m lab panel pages/*1967*.pdf --truth lab/panels/truth --cache readings
    """
    from lab.panels import bare_readers, cached, own_reader, read_transcripts, standing

    known = read_transcripts(truth) if truth is not None else {}
    readers = (own_reader(), *bare_readers())
    standings = []
    for page in pages:
        readings = {reader.name: cached(reader, page, 1, cache) for reader in readers}
        written = known.get(page.stem)
        standings.append(standing(page.stem, readings, written.numbers if written is not None else None))
    print_standings(standings, show)


def print_standings(standings: "Sequence[Standing]", show: int = 0) -> None:
    """Print a line for each page, sums, and on how many pages a bare engine is better."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from worktrial.language.untrusted import printable

    names = list(standings[0].counts) if standings else []
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column("page", overflow="fold")
    for name in ("true", *(f"{name}\nright/wrong" for name in names), "behind", "outside\ntables"):
        table.add_column(name, justify="right", vertical="bottom")
    for is_true in (True, False):
        part = [one for one in standings if (one.true is not None) == is_true]
        for one in part:
            counts = [f"{one.counts[name].right}/{one.counts[name].wrong}" for name in names]
            true = "" if one.true is None else str(one.true)
            table.add_row(Text(printable(one.page)), true, *counts, str(max(one.behind, 0)), str(one.outside))
            if show and one.behind > 0:
                missing = [f"{n} x {number}" if n > 1 else number for number, n in one.missing.items()]
                table.add_row(Text(printable(f"  {one.best_bare} has " + ", ".join(missing[:show]))))
        if part:
            sums = [(sum(s.counts[n].right for s in part), sum(s.counts[n].wrong for s in part)) for n in names]
            table.add_row(
                "transcribed" if is_true else "by agreement",
                str(sum(one.true or 0 for one in part)) if is_true else "",
                *(f"{right}/{wrong}" for right, wrong in sums),
                str(sum(max(one.behind, 0) for one in part)),
                str(sum(one.outside for one in part)),
            )
    console = Console(highlight=False)
    console.print(table)
    behind = [one for one in standings if one.behind > 0]
    most = max((one.behind for one in behind), default=0)
    pages = "1 page" if len(standings) == 1 else f"{len(standings)} pages"
    console.print(f"worse than a bare engine on {len(behind)} of {pages}, by {most} numbers at most")


def trust(
    archives: Annotated[
        list[Path], typer.Argument(help="Built archives of pages, one a document.", metavar="ARCHIVE...")
    ],
    truth: Annotated[
        Path, typer.Option(help="Transcribed pages: PAGE.yaml, see its README.", metavar="DIR")
    ] = Path("lab/panels/truth"),
    refit: Annotated[
        bool, typer.Option("--fit", help="Fit the weights anew, and judge each page by weights of the others.")
    ] = False,
) -> None:
    """Print the reliability diagram: of the numbers with one confidence, how many are right.

    Pages that are transcribed and in an archive count, each by its name; copies of a page are one page.

    Example: python -m lab trust scans-archive worn-archive --truth lab/panels/truth --fit
    """
    from lab.panels import read_transcripts
    from lab.scoring.reliability import numbers_read
    from lab.scoring.reliability_print import print_fit, print_reliability
    from worktrial.archive.store.archive import Archive
    from worktrial.errors import DataError

    known = read_transcripts(truth)
    numbers: dict[str, list[ReadNumber]] = {}
    for archive in archives:
        built = Archive.open(archive)
        for name in (one.name for one in built.documents if one.readable and one.name in known):
            numbers.setdefault(name, []).extend(numbers_read(built.page(name, 1), known[name].tables))
    if not any(numbers.values()):
        what = f"has no number of a page that {truth} transcribes"
        raise DataError(", ".join(map(str, archives)), what, "Build it from such pages")
    if refit:
        print_fit(list(numbers.values()))
    else:
        print_reliability([one for page in numbers.values() for one in page])


def worn(
    pages: Annotated[list[Path], typer.Argument(help="PDFs; of each the first page.", metavar="PAGE.pdf...")],
    output: Annotated[Path, typer.Option("-o", "--output", help="A folder for each kind of wear.", metavar="DIR")],
    strength: Annotated[
        list[float] | None, typer.Option(help="Again and again; 1 makes most pages hard to read.", metavar="N")
    ] = None,
) -> None:
    """Make worn copies of scans, bent, cut or moved while they were scanned, on which layouts are doubtful.

    Example: python -m lab worn pages/*1967*.pdf -o worn --strength 1
    """
    from lab.generate.wear import wear_pages

    made = wear_pages(pages, output, strength or [1.0])
    typer.echo(f"{output}: {len(made)} copies of {len(pages)} pages")


def layouts(
    seed: Annotated[list[int], typer.Option(help="30 pages each; once for each seed.", metavar="N")],
    keep: Annotated[Path | None, typer.Option(help="Where the pages are left to look at.", metavar="DIR")] = None,
    each: Annotated[bool, typer.Option(help="Also a line for every page.")] = False,
) -> None:
    """Make pages of ten kinds through three typesetters, read them, and print cell F1 for each kind.

    Example: WORKTRIAL_TYPESETTERS=DIR/bin/python python -m lab layouts --seed 1 --seed 2 --seed 3
    """
    from lab.panels.layouts import make_pages, read_made, set_pages

    with TemporaryDirectory() as own:
        folder = keep or Path(own)
        folder.mkdir(parents=True, exist_ok=True)
        pages = [page for number in seed for page in make_pages(number)]
        set_pages(pages, folder)
        results = read_made(pages, folder)
    print_layouts(results, each=each)


def print_layouts(results: "Sequence[PageResult]", *, each: bool = False) -> None:
    """Print cell F1 by kind of page, by typesetter, and of all: over all cells, and the mean of the pages."""
    from lab.scoring import F1

    def line(name: str, part: "Sequence[PageResult]") -> str:
        cells = [one.cells for one in part]
        whole = F1(sum(c.right for c in cells), sum(c.true for c in cells), sum(c.found for c in cells))
        mean = sum(c.value for c in cells) / len(cells)
        return f"{name:34} {len(part):5} {whole.value:.3f} {mean:9.3f} {whole.right}/{whole.true}/{whole.found}"

    typer.echo(f"{'':34} pages    F1 of pages right/true/found")
    for one in results if each else ():
        typer.echo(line(f"{one.page.name} ({one.page.language})", [one]))
    groups: dict[str, list[PageResult]] = {}
    for one in results:
        for name in (one.page.kind, one.page.typesetter):
            groups.setdefault(name, []).append(one)
    for name, part in groups.items():
        typer.echo(line(name, part))
    typer.echo(line("all", results))


def meaning(
    folders: Annotated[list[Path], typer.Argument(help="Where the PDFs lie.", metavar="DIR...")],
    truth: Annotated[
        Path, typer.Option(help="Files PAGE.yaml; the README beside them says how they are written.", metavar="DIR")
    ] = Path("lab/panels/truth_meaning"),
    years: Annotated[
        Literal["odd", "even", "all"],
        typer.Option(help="Pages of odd years are for developing, those of even years held back."),
    ] = "odd",
    show: Annotated[bool, typer.Option(help="List what was not found, and wrong units and periods.")] = False,
) -> None:
    """Ask digital pages for figures by row and column; count values found, and wrong units and periods.

    Example: python -m lab meaning pages pdfs --show
    """
    from lab.panels import look_up_meanings, page_of, print_meanings, read_meanings
    from worktrial.errors import DataError

    known = read_meanings(truth)
    chosen = [name for name in known if years in ("all", _parity(name))]
    if not chosen:
        raise DataError(truth, f"has no page of {years} years")
    print_meanings({name: look_up_meanings(known[name], page_of(name, folders)) for name in chosen}, show)


def _parity(page: str) -> str:
    """`odd` or `even`, by the first number of four figures in a page's name; the year of its issue."""
    import re

    year = re.search(r"(?<!\d)\d{4}(?!\d)", page)
    return "" if year is None else "odd" if int(year[0]) % 2 else "even"


app.command("generate")(generate)
app.command("layouts")(layouts)
app.command("meaning")(meaning)
app.command("panel")(panel)
app.command("score")(score)
app.command("trust")(trust)
app.command("worn")(worn)

if __name__ == "__main__":
    try:
        app()
    except WorktrialError as e:
        typer.echo(f"lab: {e}", err=True)
        raise SystemExit(e.exit_code) from e
