"""The review page on disk: one file, or one for each slot beside it where it would become too large."""

import base64
import hashlib
import shlex
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from worktrial.errors import StopRun
from worktrial.language.templates import templates
from worktrial.synthesis.artifacts import TaskDraft
from worktrial.synthesis.files import write_text
from worktrial.synthesis.folder import SuiteFolder
from worktrial.synthesis.review.reading import DONE, MEANINGS, Standing, SuiteReading, read_folder
from worktrial.synthesis.review.runs import pretty, visible
from worktrial.synthesis.review.slot import SlotView, slot_view
from worktrial.synthesis.stages.report import SuiteReport, described, report

if TYPE_CHECKING:
    from jinja2 import Environment

_TEMPLATES = Path(__file__).with_name("templates")


def render(template: str, **values: Any) -> str:
    """A template with `values` filled in."""
    return _environment().get_template(template).render(values)


@cache
def style() -> str:
    """The style sheet, which is part of every page."""
    return (_TEMPLATES / "review.css").read_text("utf-8")


@cache
def policy() -> str:
    """The content security policy: no script, nothing from anywhere, and no style but ours."""
    digest = base64.b64encode(hashlib.sha256(style().encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


@cache
def _environment() -> "Environment":
    from markupsafe import Markup

    def shown(value: Any) -> Any:
        return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value

    environment = templates(_TEMPLATES, html=True).overlay(finalize=shown)
    environment.filters["pretty"] = pretty
    return environment


_PROPERTIES = ("solvable", "verifiable", "discriminative", "diverse")


@dataclass(frozen=True, slots=True)
class SlotRow:
    """A slot in the table of slots."""

    id: str
    subtopic: str
    level: int
    language: str
    standing: Standing
    problems: int
    is_edited: bool


@dataclass(frozen=True, slots=True)
class Fate:
    """Number of slots that came to one end."""

    count: int
    label: str
    meaning: str


@dataclass(frozen=True, kw_only=True)
class Overview:
    """Summary that stands above the slots."""

    stage: str
    """Progress of the whole, in a sentence."""
    fates: Sequence[Fate]
    found: SuiteReport | None
    """Evidence for the suite; None as long as not every slot has come to its end."""
    properties: Sequence[tuple[str, str]]
    resume: str
    """Commands."""
    run: str | None


def slot_row(shown: SlotView) -> SlotRow:
    """Row of a slot in the table of slots."""
    return SlotRow(
        id=shown.slot.id,
        subtopic=shown.slot.subtopic.title,
        level=shown.slot.level,
        language=shown.slot.language,
        standing=shown.standing,
        problems=len(shown.problems),
        is_edited=any(o.is_edited or (o.record is not None and o.record.edited) for o in shown.origins),
    )


def overview(reading: SuiteReading, rows: Sequence[SlotRow], selected: Sequence[TaskDraft]) -> Overview:
    """Sum up.

    Args:
        reading: The folder.
        rows: Of every slot.
        selected: The tasks of the selected slots, in their order.
    """
    root = reading.folder.root
    found = _report(reading, rows, selected)
    counts = Counter(row.standing.state for row in rows)
    named = shlex.quote(str(root if root.is_absolute() else f"./{root}"))
    run = f"worktrial run {named} --agent MODEL --simulator MODEL --judge MODEL"
    return Overview(
        stage=_stage(reading, rows),
        fates=[Fate(counts[state], *meaning) for state, meaning in MEANINGS.items() if counts[state]],
        found=found,
        properties=_properties(found) if found is not None and selected else [],
        resume=f"worktrial synthesize -o {shlex.quote(str(root))}",
        run=run if selected or reading.is_published else None,
    )


def _report(reading: SuiteReading, rows: Sequence[SlotRow], selected: Sequence[TaskDraft]) -> SuiteReport | None:
    if not rows or any(row.standing.state not in DONE for row in rows):
        return None
    ids = [row.id for row in rows]
    calibrations = [reading.calibrations[id] for id in ids if id in reading.calibrations]
    rejects = [reading.rejects[id] for id in ids if id in reading.rejects]
    try:
        return report(len(rows), calibrations, rejects, selected)
    except ValueError:
        # Files of two sessions that do not belong together: the slots speak for themselves.
        return None


def _properties(found: SuiteReport) -> list[tuple[str, str]]:
    parts = (line.partition(": ") for line in described(found))
    return [(name, said) for name, _, said in parts if name in _PROPERTIES]


def _stage(reading: SuiteReading, rows: Sequence[SlotRow]) -> str:
    if reading.spec is None:
        return "Nothing has been asked for yet."
    if not rows:
        return "The sub-topics are not written yet."
    states = [row.standing.state for row in rows]
    done = sum(state in DONE for state in states)
    if done == len(rows):
        chosen = states.count("selected")
        tasks = (
            f"{chosen} {'task is' if chosen == 1 else 'tasks are'} selected" if chosen else "No task is selected"
        )
        return f"Every slot has come to its end. {tasks}."
    if done or "running" in states:
        rest = len(rows) - done - states.count("running")
        said = f"{done} of {len(rows)} slots have come to their end."
        if "running" in states:
            said += f" In runs: {states.count('running')}."
        return said + (f" Still without runs: {rest}." if rest else "")
    drafted = sum(state in ("drafted", "problems") for state in states)
    return f"{drafted} of {len(rows)} slots are drafted; nothing has been run."


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
    rows: list[SlotRow] = []
    selected: list[TaskDraft] = []
    for slot in reading.slots:
        # One at a time: only its HTML stays, and that only while all of it is small.
        shown = slot_view(reading, slot)
        rows.append(slot_row(shown))
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


def _frame(reading: SuiteReading, home: str, title: str) -> dict[str, str]:
    """Values that every page needs."""
    of = reading.spec.role if reading.spec is not None else reading.folder.root.name
    return {"policy": policy(), "style": style(), "home": home, "title": f"{title}: {of}"}


class _Pages:
    """Collects the slots' parts, and lays them out on pages of their own as soon as they are too much for one."""

    def __init__(self, folder: SuiteFolder, reading: SuiteReading) -> None:
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
