"""The review pages: a table of all tasks to search and filter, page by page, and a page for each task."""

import base64
import hashlib
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from worktrial.engine.lines import read_lines
from worktrial.errors import DataError
from worktrial.language import JsonObject
from worktrial.language.templates import templates
from worktrial.synthesis.artifacts import SlotRun, TaskDraft
from worktrial.synthesis.clauses.clause import Clause, read_clauses
from worktrial.synthesis.compose.composer import ComposedTask
from worktrial.synthesis.files import read_yaml_as, write_text
from worktrial.synthesis.folder import SuiteFolder
from worktrial.synthesis.proving.truth import Ruling
from worktrial.synthesis.proving.way import ProvedTask
from worktrial.synthesis.review.runs import RunView, pretty, run_view, visible
from worktrial.synthesis.standing import read_standing

if TYPE_CHECKING:
    from jinja2 import Environment

ROWS = 50
"""Tasks on one page of the table."""
KINDS = {
    "plan": "Runs with the plan",
    "solver": "Second worker",
    "free": "Runs that chose it",
    "fresh": "Fresh runs",
}
_FATES = (
    "kept",
    "kept_easy",
    "kept_hard",
    "gate",
    "truth",
    "question",
    "unruled",
    "trivial",
    "too_hard",
    "check_may_misread",
    "invalid",
    "drafted",
)


_TEMPLATES = Path(__file__).with_name("templates")


@dataclass(frozen=True, kw_only=True)
class TaskCard:
    """A task with everything that a page shows of it."""

    id: str
    level: int
    instructions: Mapping[str, str]
    steps: Sequence[JsonObject]
    tools: Sequence[str]
    """Tools of its plan, each once."""
    atoms: Sequence[str] = ()
    """Atoms of its cases."""
    checks: Sequence[tuple[int, str]] = ()
    """Case of each check, -1 for all of them, and its text."""
    rubric: str = ""
    patch: Sequence[JsonObject] = ()
    end: ProvedTask | None
    runs: Mapping[str, Sequence[RunView]]
    """Runs on what the task is now, by their kind in words."""
    ruling: Ruling | None
    clauses: Sequence[tuple[str, Clause | None]]
    file: str
    """The file to edit."""

    @property
    def fate(self) -> str:
        """Fate as its row says it, with what the agent finds it; `drafted` before any run."""
        if self.end is None:
            return "drafted"
        return self.end.fate if self.end.ease == "between" else f"{self.end.fate}_{self.end.ease}"

    @property
    def cited(self) -> list[str]:
        """Ids of the clauses."""
        return [id for id, _ in self.clauses]

    @property
    def words(self) -> str:
        """Text that a search looks in."""
        return " ".join([self.id, self.fate, *self.cited, *self.atoms, *self.instructions.values()]).casefold()

    def checks_of(self, case: int) -> list[tuple[int, str]]:
        """Index and text of the checks of a case; -1 for those of the whole."""
        return [(index, text) for index, (owner, text) in enumerate(self.checks) if owner == case]

    def failures(self, check: int) -> int:
        """Runs in which a check failed, of all kinds."""
        rows = [view.row for views in self.runs.values() for view in views]
        return sum(len(row.checks) > check and not row.checks[check].passed for row in rows)


def write_review(folder: SuiteFolder) -> Path:
    """Write the pages of a suite folder.

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
        page = (
            _environment()
            .get_template("task.html")
            .render(
                title=card.id,
                card=card,
                style=_style(),
                policy=_policy(None),
                kinds=KINDS,
            )
        )
        write_text(place / f"{card.id}.html", page)
    pages = [cards[at : at + ROWS] for at in range(0, len(cards), ROWS)] or [[]]
    names = [_page_name(number) for number in range(len(pages))]
    for stale in folder.review.glob("index-*.html"):
        stale.unlink()
    for number, rows in enumerate(pages):
        page = (
            _environment()
            .get_template("tasks.html")
            .render(
                title=f"Tasks of {folder.root.resolve().name}",
                rows=rows,
                everything=[_entry(card) for card in cards],
                fates=[fate for fate in _FATES if any(card.fate == fate for card in cards)],
                clauses=sorted({id for card in cards for id, _ in card.clauses}),
                counts=_counts(folder),
                standing=read_standing(folder),
                names=names,
                number=number,
                style=_style(),
                script=_script(),
                policy=_policy(_script()),
            )
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
    files = [*(folder.work / "tasks").glob("*.yaml"), *(folder.work / "drafts").glob("*.yaml")]
    cards = []
    for file in sorted(files, key=_number):
        shown = _shown(file)
        end = ends.get(file.stem)
        cited = shown.pop("cited")
        cards.append(
            TaskCard(
                **shown,
                id=file.stem,
                end=end,
                runs=_runs(folder, file.stem, end),
                ruling=rulings.get(end.content) if end is not None else None,
                clauses=[(id, clauses.get(id)) for id in cited],
                file=folder.name_of(file),
            )
        )
    return cards


def _shown(file: Path) -> dict[str, Any]:
    """Fields of a card that stand in the draft."""
    if file.parent.name == "drafts":
        task = read_yaml_as(file, TaskDraft)
        return {
            "cited": task.clauses,
            "level": task.level,
            "instructions": task.instructions,
            "steps": [msgspec.to_builtins(step) for step in task.plan],
            "tools": list(dict.fromkeys(step.tool for step in task.plan)),
            "rubric": task.rubric,
        }
    draft = read_yaml_as(file, ComposedTask)
    of = draft.case_of_check or [-1] * len(draft.checks)
    return {
        "cited": draft.clauses,
        "level": draft.level,
        "instructions": draft.instructions,
        "steps": draft.steps,
        "tools": list(dict.fromkeys(str(step["call"]) for step in draft.steps)),
        "atoms": draft.atoms,
        "checks": [
            (case, msgspec.json.encode(check).decode()) for case, check in zip(of, draft.checks, strict=True)
        ],
        "patch": draft.patch,
    }


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
        "level": card.level,
        "clauses": card.cited,
        "text": next(iter(card.instructions.values())),
        "words": card.words,
    }


def _counts(folder: SuiteFolder) -> list[str]:
    from worktrial.synthesis.worth import described, worth_of

    if not folder.suite.exists():
        return []
    try:
        found = worth_of(folder.suite)
        return described(found) if found is not None else [f"{folder.suite.name} has no `counts`"]
    except DataError as e:
        # The file is a person's to change; the page is shown nevertheless.
        return [f"{folder.suite.name} cannot be read: {e}"]


def _number(path: Path) -> tuple[int, str]:
    tail = path.stem.rsplit("-", 1)[-1]
    return (int(tail) if tail.isdigit() else 0, path.stem)


def _page_name(number: int) -> str:
    return "index.html" if number == 0 else f"index-{number + 1}.html"


@cache
def _script() -> str:
    return (_TEMPLATES / "tasks.js").read_text("utf-8")


@cache
def _style() -> str:
    return (_TEMPLATES / "review.css").read_text("utf-8")


@cache
def _environment() -> "Environment":
    from markupsafe import Markup

    def shown(value: Any) -> Any:
        return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value

    environment = templates(_TEMPLATES, html=True).overlay(finalize=shown)
    environment.filters["pretty"] = pretty
    return environment


def _policy(script: str | None) -> str:
    """The content security policy: nothing from anywhere, no style and no script but ours."""

    def digest(text: str) -> str:
        return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()

    scripts = "" if script is None else f" script-src 'sha256-{digest(script)}';"
    return (
        f"default-src 'none';{scripts} style-src 'sha256-{digest(_style())}'; base-uri 'none'; form-action 'none'"
    )
