"""The review pages of composed tasks: a table to search and filter, page by page, and a page for each task."""

import base64
import hashlib
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import msgspec

from worktrial.engine.store import read_lines
from worktrial.errors import DataError
from worktrial.synthesis.artifacts import SlotRun
from worktrial.synthesis.clauses.clause import Clause, read_clauses
from worktrial.synthesis.compose.composer import ComposedTask
from worktrial.synthesis.files import read_yaml_as, write_text
from worktrial.synthesis.folder import SuiteFolder
from worktrial.synthesis.proving.truth import Ruling
from worktrial.synthesis.proving.way import ProvedTask
from worktrial.synthesis.review.page import render, style
from worktrial.synthesis.review.runs import RunView, run_view
from worktrial.workplaces.loading.folder import read_yaml

ROWS = 50
"""Tasks on one page of the table."""
KINDS = {"solver": "Second worker", "free": "Runs that chose it", "fresh": "Fresh runs"}
_FATES = ("kept", "gate", "truth", "trivial", "too_hard", "invalid", "drafted")


@dataclass(frozen=True, slots=True)
class TaskCard:
    """A task with everything that a page shows of it."""

    draft: ComposedTask
    end: ProvedTask | None
    runs: Mapping[str, Sequence[RunView]]
    """Runs on what the task is now, by their kind in words."""
    ruling: Ruling | None
    clauses: Sequence[tuple[str, Clause | None]]
    file: str
    """The file to edit."""

    @property
    def id(self) -> str:
        """Name of the task."""
        return self.draft.recipe.id

    @property
    def fate(self) -> str:
        """Fate as its row says it; `drafted` before any run."""
        return "drafted" if self.end is None else self.end.fate

    @property
    def atoms(self) -> list[str]:
        """Atoms of its cases."""
        return [case.atom for case in self.draft.recipe.cases]

    @property
    def words(self) -> str:
        """Text that a search looks in."""
        parts = [self.id, self.fate, *self.draft.clauses, *self.atoms, *self.draft.instructions.values()]
        return " ".join(parts).casefold()

    @property
    def tools(self) -> list[str]:
        """Tools of its plan, each once."""
        return list(dict.fromkeys(str(step["call"]) for step in self.draft.steps))

    def checks_of(self, case: int) -> list[tuple[int, str]]:
        """Index and text of the checks of a case; -1 for those of the whole."""
        of = self.draft.case_of_check or [-1] * len(self.draft.checks)
        pairs = zip(range(len(of)), of, self.draft.checks, strict=True)
        return [(index, msgspec.json.encode(check).decode()) for index, owner, check in pairs if owner == case]

    def failures(self, check: int) -> int:
        """Runs in which a check failed, of all kinds."""
        rows = [view.row for views in self.runs.values() for view in views]
        return sum(len(row.checks) > check and not row.checks[check].passed for row in rows)


def write_composed_review(folder: SuiteFolder) -> Path:
    """Write the pages of a folder whose tasks are composed.

    Returns:
        The first page of the table.

    Raises:
        DataError: a task that a person changed cannot be read.
        StopRun: a page cannot be written.
    """
    cards = read_cards(folder)
    place = folder.review / "tasks"
    shutil.rmtree(place, ignore_errors=True)
    for card in cards:
        page = render(
            "composed_task.html",
            title=card.id,
            card=card,
            style=style(),
            policy=_policy(None),
            kinds=KINDS,
        )
        write_text(place / f"{card.id}.html", page)
    pages = [cards[at : at + ROWS] for at in range(0, len(cards), ROWS)] or [[]]
    names = [_page_name(number) for number in range(len(pages))]
    for stale in folder.review.glob("index-*.html"):
        stale.unlink()
    for number, rows in enumerate(pages):
        page = render(
            "composed.html",
            title=f"Tasks of {folder.root.resolve().name}",
            rows=rows,
            everything=[_entry(card) for card in cards],
            fates=[fate for fate in _FATES if any(card.fate == fate for card in cards)],
            clauses=sorted({id for card in cards for id, _ in card.clauses}),
            counts=_counts(folder),
            names=names,
            number=number,
            style=style(),
            script=_script(),
            policy=_policy(_script()),
        )
        write_text(folder.review / names[number], page)
    return folder.review / names[0]


def read_cards(folder: SuiteFolder) -> list[TaskCard]:
    """Every task that was drawn, with what became of it.

    Raises:
        DataError: a file that a person changed cannot be read.
    """
    ends = {end.task: end for end in read_lines(folder.calibration, ProvedTask)}
    rulings = {ruling.content: ruling for ruling in read_lines(folder.work / "rulings.jsonl", Ruling)}
    clauses: dict[str, Clause] = {}
    path = folder.root / "clauses.yaml"
    if path.exists():
        clauses = {clause.id: clause for clause in read_clauses(path)}
    cards = []
    for file in sorted((folder.work / "tasks").glob("*.yaml"), key=_number):
        draft = read_yaml_as(file, ComposedTask)
        end = ends.get(draft.recipe.id)
        cards.append(
            TaskCard(
                draft=draft,
                end=end,
                runs=_runs(folder, draft.recipe.id, end),
                ruling=rulings.get(end.content) if end is not None else None,
                clauses=[(id, clauses.get(id)) for id in draft.clauses],
                file=folder.name_of(file),
            )
        )
    return cards


def _runs(folder: SuiteFolder, id: str, end: ProvedTask | None) -> dict[str, list[RunView]]:
    if end is None:
        return {}
    last: dict[tuple[str, int], SlotRun] = {}
    for row in read_lines(folder.runs(id), SlotRun):
        if row.content == end.content:
            last[row.kind, row.number] = row
    views = [run_view(row) for row in last.values()]
    return {said: [view for view in views if view.row.kind == kind] for kind, said in KINDS.items()}


def _entry(card: TaskCard) -> dict[str, object]:
    """A task as the search of the page knows it."""
    return {
        "id": card.id,
        "fate": card.fate,
        "level": card.draft.difficulty,
        "clauses": card.draft.clauses,
        "text": next(iter(card.draft.instructions.values())),
        "words": card.words,
    }


def _counts(folder: SuiteFolder) -> list[str]:
    from worktrial.synthesis.worth import SuiteWorth, described

    if not folder.suite.exists():
        return []
    try:
        fields = read_yaml(folder.suite)
        return described(msgspec.convert(fields.get("counts"), SuiteWorth))
    except (DataError, msgspec.ValidationError) as e:
        # The file is a person's to change; the page is shown nevertheless.
        return [f"{folder.suite.name} cannot be read: {e}"]


def _number(path: Path) -> tuple[int, str]:
    tail = path.stem.rsplit("-", 1)[-1]
    return (int(tail) if tail.isdigit() else 0, path.stem)


def _page_name(number: int) -> str:
    return "index.html" if number == 0 else f"index-{number + 1}.html"


@cache
def _script() -> str:
    return (Path(__file__).with_name("templates") / "composed.js").read_text("utf-8")


def _policy(script: str | None) -> str:
    """The content security policy: nothing from anywhere, no style and no script but ours."""

    def digest(text: str) -> str:
        return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()

    scripts = "" if script is None else f" script-src 'sha256-{digest(script)}';"
    return f"default-src 'none';{scripts} style-src 'sha256-{digest(style())}'; base-uri 'none'; form-action 'none'"
