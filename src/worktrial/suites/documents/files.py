"""Documents of a question as files, for agents that work on them with tools of their own."""

import csv
import os
import shutil
import tempfile
import threading
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from worktrial.archive import Page
from worktrial.errors import DataError, InvalidReason, InvalidSample

if TYPE_CHECKING:
    from worktrial.archive import Archive
    from worktrial.suites.documents.question import GoldPage

FileKind = Literal["pdf", "text", "both"]
"""Files of each document: the original, the archive's reading as Markdown with a CSV of each table, or both."""
INDEX = "index.csv"


class DocumentFiles:
    """Files of an archive's documents, each made once and hard-linked into the folder of every sample.

    Args:
        archive: Where the documents are.
        kind: Files of each.
    """

    def __init__(self, archive: "Archive", kind: FileKind) -> None:
        self._archive = archive
        self._kind = kind
        self._made = tempfile.TemporaryDirectory(prefix="worktrial-files-", ignore_cleanup_errors=True)
        self._made_of: dict[str, dict[str, Path]] = {}
        self._one_at_a_time = threading.Lock()

    def lay(self, folder: Path, documents: Sequence[str] | None) -> dict[Path, os.stat_result]:
        """Put the files of `documents` (None: of all that can be read) and a list of them into `folder`.

        Returns:
            Each file there with its state, for `check`.

        Raises:
            DataError: there is no such document, or its original is gone.
        """
        names = [one.name for one in self._archive.documents if one.readable] if documents is None else documents
        rows, laid = [], {}
        for name in names:
            files = self._files(name)
            for path, made in files.items():
                target = folder / path
                target.parent.mkdir(parents=True, exist_ok=True)
                try:
                    os.link(made, target)
                except OSError:
                    shutil.copyfile(made, target)
                laid[target] = target.stat()
            record = self._archive.document(name)
            listed = "; ".join(path for path in files if not path.startswith("tables/"))
            rows.append([name, record.issue or "", record.pages, listed])
        _write_index(folder, rows)
        return laid

    def lay_pages(self, folder: Path, pages: "Iterable[GoldPage]") -> None:
        """Put the archive's reading of some pages alone into `folder`, with a list of them."""
        rows = []
        for one in pages:
            path = f"text/{_stem(one.document)}-{one.page:04}.md"
            _write_pages(folder, path, _stem(one.document), [self._archive.page(one.document, one.page)])
            rows.append([one.document, "", one.page, path])
        _write_index(folder, rows)

    def check(self, laid: Mapping[Path, os.stat_result]) -> None:
        """See that no program has changed what samples share; if one has, all is made anew for the next sample.

        Raises:
            InvalidSample: one has: this sample's, or that of another which ran meanwhile.
        """
        for path, was in laid.items():
            # What is gone from this folder is not gone from the others.
            if path.exists() and (path.stat().st_size, path.stat().st_mtime_ns) != (was.st_size, was.st_mtime_ns):
                with self._one_at_a_time:
                    self._made_of.clear()
                said = f"{path.name}, which samples share, was changed while this one ran"
                raise InvalidSample(InvalidReason.TASK_DATA, said)

    def _files(self, name: str) -> dict[str, Path]:
        """Files of a document by their path in a sample's folder."""
        with self._one_at_a_time:
            if name not in self._made_of:
                root = Path(tempfile.mkdtemp(dir=self._made.name))
                self._make(name, root)
                made = sorted(path for path in root.rglob("*") if path.is_file())
                for path in made:
                    path.chmod(0o444)
                self._made_of[name] = {path.relative_to(root).as_posix(): path for path in made}
            return self._made_of[name]

    def _make(self, name: str, root: Path) -> None:
        record = self._archive.document(name)
        if self._kind != "text":
            source = Path(record.source)
            if not source.is_file():
                fix = "Put it back, or build the archive again from where it is now"
                raise DataError(source, f"the original of {name} is gone, so it cannot be handed over", fix)
            (root / "documents").mkdir()
            shutil.copyfile(source, root / "documents" / f"{_stem(name)}{source.suffix}")
        if self._kind != "pdf":
            _write_pages(root, f"text/{_stem(name)}.md", _stem(name), self._archive.pages(name))


def _write_pages(folder: Path, path: str, stem: str, pages: Iterable[Page]) -> None:
    """Write pages as Markdown at `path`, and each of their tables as CSV."""
    text = folder / path
    text.parent.mkdir(parents=True, exist_ok=True)
    with text.open("w", encoding="utf-8") as written:
        for page in pages:
            written.write(f"## Page {page.number}\n\n{page.markdown or '(Nothing could be read here.)'}\n")
            for table in page.tables:
                place = folder / "tables" / stem / f"page-{page.number:04}-table-{table.number}.csv"
                place.parent.mkdir(parents=True, exist_ok=True)
                with place.open("w", encoding="utf-8", newline="") as rows:
                    csv.writer(rows).writerows(table.grid)


def _write_index(folder: Path, rows: Iterable[Sequence[object]]) -> None:
    with (folder / INDEX).open("w", encoding="utf-8", newline="") as written:
        csv.writer(written).writerows([["document", "issue", "pages", "files"], *rows])


def _stem(name: str) -> str:
    return name.replace("/", "-").removesuffix(".pdf")
