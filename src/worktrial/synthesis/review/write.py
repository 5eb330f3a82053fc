"""The review page on disk: one file, or one for each slot beside it where it would become too large."""

from pathlib import Path

from worktrial.errors import StopRun
from worktrial.synthesis.artifacts import TaskDraft
from worktrial.synthesis.files import write_text
from worktrial.synthesis.folder import SuiteFolder
from worktrial.synthesis.review.overview import Row, overview, row
from worktrial.synthesis.review.reading import Reading, read_folder
from worktrial.synthesis.review.rendering import policy, render, style
from worktrial.synthesis.review.shown_slot import shown_slot
from worktrial.synthesis.review.standing import MEANINGS

MOST_ON_ONE_PAGE = 2_000_000
"""Bytes of all slots together."""
PAGE = "index.html"
SLOTS = "slots"


def write_review(folder: SuiteFolder) -> Path:
    """Write the review page of a suite folder, whatever is in it by now.

    Returns:
        The page to open: `work/review/index.html`.

    Raises:
        StopRun: it cannot be written.
    """
    reading = read_folder(folder)
    pages = _Pages(folder, reading)
    rows: list[Row] = []
    selected: list[TaskDraft] = []
    for slot in reading.slots:
        # One at a time: only its HTML stays, and that only while all of it is small.
        shown = shown_slot(reading, slot)
        rows.append(row(shown))
        if shown.standing.state == "selected" and shown.task is not None:
            selected.append(shown.task)
        pages.add(slot.id, render("slot.html", shown=shown, state_meaning=MEANINGS[shown.standing.state][1]))
    pages.remove_old()
    page = folder.review / PAGE
    html = render(
        "overview.html",
        **_frame(reading, "", "Review"),
        reading=reading,
        rows=rows,
        over=overview(reading, rows, selected),
        sections=pages.sections,
        meanings=MEANINGS,
    )
    write_text(page, html)
    return page


def _frame(reading: Reading, home: str, title: str) -> dict[str, str]:
    """What every page needs."""
    of = reading.spec.role if reading.spec is not None else reading.folder.root.name
    return {"policy": policy(), "style": style(), "home": home, "title": f"{title}: {of}"}


class _Pages:
    """Collects the slots' parts, and lays them out on pages of their own as soon as they are too much for one."""

    def __init__(self, folder: SuiteFolder, reading: Reading) -> None:
        self._folder = folder.review / SLOTS
        self._reading = reading
        ids = [slot.id for slot in reading.slots]
        self._beside = dict(zip(ids, zip([None, *ids], [*ids[1:], None], strict=False), strict=False))
        self._size = 0
        self._written: set[str] = set()
        self.sections: dict[str, str] = {}
        """Slot to its part of the one page; empty where every slot has a page of its own."""

    def add(self, slot: str, html: str) -> None:
        self._size += len(html.encode())
        self.sections[slot] = html
        if self._size > MOST_ON_ONE_PAGE:
            for name, section in self.sections.items():
                self._write(name, section)
            self.sections.clear()

    def remove_old(self) -> None:
        """Pages of an earlier review would show what no longer holds."""
        for path in self._folder.glob("*.html"):
            if path.name not in self._written:
                try:
                    path.unlink()
                except OSError as e:
                    raise StopRun(f"{path}: cannot be removed ({e.strerror})") from None

    def _write(self, slot: str, section: str) -> None:
        name = f"{slot}.html"
        frame = _frame(self._reading, f"../{PAGE}", slot)
        before, after = self._beside[slot]
        html = render("slot_page.html", **frame, section=section, before=before, after=after)
        write_text(self._folder / name, html)
        self._written.add(name)
