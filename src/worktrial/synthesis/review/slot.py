"""A slot as its part of the page shows it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import msgspec

from worktrial.language import JsonObject
from worktrial.synthesis import files
from worktrial.synthesis.artifacts import (
    Citation,
    DraftFinding,
    Provenance,
    Reference,
    RepairRow,
    Slot,
    SlotRun,
    TaskDraft,
    WorkplaceDraft,
)
from worktrial.synthesis.files import Form, content_hash
from worktrial.synthesis.review.reading import Standing, SuiteReading, attempt, lines, standing
from worktrial.synthesis.review.runs import RunView, pretty, run_view
from worktrial.synthesis.sources.store import occurs


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One line, with its sign as the first character."""

    kind: Literal["added", "removed", "place", "same"]
    text: str


def diff_lines(diff: str) -> Iterator[DiffLine]:
    """The lines of a unified diff. Before the first `@@` the signs mark file names, not changes."""
    in_hunk = False
    for line in diff.split("\n"):
        if line.startswith("@@"):
            in_hunk = True
            yield DiffLine("place", line)
        elif in_hunk and line.startswith("+"):
            yield DiffLine("added", line)
        elif in_hunk and line.startswith("-"):
            yield DiffLine("removed", line)
        elif not in_hunk and line.startswith(("+++", "---")):
            yield DiffLine("place", line)
        elif line:
            yield DiffLine("same", line)


@dataclass(frozen=True, slots=True)
class CitedPassage:
    """A citation with the passage that it points to."""

    document: str
    place: str
    """Page and headings."""
    quote: str
    passage: str | None
    """Text of the passage; None where there is no such passage."""
    is_exact: bool
    """Whether the quote stands in the passage."""


@dataclass(frozen=True, slots=True)
class StateField:
    """A field of the initial state, beside what is said of it."""

    name: str
    value: str | None
    """Value as JSON; None for a field that is described, but not in the state."""
    description: str | None


@dataclass(frozen=True, slots=True)
class ArtifactOrigin:
    """Origin of an artifact."""

    artifact: str
    file: str
    """Path by which one would open it."""
    record: Provenance | None
    is_edited: bool
    """A person changed it since it was written."""


@dataclass(frozen=True, slots=True)
class Version:
    """Runs on one content under one set of settings."""

    runs: Sequence[RunView]
    counts: bool
    """Whether it is the present one."""
    name: str


@dataclass(frozen=True, kw_only=True)
class SlotView:
    """All that is known of a slot."""

    slot: Slot
    standing: Standing
    reference: Reference | None
    workplace: WorkplaceDraft | None
    task: TaskDraft | None
    state: Sequence[StateField]
    problems: Sequence[DraftFinding]
    versions: Sequence[Version]
    repairs: Sequence[tuple[RepairRow, Sequence[DiffLine]]]
    origins: Sequence[ArtifactOrigin]
    cited: Mapping[tuple[str, str, str], CitedPassage]
    troubles: Sequence[str]

    def citation(self, citation: Citation) -> CitedPassage:
        """Passage that a citation points to."""
        return self.cited[citation.source, citation.passage, citation.quote]

    def file(self, artifact: str) -> str:
        """File to edit to change an artifact."""
        return next(origin.file for origin in self.origins if origin.artifact == artifact)


def slot_view(reading: SuiteReading, slot: Slot) -> SlotView:
    """A slot with whatever of it can be read."""
    folder, troubles = reading.folder, list[str]()
    origins: list[ArtifactOrigin] = []

    def held(name: str, path: Path, form: Form[Any]) -> Any:
        value = attempt(lambda: form.read(path), troubles) if path.exists() else None
        records = reading.provenance.get(folder.name_of(path), [])
        ours = {record.hash for record in records if not record.edited}
        is_edited = value is not None and bool(records) and form.hash(value) not in ours
        if path.exists():
            origins.append(ArtifactOrigin(name, str(path), records[-1] if records else None, is_edited))
        return value

    reference: Reference | None = held("Reference", folder.reference(slot.subtopic), files.REFERENCE)
    workplace: WorkplaceDraft | None = held("Workplace", folder.workplace(slot), files.WORKPLACE)
    task: TaskDraft | None = held("Task", folder.task(slot), files.TASK)
    content = content_hash(workplace, task) if workplace is not None and task is not None else None
    problems = _problems(workplace, task)
    rows = list(lines(folder.runs(slot.id), SlotRun, troubles))
    versions = _versions(rows, content)
    current = [run.row for version in versions if version.counts for run in version.runs]
    repairs = reading.repairs.get(slot.id, [])
    return SlotView(
        slot=slot,
        standing=standing(
            reading.calibrations.get(slot.id),
            reading.rejects.get(slot.id),
            content=content,
            is_begun=workplace is not None or reference is not None,
            problems=problems,
            runs=current,
            rounds=max((r.round for r in repairs if r.after == content), default=0),
        ),
        reference=reference,
        workplace=workplace,
        task=task,
        state=_state(workplace) if workplace is not None else [],
        problems=problems,
        versions=versions,
        repairs=[(repair, list(diff_lines(repair.diff))) for repair in repairs],
        origins=origins,
        cited=_cited(reading, reference) if reference is not None else {},
        troubles=troubles,
    )


def _problems(workplace: WorkplaceDraft | None, task: TaskDraft | None) -> list[DraftFinding]:
    if workplace is None or task is None:
        return []
    # Imported here: the checks bring the schema validator, which a page of references alone does not need.
    from worktrial.synthesis.checks import check_slot

    return check_slot(workplace, task)


def _versions(rows: Sequence[SlotRun], content: str | None) -> list[Version]:
    """The present version first, then the latest. Of each run the last row: one without a verdict is run again."""
    groups: dict[tuple[str, str], dict[tuple[str, int], RunView]] = {}
    for row in rows:
        group = groups.setdefault((row.content, row.settings), {})
        slim = msgspec.structs.replace(row, votes=[], trajectory=None)
        shown = run_view(row)
        group[row.kind, row.number] = RunView(row=slim, votes=shown.votes, events=shown.events)
    # Rows of the settings that were used last: those of others do not count any more.
    last = next((row.settings for row in reversed(rows) if row.content == content), None)
    found = []
    for (of, settings), runs in reversed(groups.items()):
        counts = of == content and settings == last
        why = "present version" if counts else "other models or limits" if of == content else f"version {of[:8]}"
        ordered = sorted(runs.values(), key=lambda run: (run.row.kind != "plan", run.row.number))
        found.append(Version(ordered, counts, why))
    return sorted(found, key=lambda version: not version.counts)


def _state(workplace: WorkplaceDraft) -> list[StateField]:
    """Every field beside what describes it; a description may name a part of a field (`orders[].total`)."""
    left = dict(workplace.state_description)
    rows = []
    for name, value in workplace.initial_state.items():
        about: JsonObject = {key: left.pop(key) for key in list(left) if key == name or _is_part(key, name)}
        said = pretty(about[name] if set(about) == {name} else about) if about else None
        rows.append(StateField(name, pretty(value) if not isinstance(value, str) else f'"{value}"', said))
    return rows + [StateField(name, None, pretty(said)) for name, said in left.items()]


def _is_part(key: str, name: str) -> bool:
    return key.startswith(name) and key[len(name) : len(name) + 1] in (".", "[", "/")


def _cited(reading: SuiteReading, reference: Reference) -> dict[tuple[str, str, str], CitedPassage]:
    names = {file.id: file.name for file in reading.sources.files}
    statements = (statement for part in reference.parts.values() for statement in part)
    found = {}
    for citation in (citation for statement in statements for citation in statement.citations):
        passage = reading.sources.passage(citation.source, citation.passage)
        place = [f"passage {citation.passage}"]
        if passage is not None and passage.page is not None:
            place.insert(0, f"page {passage.page}")
        if passage is not None and passage.heading:
            place.insert(0, " › ".join(passage.heading))
        found[citation.source, citation.passage, citation.quote] = CitedPassage(
            document=names.get(citation.source, citation.source),
            place=", ".join(place),
            quote=citation.quote,
            passage=passage.text if passage is not None else None,
            is_exact=passage is not None and occurs(citation.quote, passage.text),
        )
    return found
