"""`worktrial archive …`: from PDFs to an archive that an agent can search, read and query."""

from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import Field

from worktrial.archive import LOW_CONFIDENCE
from worktrial.cli.lazy import CommandRow, fixed_group
from worktrial.cli.options import takes
from worktrial.cli.places import written
from worktrial.engine.notices import say
from worktrial.options import Flag, Options

app = fixed_group(
    "archive",
    "Build, look into and search an archive of documents.\n\nThe usual order: build, inspect, look, search, show.",
    {
        "build": CommandRow("Build an archive from documents, or add documents to one.", "archive:build_archive"),
        "inspect": CommandRow("Show what an archive has, and how its pages were read.", "archive:inspect"),
        "look": CommandRow(
            "Show doubtful cells beside their pictures, on one page for a browser.", "archive:look_at"
        ),
        "search": CommandRow("Search an archive.", "archive:search"),
        "show": CommandRow("Show a page as Markdown.", "archive:show"),
    },
)
NOTHING_BUILT = 1
_Archive = Annotated[
    Path, typer.Argument(help="A built archive: its folder, or its address in an object store.", metavar="ARCHIVE")
]


class BuildOptions(Options):
    """Options of an archive's build."""

    output: Annotated[Path, Flag(short="-o", metavar="ARCHIVE")]
    """Folder of the archive, or its address in an object store (s3://BUCKET/ARCHIVE, gs://, az://, file://; needs
    the extra store)."""
    workers: Annotated[Annotated[int, Field(ge=0)], Flag()] = 0
    """Processes that read pages; 0 for one per core."""
    ocr: Annotated[str, Flag(metavar="auto|never|force")] = "auto"
    """Recognise pages that are pictures or whose characters are not to be trusted (auto), every page (force), or
    none (never). Needs: pip install worktrial\\[ocr]."""
    page_seconds: Annotated[float, Flag()] = 600.0
    """A page that needs the processor for longer stays unread for a later build."""
    unsafe_parsers: Annotated[bool, Flag()] = False
    """Go on where the programs that read PDFs and pictures cannot be walled off from this machine."""
    pages: Annotated[str, Flag(metavar="PAGES")] = ""
    """Pages to read of each document, such as 1-3,10, beside those read already; default: all."""
    password_env: Annotated[str, Flag(metavar="NAME")] = ""
    """Environment variable with the password of encrypted PDFs."""
    take_over: Annotated[bool, Flag()] = False
    """Go on with an archive that another machine has not let go, as it died."""


@takes(lambda: BuildOptions)
def build_archive(
    documents: Annotated[
        list[Path],
        typer.Argument(
            help="PDFs, pictures, spreadsheets, .csv, .docx, HTML, text or parsed JSON, or folders of them; the "
            "content of a file decides what it is where it can.",
            metavar="FILES...",
        ),
    ],
    **given: Any,
) -> None:
    """Build an archive from documents, or add documents to one.

    The same command goes on where an interrupted one ended, and reads only what has changed. A file or page that
    cannot be read is reported and left out; the build goes on. Exits with 1 when nothing could be built.

    Example: worktrial archive build bulletins/*.pdf -o bulletins.archive
    """
    from worktrial.cli.archive_tables import building, print_report
    from worktrial.stores.archives import build

    asked = BuildOptions.read(given, suite="archive build")
    settings = {name: value for name, value in asked if name != "output"}
    try:
        with building() as told:
            report = build(documents, asked.output, **settings, progress=told)
    except KeyboardInterrupt:
        say("Interrupted. Pages that were read are stored; the same command goes on from there.", err=True)
        raise typer.Exit(130) from None
    print_report(report)
    if not report.readable:
        raise typer.Exit(NOTHING_BUILT)


def inspect(
    archive: _Archive,
    document: Annotated[str | None, typer.Argument(help="One of its documents.", metavar="DOCUMENT")] = None,
) -> None:
    """Show what an archive has: per document its pages, how they were read, tables, confidence, failed pages.

    Of the sums that tables print, it shows how many hold. With a DOCUMENT: its pages one by one.

    Example: worktrial archive inspect bulletins.archive
    """
    from worktrial.cli.archive_tables import print_document, print_documents
    from worktrial.stores.archives import open_archive

    opened = open_archive(archive)
    if document is None:
        print_documents(opened)
    else:
        print_document(opened, document)


def look_at(
    archive: _Archive,
    what: Annotated[
        str | None,
        typer.Argument(help="One document, or one page of it.", metavar="DOCUMENT[:PAGE]"),
    ] = None,
    output: Annotated[Path, typer.Option("--output", "-o", help="Page to write.", metavar="OUT.html")] = Path(
        "look.html"
    ),
    below: Annotated[
        float, typer.Option(help="Confidence under which a cell is doubtful.", min=0, max=1)
    ] = LOW_CONFIDENCE,
    most: Annotated[int, typer.Option(help="Cells shown, the least sure of all.", min=1, max=5000)] = 200,
) -> None:
    """Show the doubtful cells of an archive beside their pictures, on one page for a browser.

    Each cell stands there as it was read, with its other readings, its row and column, its confidence, and the part
    of the page that it was read from. The page loads nothing from anywhere. Pictures are drawn from the original
    files, which must be where they were.

    Example: worktrial archive look bulletins.archive treasury_bulletin_1939_02 -o look.html
    """
    from worktrial.cli.archive_look import look
    from worktrial.stores.archives import open_archive

    document, page = what, None
    if what is not None:
        name, colon, digits = what.rpartition(":")
        if colon and digits.isdecimal():
            document, page = name, int(digits)
    seen = look(open_archive(archive), document, page, below=below, most=most)
    with written(output, "Name a file in a folder that you may write"):
        output.write_text(seen.html, "utf-8")
    say(f"{seen.shown:,} of {seen.found:,} cells below {below:g}, each beside its picture -> {output}")


def search(
    archive: _Archive,
    query: Annotated[
        str, typer.Argument(help='A question or keywords; "quoted words" count as a phrase.', metavar="QUERY")
    ],
    limit: Annotated[int, typer.Option(help="Most hits.", min=1)] = 10,
    document: Annotated[str | None, typer.Option(help="Search in this document only.")] = None,
    tables: Annotated[bool, typer.Option("--tables", help="Tables instead of pages.")] = False,
) -> None:
    """Search an archive. Numbers match with and without separators; a named issue is looked into first.

    Example: worktrial archive search bulletins.archive "gross public debt in the February 1939 bulletin"
    """
    from worktrial.cli.archive_tables import print_hits
    from worktrial.stores.archives import open_archive

    hits = open_archive(archive).search(query, limit=limit, document=document, kind="table" if tables else "page")
    if not hits:
        say("nothing found", err=True)
        raise typer.Exit(1)
    print_hits(hits)


def show(
    archive: _Archive,
    page: Annotated[str, typer.Argument(help="A document's name and a page number.", metavar="DOCUMENT:PAGE")],
    image: Annotated[
        Path | None,
        typer.Option(help="Also write a picture of the page with the tables drawn into it.", metavar="OUT.png"),
    ] = None,
    scale: Annotated[float, typer.Option(help="Pixels per point of the picture.")] = 2.0,
) -> None:
    """Show a page as Markdown: its tables, cell by cell as they are stored, then its text.

    Example: worktrial archive show bulletins.archive treasury_bulletin_1939_02:51 --image page.png
    """
    from worktrial.errors import SettingError
    from worktrial.stores.archives import open_archive

    name, colon, digits = page.rpartition(":")
    if not colon or not digits.isdecimal():
        raise SettingError(f"{page}: name a document and a page, such as treasury_bulletin_1939_02:51")
    opened = open_archive(archive)
    content = opened.page(name, int(digits))
    if image is not None:
        drawn = opened.marked(name, content.number, scale)
        with written(image, "Name a file in a folder that you may write"):
            image.write_bytes(drawn)
    for doubt in filter(None, (content.layout_doubt, content.trouble)):
        say(f"{page}: {doubt}", err=True)
    say(content.markdown or f"(nothing on this page: {content.route})", end="")
