"""Texts that plans write, and in their place those of cases with another outcome, which checks have to notice."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from worktrial.language import JsonValue
from worktrial.suites.executable.tasks import ExecutableTask
from worktrial.synthesis.clauses import Clause
from worktrial.synthesis.gates.acts import (
    Variant,
    argument_leaves,
    filled_otherwise,
    free_texts,
    names_act,
    options,
)
from worktrial.synthesis.gates.catalogue import replaced
from worktrial.synthesis.gates.facts import ID_LIKE, id_form, id_like
from worktrial.synthesis.gates.names import GateName
from worktrial.synthesis.gates.work import Call, CarriedOut
from worktrial.workplaces import Workplace
from worktrial.workplaces.values import id_name, scalars

OTHERS = 3
"""Texts of other outcomes that each text is replaced by, no two of which differ in ids alone."""
_SHOWN = 120


@dataclass(frozen=True, slots=True)
class OutcomeText:
    """A text that a write holds, with the outcome that it tells of."""

    tool: str
    path: tuple[str | int, ...]
    text: str
    acts: frozenset[str]
    """Other tools that write on the same record."""
    choices: Mapping[tuple[str, tuple[str | int, ...]], frozenset[str]]
    """Values of closed lists in this write and in those on the same record, by tool and place."""

    def is_opposite(self, other: "OutcomeText") -> bool:
        """Whether the two cases end otherwise: another choice was made, or none of the same acts is done."""
        common = self.choices.keys() & other.choices.keys()
        if any(self.choices[place].isdisjoint(other.choices[place]) for place in common):
            return True
        return bool(self.acts | other.acts) and self.acts.isdisjoint(other.acts)


def outcome_texts(workplace: Workplace, calls: Sequence[Call]) -> Iterator[tuple[int, OutcomeText]]:
    """Texts of four words and more that writes hold, each with the position of its call.

    Args:
        workplace: The workplace.
        calls: Writes of one case or task; references to earlier answers are no texts.
    """
    tools = {name: tool for name, _ in calls if (tool := workplace.tool(name)) is not None and tool.writes}
    texts = [
        index for index, (name, given) in enumerate(calls) if name in tools and any(free_texts(tools[name], given))
    ]
    for index in texts:
        name, given = calls[index]
        tool, own = tools[name], _records(given)
        others = [call for call in calls if call is not calls[index] and call[0] in tools]
        related = [call for call in others if not own.isdisjoint(_records(call[1]))]
        if len(texts) == 1 and not related:
            # A note on a hire tells of the request that was decided: there is no other that could.
            related = others
        acts = frozenset(other for other, _ in related)
        choices: dict[tuple[str, tuple[str | int, ...]], frozenset[str]] = {}
        for other, arguments in (calls[index], *related):
            for path, value, schema in argument_leaves(tools[other].parameters, arguments):
                place = (other, path)
                if options(schema):
                    choices[place] = choices.get(place, frozenset()) | {str(value)}
        for path, text in free_texts(tool, given):
            yield index, OutcomeText(name, path, text, acts - {name}, choices)


def weak_texts(
    task: ExecutableTask, work: CarriedOut, others: Iterable[OutcomeText], clauses: Sequence[Clause]
) -> Iterator[Variant]:
    """The plan with a text that a clause asks for as a case with another outcome has it, about the task's records.

    Args:
        task: What is to be done.
        work: What came of its plan.
        others: Texts of other cases.
        clauses: Say which texts have to be written.
    """
    calls = list(work.calls)
    cited = [clause for clause in clauses if clause.id in task.clauses]
    for place, own in outcome_texts(task.home.artifact, [calls[index] for index in work.writes]):
        index = work.writes[place]
        parts = [part for part in own.path if isinstance(part, str)]
        if not any(names_act(clause.quote, calls[index], parts) for clause in cited):
            continue
        told: dict[str, str] = {}
        for other in others:
            if (other.tool, other.path) == (own.tool, own.path) and own.is_opposite(other):
                told.setdefault(id_form(other.text), other.text)
        told.pop(id_form(own.text), None)
        for text in islice(told.values(), OTHERS):
            other_text = _about_own(text, [own.text, *map(str, scalars(calls[index][1]))])
            how = f"says what a case with another outcome would: {other_text[:_SHOWN]!r}"
            other = replaced(calls[index][1], own.path, other_text)
            yield filled_otherwise(GateName.TEXTS, task, work, index, own.path, other, how, closed=True)


def _records(given: JsonValue) -> set[str]:
    """Ids of records that a call names."""
    if not isinstance(given, dict):
        return set()
    return {value for key, value in given.items() if id_name(key) and isinstance(value, str)}


def _about_own(text: str, own: Sequence[str]) -> str:
    """The text with ids of its own records replaced by those of other texts, kind by kind."""
    ids: dict[str, str] = {}
    for one in own:
        for id in sorted(id_like(one), key=one.find):
            ids.setdefault(id_form(id), id)
    return ID_LIKE.sub(lambda found: ids.get(id_form(found[0]), found[0]), text)
