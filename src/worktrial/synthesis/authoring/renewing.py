"""Renewal of what stands: its author is shown it beside other clauses, and gives what these change."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from worktrial.synthesis.clauses.clause import Clause
from worktrial.synthesis.clauses.coverage import citations
from worktrial.synthesis.definitions import definitions, exchanged, words_in
from worktrial.workplaces.executable.source_rules import NOT_PYTHON

KNOWN = "clauses"
"""Name under which the provenance holds the ids of all clauses that an artifact was made from."""
_CITED = "clause "
_NOTHING = "# NOTHING CHANGES"
_GONE = re.compile(r"^[ \t]*# GONE (\w+)", re.MULTILINE)
_TOOL = re.compile(r"^[ \t]*(# TOOL (\w+):.*\S)[ \t]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class ClauseChanges:
    """Ids of clauses by what became of them since an artifact was made."""

    new: Sequence[str]
    changed: Sequence[str]
    """Clauses that it cites and that say something else now."""
    gone: Sequence[str]

    @property
    def told(self) -> str:
        """The changes in lines."""
        rows = (("new", self.new), ("changed", self.changed), ("gone", self.gone))
        return "\n".join(f"- {name}: {', '.join(ids)}" for name, ids in rows if ids)

    def bear_on(self, cited: Collection[str]) -> bool:
        """Whether anything may become of what cites these clauses."""
        return bool(self.new or self.changed or set(self.gone) & set(cited))


def all_known(clauses: Iterable[Clause]) -> dict[str, str]:
    """Entry of the provenance with the ids of all clauses."""
    return {KNOWN: " ".join(sorted(clause.id for clause in clauses))}


def all_cited(hashes: Mapping[str, str]) -> dict[str, str]:
    """Entries of the provenance with the hash of each clause that is cited."""
    return {f"{_CITED}{id}": found for id, found in hashes.items()}


def changes_of(before: Mapping[str, str], now: Mapping[str, str]) -> ClauseChanges | None:
    """Changes of the clauses between two entries of the provenance; None where anything else has changed, too."""
    if _beside_clauses(before) != _beside_clauses(now):
        return None
    known, there = set(before.get(KNOWN, "").split()), set(now.get(KNOWN, "").split())
    cited = {key.removeprefix(_CITED) for key in before if key.startswith(_CITED)}
    other = {id for id in cited if before[f"{_CITED}{id}"] != now.get(f"{_CITED}{id}")}
    return ClauseChanges(sorted(there - known), sorted(other & there), sorted(known - there))


def _beside_clauses(made_from: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in made_from.items() if name != KNOWN and not name.startswith(_CITED)}


def renewed(standing: str, reply: str) -> str:
    """Code with what a reply changes of it: definitions exchanged or added, some gone, notes on tools kept."""
    gone = _GONE.findall(reply)
    code = exchanged(standing, reply, gone) if gone or definitions(reply) else standing
    notes = [line for line in tool_notes(reply) if line not in tool_notes(standing)]
    return "\n".join([code.rstrip("\n"), "", *notes, ""]) if notes else code


def renewal_faults(standing: str, reply: str, tools: Collection[str]) -> list[str]:
    """Reasons why a reply cannot be taken for a change of what stands.

    Args:
        standing: The code as it is.
        reply: Changes of it.
        tools: Names of all tools.
    """
    try:
        given = definitions(reply)
    except NOT_PYTHON as e:
        return [f"is no Python ({type(e).__name__}: {e})"]
    gone, notes = _GONE.findall(reply), _TOOL.findall(reply)
    if not (given or gone or notes) and _NOTHING not in reply:
        return [f"the reply holds nothing that changes; where nothing does, write `{_NOTHING}`"]
    there = {name for one in definitions(standing) for name in one.names}
    problems = [f"{name}: is not there, so it cannot be gone" for name in gone if name not in there]
    problems += [f"{name}: there is no such tool" for _, name in notes if name not in tools]
    if problems:
        return problems
    left = renewed(standing, reply)
    return [f"{name}: is gone, and still used" for name in gone if name in words_in(left)]


def tool_notes(source: str, tools: Collection[str] | None = None) -> list[str]:
    """Lines of a module of rules that say what tools have to do otherwise; of all tools, or of some."""
    return [line for line, name in _TOOL.findall(source) if tools is None or name in tools]


def citing(source: str, clauses: Collection[str]) -> list[str]:
    """Names of the functions at the top of a module that cite one of the clauses."""
    top = {name for one in definitions(source) for name in one.names}
    return [name for name, ids in citations(source).items() if name in top and not set(ids).isdisjoint(clauses)]
