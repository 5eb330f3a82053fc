"""The worked example of a private trial: its clauses stand in its procedure, its desk does what they say."""

import asyncio
from collections import Counter
from pathlib import Path

from tests.support.folder_author import PARCEL_CLAIMS
from tests.synthesis.authoring.writing import Writing

from worktrial.synthesis.clauses import clause_numbers, read_clauses
from worktrial.synthesis.clauses.contradictions import contradictions
from worktrial.synthesis.clauses.coverage import citations
from worktrial.synthesis.clauses.quotes import place_of
from worktrial.synthesis.clauses.sections import sections_of
from worktrial.synthesis.gates.door import Door
from worktrial.synthesis.gates.expectations import failed_expectations, missing_ways, read_expectations
from worktrial.synthesis.sources import load
from worktrial.workplaces.executable.code import CodeWorkplace

EXAMPLES = Path(__file__).parents[2] / "examples"
SECTIONS = {section.number: section for section in sections_of(load([EXAMPLES / "parcel-claims" / "procedure.md"]))}
DESK = PARCEL_CLAIMS.workplace
CLAUSES = read_clauses(PARCEL_CLAIMS.folder / "clauses.yaml")


def test_every_clause_is_quoted_word_for_word_and_its_numbers_are_those_of_its_quote() -> None:
    for clause in CLAUSES:
        assert place_of(clause.quote, SECTIONS[clause.section]).quote == clause.quote
        assert clause.numbers == clause_numbers(clause.quote)
    assert not contradictions(CLAUSES)


def test_the_desk_is_what_an_author_writes_from_the_procedure_and_the_interface(tmp_path: Path) -> None:
    """Every step is compiled, held against clauses and interface, run and played; each case holds as a task."""
    interface = [one.tool for one in load([EXAMPLES / "parcel-claims" / "api.yaml"]).operations]
    writing = Writing(tmp_path, clauses=CLAUSES, written=PARCEL_CLAIMS, interface=interface)
    written = writing.write()
    assert (written.failed, written.unsuitable) == ({}, {})
    assert Counter(writing.asked) == {
        "types": 1,
        "draw": 1,
        "rules": 1,
        "tools": 2,
        "expectations": 2,
        "kit": 1,
        "atoms": 13,
    }
    assert [len(written.initial_state[name]) for name in ("parcels", "claims")] == [51, 51]


def test_rules_and_cases_cite_every_clause_that_a_program_can_decide() -> None:
    cited = {
        id
        for name in ("tools", "rules", "atoms")
        for ids in citations((DESK / f"{name}.py").read_text()).values()
        for id in ids
    }
    left = {clause.id for clause in CLAUSES} - cited
    assert left == {
        *("C-01", "C-02", "C-10", "C-18", "C-19", "C-24", "C-26", "C-43", "C-45", "C-49", "C-50", "C-51", "C-52"),
    }


def test_what_the_acceptance_test_expects_of_the_desk_holds() -> None:
    home = CodeWorkplace.read(DESK)
    expectations = read_expectations(DESK / "expectations.yaml")
    assert asyncio.run(failed_expectations(Door(home), expectations, {})) == []
    assert missing_ways(home.artifact, expectations, home.examples) == []
