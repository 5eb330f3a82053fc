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
from worktrial.synthesis.clauses.clause import Clause, stored_clauses
from worktrial.synthesis.compose.composer import ComposedTask
from worktrial.synthesis.files import read_yaml_as, write_text
from worktrial.synthesis.folder import SuiteFolder
from worktrial.synthesis.proving.truth import Ruling
from worktrial.synthesis.proving.way import ProvedTask
from worktrial.synthesis.review.runs import RunView, pretty, visible
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
    *("kept", "kept_easy", "kept_hard", "gate", "truth", "question", "unruled", "trivial", "too_hard"),
    *("check_may_misread", "invalid", "drafted"),
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
    def entry(self) -> dict[str, object]:
        """The task as the search of the page knows it, `words` being the text that it looks in."""
        words = " ".join([self.id, self.fate, *self.cited, *self.atoms, *self.instructions.values()]).casefold()
        text = next(iter(self.instructions.values()))
        known = {"id": self.id, "fate": self.fate, "level": self.level, "clauses": self.cited}
        return {**known, "text": text, "words": words}

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
        write_text(place / f"{card.id}.html", _rendered("task.html", title=card.id, card=card, kinds=KINDS))
    pages = [cards[at : at + ROWS] for at in range(0, len(cards), ROWS)] or [[]]
    names = ["index.html", *(f"index-{number}.html" for number in range(2, len(pages) + 1))]
    for stale in folder.review.glob("index-*.html"):
        stale.unlink()
    for number, rows in enumerate(pages):
        page = _rendered(
            "tasks.html",
            script=(_TEMPLATES / "tasks.js").read_text("utf-8"),
            title=f"Tasks of {folder.root.resolve().name}",
            rows=rows,
            everything=[card.entry for card in cards],
            fates=[fate for fate in _FATES if any(card.fate == fate for card in cards)],
            clauses=sorted({id for card in cards for id, _ in card.clauses}),
            counts=_counts(folder),
            standing=read_standing(folder),
            names=names,
            number=number,
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
    clauses = {clause.id: clause for clause in stored_clauses(folder.clauses)}
    files = [*(folder.work / "tasks").glob("*.yaml"), *(folder.work / "drafts").glob("*.yaml")]

    def number(path: Path) -> tuple[int, str]:
        tail = path.stem.rsplit("-", 1)[-1]
        return (int(tail) if tail.isdigit() else 0, path.stem)

    cards = []
    for file in sorted(files, key=number):
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
            "tools": task.tools,
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
    views = [RunView(row) for row in last.values()]
    return {said: [view for view in views if view.row.kind == kind] for kind, said in KINDS.items()}


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


@cache
def _environment() -> "Environment":
    from markupsafe import Markup

    def shown(value: Any) -> Any:
        return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value

    environment = templates(_TEMPLATES, html=True).overlay(finalize=shown)
    environment.filters["pretty"] = pretty
    return environment


def _rendered(template: str, *, script: str | None = None, **values: Any) -> str:
    """A page, with a content security policy: nothing from anywhere, no style and no script but ours."""

    def digest(text: str) -> str:
        return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()

    style = (_TEMPLATES / "review.css").read_text("utf-8")
    scripts = "" if script is None else f" script-src 'sha256-{digest(script)}';"
    policy = f"default-src 'none';{scripts} style-src 'sha256-{digest(style)}'; base-uri 'none'; form-action 'none'"
    page = _environment().get_template(template)
    return page.render(**values, style=style, script=script, policy=policy)
