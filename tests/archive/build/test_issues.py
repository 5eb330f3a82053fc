"""Figures of scans beside the same figures of other documents."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from tests.archive.build.test_labels import put
from tests.archive.tables import table

from worktrial.archive.build.issues import compare_issues
from worktrial.archive.look import look
from worktrial.archive.pages import LOW_CONFIDENCE, Cell, PageContent, Route
from worktrial.archive.store import Archive, ArchiveManifest, DocumentRecord
from worktrial.archive.store.record import write_manifest
from worktrial.archive.tools.answers import table_shown
from worktrial.archive.tools.source import ToolLimits

Grid = Sequence[Sequence[str]]
PRINTED = [[str(1930 + n), f"{2000 + 537 * n:,}", f"{91 + 7 * n}"] for n in range(8)]
MISREAD = [["193l" if row[0] == "1931" else row[0], *row[1:]] for row in PRINTED]
MISREAD[4] = ["1934", "4,143", MISREAD[4][2]]


def page(heading: str, rows: Grid, route: str) -> PageContent:
    read = table([["Year", heading, "Small"], *rows], title=heading)
    sure = 1.0 if route == Route.TEXT else 0.93
    cells = tuple(tuple(replace(cell, confidence=sure) for cell in row) for row in read.rows)
    return PageContent(1, 600.0, 800.0, route, heading, (replace(read, rows=cells),))


class Shelf:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.manifest = ArchiveManifest()

    def add(self, name: str, rows: Grid, route: str = Route.OCR, heading: str = "Receipts") -> None:
        record = put(self.folder, name, [page(heading, rows, route)])
        self.manifest.documents.append(replace_issue(record, name))

    def compare(self) -> int:
        """Compare as a build does, and count the documents that change."""
        changed: dict[str, DocumentRecord] = {}
        compare_issues(self.folder, self.manifest, lambda one: changed.update({one.name: one}), lambda event: None)
        self.manifest.documents = [changed.get(one.name, one) for one in self.manifest.documents]
        write_manifest(self.folder, self.manifest)
        return len(changed)

    def column(self, name: str, column: int = 1) -> list[Cell]:
        (shown,) = Archive.open(self.folder).page(name, 1).tables
        return [row[column] for row in shown.rows[1:]]


def replace_issue(record: DocumentRecord, name: str) -> DocumentRecord:
    import msgspec

    return msgspec.structs.replace(record, issue=name[-7:].replace("_", "-"))


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path)


def test_agreement_raises_and_a_difference_lowers_a_recognised_figure_whatever_the_headings(shelf: Shelf) -> None:
    shelf.add("bulletin_1939_02", MISREAD, heading="Rcceipts")
    alone = shelf.compare() or shelf.column("bulletin_1939_02")
    shelf.add("bulletin_1939_03", [*PRINTED, ["1938", "6,296", "147"]], Route.TEXT)
    assert shelf.compare() == 1
    cells = shelf.column("bulletin_1939_02")
    told = [(cell.elsewhere.agrees, cell.elsewhere.address) if cell.elsewhere else None for cell in cells]
    expected = [(n != 4, f"bulletin_1939_03:1:t1:r{n + 1}:c1") for n in range(8)]
    # Its label is misread, so that nothing says what it is.
    expected[1] = None  # type: ignore[call-overload]
    assert told == expected
    for n, (before, after) in enumerate(zip(alone, cells, strict=True)):
        assert after.stated == before.stated
        if n == 4:
            assert after.elsewhere is not None and after.elsewhere.text == "4,148"
            assert after.confidence < LOW_CONFIDENCE < before.confidence
        else:
            assert after.confidence > before.confidence or told[n] is None
    # Two digits are the same by chance, and a file's own characters need no other.
    assert not any(cell.elsewhere for cell in shelf.column("bulletin_1939_02", 2)[:1])
    assert not any(cell.elsewhere for cell in shelf.column("bulletin_1939_03"))


def test_it_is_on_record(shelf: Shelf) -> None:
    shelf.add("bulletin_1939_02", MISREAD)
    shelf.add("bulletin_1939_03", PRINTED, Route.TEXT)
    shelf.compare()
    archive = Archive.open(shelf.folder)
    with archive.connection() as connection:
        counts = connection.execute(
            "SELECT agrees, count(*) FROM cells WHERE elsewhere <> '' GROUP BY 1 ORDER BY 1"
        )
        assert counts.fetchall()[0] == (False, 1)
    seen = look(archive).html
    assert "4,143" in seen and "4,148 in bulletin_1939_03:1:t1:r5:c1" in seen
    table = archive.table("bulletin_1939_02", 1, 1)
    (doubt,) = table_shown("bulletin_1939_02", table, 0, ToolLimits(), readings=True)["doubtful"]
    assert doubt["elsewhere"] == {"cell": "bulletin_1939_03:1:t1:r5:c1", "text": "4,148"}


def test_a_column_that_differs_in_much_is_revised_and_one_with_little_in_common_is_another(shelf: Shelf) -> None:
    revised = [[label, f"{int(figure.replace(',', '')) + 9:,}" if n % 2 else figure, small]
               for n, (label, figure, small) in enumerate(PRINTED)]  # fmt: skip
    shelf.add("bulletin_1939_02", PRINTED)
    alone = shelf.compare() or shelf.column("bulletin_1939_02")
    shelf.add("bulletin_1939_03", revised, Route.TEXT)
    shelf.compare()
    for before, after in zip(alone, shelf.column("bulletin_1939_02"), strict=True):
        assert after.elsewhere is not None and after.elsewhere.revised
        assert after.confidence >= before.confidence
    shelf.manifest.documents.pop()
    shelf.add("bulletin_1939_04", [*PRINTED[:2], ["1932", "7,001", "5"]], Route.TEXT)
    assert shelf.compare() == 1
    assert not any(cell.elsewhere for cell in shelf.column("bulletin_1939_02"))


def test_the_nearest_issue_counts_and_nothing_is_done_twice(shelf: Shelf) -> None:
    for month in ("12", "09", "02", "03"):
        shelf.add(f"bulletin_1939_{month}", PRINTED, Route.TEXT if month == "03" else Route.OCR)
    assert shelf.compare() == 3
    assert shelf.compare() == 0
    nearest = {name: shelf.column(f"bulletin_1939_{name}")[0].elsewhere for name in ("02", "09", "12")}
    named = {name: other.address.split(":")[0][-2:] for name, other in nearest.items() if other is not None}
    assert named == {"02": "03", "09": "03", "12": "09"}
