"""The record of one clause, and the file `clauses.yaml` of a suite folder."""

from collections import Counter
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from worktrial.errors import DataError
from worktrial.synthesis.artifacts import Text
from worktrial.synthesis.clauses.numbers import ClauseNumber, clause_numbers
from worktrial.synthesis.files import Form, hash_of, read_yaml_as, to_yaml, write_text

ClauseKind = Literal[
    "obligation", "prohibition", "limit", "deadline", "amount", "code", "exception", "definition", "permission"
]
SHORTEST, LONGEST = 2, 60
"""Words of a quote."""
IN_A_SENTENCE = 3
"""Fewest words of a quote that is not all of a table's cell or of a list's item."""


class Clause(msgspec.Struct, kw_only=True, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One obligation, limit, deadline, amount, code or exception of a document, in the document's own words."""

    id: Annotated[str, msgspec.Meta(pattern=r"^C-\d{2,4}$")]
    """`C-07`; numbered in the order of the documents."""
    document: Text
    """Id of its document."""
    section: Text
    """Number of the handbook section in which it stands."""
    page: int | None = None
    """1-based, in documents that have pages."""
    quote: Text
    """Words of the section, verbatim but for white space: 2 to 60 of them."""
    kind: ClauseKind
    numbers: list[ClauseNumber] = []
    """The quote's numbers, read from it in code."""
    applies_when: str = ""
    """The situation in which it counts; "" where it always does."""
    overrides: list[str] = []
    """Ids of the clauses to which it is an exception."""
    private: bool = False
    """Whether it serves the checks only, and the agent cannot read it."""


def read_clauses(path: Path) -> list[Clause]:
    """The clauses in a YAML file, in its order. Numbers that it leaves out are read from the quotes.

    Raises:
        DataError: there is no such file, a field is missing or of another kind, an id is given twice, a quote is
            too short or too long, a number does not stand in its quote, or one is overridden that is not there.
    """
    clauses = [_complete(path, clause) for clause in read_yaml_as(path, list[Clause])]
    counts = Counter(clause.id for clause in clauses)
    for id, count in counts.items():
        if count > 1:
            raise DataError(path, f"{id} is there {count} times", "Give each clause an id of its own")
    for clause in clauses:
        if strange := [id for id in clause.overrides if id not in counts or id == clause.id]:
            fix = "Name other clauses of this file"
            raise DataError(path, f"{clause.id}: overrides {', '.join(strange)}, which it cannot", fix)
    return clauses


def stored_clauses(path: Path) -> list[Clause]:
    """The clauses in a file, as `read_clauses`; [] where there is none."""
    return read_clauses(path) if path.is_file() else []


CLAUSES: Form[list[Clause]] = Form(read_clauses, lambda path, clauses: write_text(path, to_yaml(clauses)), hash_of)


def quote_problem(quote: str) -> str | None:
    """Fault of a quote, whatever it is from: too few words or too many. None where there is none."""
    words = len(quote.split())
    if not SHORTEST <= words <= LONGEST:
        return f"the quote has {words} words; {SHORTEST} to {LONGEST} are wanted"
    return None


def _complete(path: Path, clause: Clause) -> Clause:
    if problem := quote_problem(clause.quote):
        raise DataError(path, f"{clause.id}: {problem}", "Quote the sentence that says it, word for word")
    read = clause_numbers(clause.quote)
    if not clause.numbers:
        return msgspec.structs.replace(clause, numbers=read)
    if strange := [number.value for number in clause.numbers if number not in read]:
        what = f"{clause.id}: the number {', '.join(strange)} is not what its quote says"
        said = ", ".join(f"{number.value} {number.unit}".strip() for number in read) or "no number"
        raise DataError(path, what, f"The quote says {said}; leave `numbers` out to have them read from it")
    return clause
