"""The leaderboard: who completes how much, at what cost."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from markupsafe import Markup

from worktrial.engine.identity import comparable
from worktrial.engine.record import CLEAN
from worktrial.reports.links import samples_href
from worktrial.reports.report import Report, ReportRun, Section
from worktrial.reports.sections.grouping import Board, boards
from worktrial.reports.sections.wording import NOTHING, caveat, joined, under
from worktrial.results.conclusion import is_reference
from worktrial.results.figure import RunFigures, figures_of
from worktrial.results.writing import NONE, Content, ShownTable, Value, cell_of, counted, dollars, to_html
from worktrial.statistics import Figure

_PARTS = {
    "data": "the data",
    "trial": "the trial",
    "simulator": "the simulator",
    "judge": "the judge",
    "roles": "the models",
    "agent": "the agents' prompts or contexts",
    "faults": "the planned faults",
}


class _Cells:
    """Cells of one run under the condition of its board. What is unknown leads nowhere."""

    def __init__(self, run: ReportRun, condition: str) -> None:
        self._figures: RunFigures = figures_of(run.run)
        self._slug, self._condition = run.slug, condition

    def share(self, name: str, outcome: str = "pass") -> Value:
        """A share of samples, which leads to those that it counts, or to all where it counts none."""
        found = self._of(name)
        return _known(found, self._href(outcome if found.hits else ""))

    def invalid(self) -> Value:
        """Share of samples without a verdict, and how many these are."""
        found = self._of("invalid")
        counts = (f"{found.hits} of {found.n}",) if found.hits else ()
        return replace(self.share("invalid", "invalid"), notes=counts)

    def mean(self, name: str) -> Value:
        """Mean of what a task takes, with what of it was replayed from the request cache."""
        found, told = self._of(name), []
        if name == "cost_per_task":
            agent = self._of("agent_cost_per_task")
            told += [] if agent.value in (None, found.value) else [f"agent alone {dollars(agent.value)}"]
        told += [part for part in found.note.split("; ") if "replayed" in part]
        return Value(_known(found).text, _known(found).sort, self._href(), tuple(told))

    def robustness(self) -> Value:
        """R; of a sweep, what the hardest setting leaves."""
        found = [one for one in self._figures.named("robustness") if one.value is not None]
        if not found or self._condition != CLEAN:
            return cell_of(None)
        worst = min(found, key=lambda one: one.value or 0.0)
        notes = [f"at {worst.group}"] if len(found) > 1 else []
        return cell_of(worst, href=samples_href(self._slug), notes=notes)

    def every_time(self) -> Value:
        """Share of tasks that pass in every try."""
        found = self._of("pass^k")
        return _known(found, self._href(), f"{found.name.removeprefix('pass^')} tries")

    def samples(self) -> Value:
        """Count of samples."""
        return cell_of(self._of("completion").n, href=self._href())

    def _of(self, name: str) -> Figure:
        return self._figures.get(name, self._condition)

    def _href(self, outcome: str = "") -> str:
        asked = {"condition": self._condition} | ({"outcome": outcome} if outcome else {})
        return samples_href(self._slug, asked)


def _known(found: Figure, href: str | None = None, *notes: str) -> Value:
    return Value(NONE, NOTHING) if found.value is None else cell_of(found, href=href, notes=notes)


COLUMNS: dict[str, Callable[[_Cells], Value]] = {
    "Completion": lambda cells: cells.share("completion"),
    "Score": lambda cells: cells.share("score"),
    "Of valid": lambda cells: cells.share("completion_of_valid"),
    "Robustness": _Cells.robustness,
    "pass^k": _Cells.every_time,
    "Cost per task": lambda cells: cells.mean("cost_per_task"),
    "Latency": lambda cells: cells.mean("seconds"),
    "Invalid": _Cells.invalid,
    "Samples": _Cells.samples,
}
"""Columns after the agent's name; but for two, one without any number in a table is left out."""

_ALWAYS = ("Completion", "Samples")


def leaderboard(report: Report) -> Section | None:
    """A table for each group of runs that may be ranked with each other; None without a run of an agent."""
    found = boards(report)
    if not found:
        return None
    parts = [
        Markup(
            "<p>Completion is the share of all samples that passed; one without a verdict counts as not passed. "
            "Small figures are 95% intervals: where they overlap widely, the order of two agents may be chance. "
            "Every figure leads to its samples.</p>"
        )
    ]
    for n, board in enumerate(found):
        parts += [_table(report, board), caveat(_measured(board, found[:n]))]
    return Section("leaderboard", "Leaderboard", joined(parts), is_first=True)


def _table(report: Report, board: Board) -> Markup:
    shown = {run.slug: _Cells(run, board.condition) for run in board.runs}
    columns = {name: [of(cells) for cells in shown.values()] for name, of in COLUMNS.items()}
    kept = {
        name: cells
        for name, cells in columns.items()
        if name in _ALWAYS or any(cell.text != NONE for cell in cells)
    }
    if kept.get("Of valid") == kept.get("Completion"):
        kept.pop("Of valid", None)
    if all(cell.sort == 0 for cell in kept.get("Cost per task", ())):
        # Where nobody asks a model, nothing is paid for.
        kept.pop("Cost per task", None)
    rows: list[list[Content]] = [
        [_name(report, run), *(cells[n] for cells in kept.values())] for n, run in enumerate(board.runs)
    ]
    done = [figures_of(run.run).get("completion", board.condition).value or 0.0 for run in board.runs]
    ranked = [rows[n] for n in sorted(range(len(rows)), key=lambda n: -done[n])]
    return to_html(ShownTable(board.title, ["Agent", *kept], ranked))


def _name(report: Report, run: ReportRun) -> Value:
    notes = ["reference, needs no model"] if is_reference(run.run) else []
    if run.run.missing:
        notes.append(f"unfinished: {run.run.missing} of {run.run.manifest.samples} samples to come")
    return cell_of(run.name, href=report.page_of("runs", f"run-{run.slug}"), notes=notes)


def _measured(board: Board, before: Sequence[Board]) -> str:
    """Common ground of the runs of a board, and why they are apart from the first board of the same suite."""
    manifest = board.runs[0].run.manifest
    settings, roles = manifest.settings, manifest.roles
    parts = [f"data {str(manifest.data.get('fingerprint', 'unknown'))[:12]}"]
    if simulator := roles.get("simulator"):
        parts.append(f"simulator {simulator.get('model')}")
    if judge := roles.get("judge"):
        parts.append(f"judge {judge.get('model')} with {counted(settings.get('votes', 1), 'vote')}")
    told = f"Measured with {', '.join(parts)}{under(board.condition)}."
    for other in before:
        first = other.runs[0].run.manifest
        if first.suite == manifest.suite:
            what = list(dict.fromkeys(_plainly(d.what) for d in comparable(first, manifest))) or ["their set-up"]
            return f"{told} Not to be ranked with {other.title}: they differ in {', '.join(what)}."
    return told


def _plainly(what: str) -> str:
    """Differences of two manifests in words: `faults.conditions` is a path."""
    part, _, rest = what.partition(".")
    return _PARTS.get(part, part) if not rest or part == "faults" else f"{_PARTS.get(part, part)} ({rest})"
