"""The worked example of a private trial: its clauses stand in its procedure."""

from pathlib import Path

from worktrial.synthesis.clauses import clause_numbers, read_clauses
from worktrial.synthesis.clauses.contradictions import contradictions
from worktrial.synthesis.clauses.quotes import place_of
from worktrial.synthesis.clauses.sections import sections_of
from worktrial.synthesis.sources import load

EXAMPLES = Path(__file__).parents[2] / "examples"
SECTIONS = {section.number: section for section in sections_of(load([EXAMPLES / "parcel-claims" / "procedure.md"]))}
CLAUSES = read_clauses(EXAMPLES / "parcel-claims-trial" / "clauses.yaml")


def test_every_clause_is_quoted_word_for_word_and_its_numbers_are_those_of_its_quote() -> None:
    for clause in CLAUSES:
        assert place_of(clause.quote, SECTIONS[clause.section]).quote == clause.quote
        assert clause.numbers == clause_numbers(clause.quote)
    assert not contradictions(CLAUSES)
