"""Brief of an author: the clauses and operations that it is shown, within the context of its model."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from worktrial.language import JsonObject, JsonValue
from worktrial.synthesis.artifacts import JobSpec, ToolDraft
from worktrial.synthesis.authoring.parts import GIVEN
from worktrial.synthesis.clauses.clause import Clause
from worktrial.synthesis.prompting import fenced, language_name, render, tokens, tools_text
from worktrial.synthesis.sources.store import content_words

GROUP = 6
"""Tools that are written in one step, and clauses that one step writes cases for."""
_REPLY = 0.4
"""Share of the context that is kept for the reply and one correction."""
_CLAUSES = 0.5
"""Share of what is left that the clauses may take, where the rest needs it."""
_KEPT_ITEMS = 3
_LONGEST = 160


@dataclass(frozen=True)
class AuthorBrief:
    """Everything that the steps of the authoring are written from.

    Args:
        spec: The job.
        clauses: The clauses that hold, in the order of the documents.
        operations: The owner's operations, as tools; none where the author has to think of them.
        context: Tokens of the author's context.
        titles: Title of each section by its number.
    """

    spec: JobSpec
    clauses: Sequence[Clause]
    operations: Sequence[ToolDraft]
    context: int
    titles: Mapping[str, str] = field(default_factory=dict)

    def prompt(self, template: str, *, about: str = "", **values: object) -> str:
        """A prompt with the job, the rules for code, and the clauses.

        Args:
            template: Its name.
            about: Words of what is written; clauses that share them come first where not all fit.
            values: What else it is filled with; texts that others wrote are fenced already.
        """
        rest = sum(tokens(value) for value in values.values() if isinstance(value, str))
        room = round(self.context * (1 - _REPLY))
        shown = self._fitting(about, max(room - rest, round(room * _CLAUSES)))
        return render(
            template,
            spec=self.spec,
            given=", ".join(GIVEN),
            clauses=fenced("\n".join(self._lines(shown))) if shown else "",
            left_out=len(self.clauses) - len(shown),
            **values,
        )

    def operations_text(self, operations: Sequence[ToolDraft]) -> str:
        """Operations with their schemas, shortened where they would take too much of the context."""
        return (
            fenced(tools_text(operations, round(self.context * (1 - _REPLY) * (1 - _CLAUSES))))
            if operations
            else ""
        )

    @property
    def languages(self) -> str:
        """Codes and names of the languages that tasks are wanted in."""
        return ", ".join(f'"{code}" ({language_name(code)})' for code in self.spec.languages)

    def _lines(self, clauses: Sequence[Clause]) -> Iterator[str]:
        """The clauses, those of a section under its title."""
        above = ""
        for clause in clauses:
            title = self.titles.get(clause.section, "")
            if title and clause.section != above:
                yield f"Section {clause.section}: {title}"
            above = clause.section
            yield clause_line(clause)

    def _fitting(self, about: str, room: int) -> list[Clause]:
        """The clauses that fit, in the order of the documents."""
        size = {clause.id: tokens(clause_line(clause)) for clause in self.clauses}
        room -= sum(tokens(title) for title in self.titles.values())
        if sum(size.values()) <= room:
            return list(self.clauses)
        wanted = frozenset(content_words(about))
        ranked = sorted(
            self.clauses, key=lambda c: -len(wanted & frozenset(content_words(f"{c.quote} {c.applies_when}")))
        )
        kept: set[str] = set()
        for clause in ranked:
            room -= size[clause.id]
            if room < 0:
                break
            kept.add(clause.id)
        return [clause for clause in self.clauses if clause.id in kept]


def clause_line(clause: Clause) -> str:
    """A clause as authors are shown it."""
    when = f"; when {clause.applies_when}" if clause.applies_when else ""
    over = f"; exception to {', '.join(clause.overrides)}" if clause.overrides else ""
    return f"{clause.id} [{clause.kind}; section {clause.section}{when}{over}] “{clause.quote}”"


def sample_of(state: JsonObject) -> str:
    """A state as JSON, a few records of each kind."""
    return fenced(json.dumps(_few(state), ensure_ascii=False, indent=1))


def _few(value: JsonValue, depth: int = 0) -> JsonValue:
    if isinstance(value, dict):
        # Records by id; the fields of one record are all shown.
        many = depth == 1 and len(value) > _KEPT_ITEMS and all(isinstance(one, dict) for one in value.values())
        kept = list(value.items())[:_KEPT_ITEMS] if many else list(value.items())
        shown = {name: _few(part, depth + 1) for name, part in kept}
        return {**shown, "…": f"{len(value) - len(kept)} more"} if many else shown
    if isinstance(value, list):
        shown_items = [_few(part, depth + 1) for part in value[:_KEPT_ITEMS]]
        return [*shown_items, f"… {len(value) - _KEPT_ITEMS} more"] if len(value) > _KEPT_ITEMS else shown_items
    return value if not isinstance(value, str) or len(value) <= _LONGEST else f"{value[:_LONGEST]}…"
