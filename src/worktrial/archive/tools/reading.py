"""What `list_documents`, `search`, `grep` and `read_page` answer."""

from collections.abc import Sequence

from worktrial.archive.markdown import page_markdown
from worktrial.archive.tables import PageContent
from worktrial.archive.tools.limits import ToolLimits
from worktrial.archive.tools.problem import ToolProblem
from worktrial.archive.tools.queries import Rows
from worktrial.archive.tools.shorten import clipped, fitting, fitting_lines
from worktrial.archive.tools.source import DocumentSource, HitSource
from worktrial.archive.words import Route
from worktrial.language import JsonObject

_LONGEST_LINE = 400


def documents_listed(
    documents: Sequence[DocumentSource], contains: str, first: int, limits: ToolLimits
) -> JsonObject:
    """Documents whose name or issue contains a text."""
    wanted = contains.casefold()
    matching = [d for d in documents if wanted in d.name.casefold() or wanted in d.issue]
    entries = [_entry(d) for d in matching[first - 1 : first - 1 + limits.entries]]
    shown = fitting(entries, limits.characters).entries
    last = first - 1 + len(shown)
    answer: JsonObject = {"documents": shown, "total": len(matching)}
    if not matching and contains:
        answer["note"] = f"None of the {len(documents)} documents has {contains!r} in its name or date of issue."
    elif not shown:
        answer["note"] = f"There are only {len(matching)}."
    elif last < len(matching):
        answer["note"] = (
            f"These are {first} to {last}; for more, ask with first={last + 1}, or narrow with contains."
        )
    return answer


def hits_listed(hits: Sequence[HitSource], query: str, limits: ToolLimits) -> JsonObject:
    """What a search found."""
    entries = []
    for hit in hits:
        place: JsonObject = {"document": hit.document, "page": hit.page}
        if hit.table is not None:
            place["table"] = hit.table
        entries.append({**place, "score": round(hit.score, 2), "snippet": clipped(hit.snippet, _LONGEST_LINE)})
    shown = fitting(entries, limits.characters)
    answer: JsonObject = {"hits": shown.entries}
    if not entries:
        answer["note"] = f"Nothing matches {query!r}. Try fewer or other words, or grep for a figure as printed."
    elif not shown.complete:
        answer["note"] = f"Only {len(shown.entries)} of {len(entries)} hits fit; ask with a smaller limit."
    return answer


def lines_listed(found: Rows, limits: ToolLimits) -> JsonObject:
    """Lines that match."""
    entries = [
        {"document": document, "page": page, "line": line, "text": clipped(text, _LONGEST_LINE)}
        for document, page, line, text in found.rows
    ]
    shown = fitting(entries, limits.characters)
    answer: JsonObject = {"lines": shown.entries}
    if not entries:
        answer["note"] = "No line matches."
    elif found.more or not shown.complete:
        answer["note"] = (
            f"These are the first {len(shown.entries)}; there are more. Narrow the pattern or the document."
        )
    return answer


def page_shown(document: DocumentSource, page: PageContent, form: str, first_line: int, limits: ToolLimits) -> str:
    """A page's text, below a line that says where it is from.

    Raises:
        ToolProblem: the page has fewer lines.
    """
    about = [f"{document.name}, page {page.number} of {document.pages}"]
    if page.route == Route.OCR:
        about.append("read from its picture")
    if page.confidence < 1 and page.text:
        about.append(f"confidence {page.confidence:.2f}")
    if page.tables:
        about.append(f"tables: {len(page.tables)}")
    if page.trouble:
        about.append(f"trouble: {page.trouble}")
    head = f"[{'; '.join(about)}]"
    lines = (page_markdown(page) if form == "markdown" else page.text).rstrip("\n").split("\n")
    if lines == [""]:
        return f"{head}\n(no text: the page was read as {page.route})"
    if first_line > len(lines):
        message = f"Page {page.number} has {len(lines)} lines in this form."
        raise ToolProblem("out_of_range", message, field="first_line")
    shown = fitting_lines(lines, first_line, limits.characters)
    body = f"{head}\n{shown.text}"
    if shown.last < len(lines):
        rest = f"for the rest, ask with first_line={shown.last + 1}"
        body += f"\n[lines {first_line} to {shown.last} of {len(lines)}; {rest}]"
    return body


def _entry(document: DocumentSource) -> JsonObject:
    entry: JsonObject = {"document": document.name, "pages": document.pages, "tables": document.tables}
    if document.issue:
        entry["issue"] = document.issue
    if not document.readable:
        entry["trouble"] = "could not be read"
    elif document.confidence < 1:
        entry["confidence"] = round(document.confidence, 2)
    return entry
