"""From documents to a workplace, with what the owner is told; operations of the owner's, proposed and named."""

import asyncio
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.support.folder_author import LIBRARY, answer_of, procedure_in, step_of
from tests.synthesis.authoring.writing import CLAUSES, RUNNER, SPEC
from tests.synthesis.scripted_author import Model, author
from tests.synthesis.sources.interfaces import api, load_api

from worktrial.errors import DataError
from worktrial.synthesis.author import UnusableReplies
from worktrial.synthesis.authoring.brief import AuthorBrief
from worktrial.synthesis.authoring.operations import chosen, named
from worktrial.synthesis.authoring.stage import AuthoredWorkplace, WorkplaceStage, workplace_name
from worktrial.synthesis.clauses import read_clauses
from worktrial.synthesis.clauses.clause import CLAUSES as CLAUSES_FORM
from worktrial.synthesis.folder import ProvenanceLedger, SuiteFolder
from worktrial.synthesis.sources import load
from worktrial.workplaces.handbook import Handbook

NAMED = LIBRARY.operations()


class Session:
    """One session on a suite folder."""

    def __init__(self, root: Path, **more: Any) -> None:
        self.asked: list[str] = []
        self.notes: list[str] = []
        folder = SuiteFolder(root)
        scripted = author(Model(self._reply))
        self.stage = WorkplaceStage(
            folder=folder,
            spec=SPEC,
            sources=load([procedure_in(root.parent / "papers")]),
            author=scripted,
            other=scripted,
            ledger=ProvenanceLedger(folder, warn=self.notes.append),
            runner=RUNNER,
            note=self.notes.append,
            **{"context": 16_000, **more},
        )

    def make(self) -> AuthoredWorkplace:
        return asyncio.run(self.stage.make())

    def _reply(self, prompt: str, count: int) -> Any:
        step = step_of(prompt) or "?"
        self.asked.append(step)
        return answer_of(LIBRARY, prompt) or ""


def test_documents_become_a_workplace_and_the_next_session_asks_for_nothing(tmp_path: Path) -> None:
    first = Session(tmp_path / "suite")
    made = first.make()
    assert first.asked[0] == "clauses"
    assert first.asked[first.asked.index("operations") :] == [
        *("operations", "types", "draw", "rules", "expectations", "tools", "kit", "atoms", "atoms")
    ]
    assert made.place == tmp_path / "suite" / "workplaces" / "clerk_at_a_tool"
    assert [clause.quote.rstrip(".") for clause in made.clauses] == [c.quote.rstrip(".") for c in CLAUSES]
    papers = Handbook(tmp_path / "suite" / "handbook").on({})
    assert {clause.section for clause in made.clauses} <= {paper.section for paper in papers}
    assert (tmp_path / "suite" / "work" / "authoring.jsonl").read_text().count("\n") == 7
    again = Session(tmp_path / "suite")
    assert again.make().clauses == made.clauses
    assert again.asked == []


def test_an_edited_clause_makes_only_what_cites_it_again(tmp_path: Path) -> None:
    made = Session(tmp_path / "suite").make()
    path = tmp_path / "suite" / "clauses.yaml"
    path.write_text(path.read_text().replace("by 14 days", "by 21 days").replace("'14'", "'21'"))
    session = Session(tmp_path / "suite")
    assert session.make().clauses[0].numbers[0].value == "21"
    assert session.asked == ["expectations again", "atoms"]
    assert read_clauses(path)[1:] == list(made.clauses[1:])


def test_clauses_that_a_person_made_contradict_each_other_stop_the_session(tmp_path: Path) -> None:
    made = Session(tmp_path / "suite").make()
    late = made.clauses[0]
    other = msgspec.structs.replace(late, id="C-99", quote=late.quote.replace("14", "21"), numbers=[])
    CLAUSES_FORM.write(tmp_path / "suite" / "clauses.yaml", [*made.clauses, other])
    with pytest.raises(DataError, match="C-99"):
        Session(tmp_path / "suite").make()


def operation(name: str, said: str) -> dict[str, Any]:
    return {"get": {"operationId": name, "description": said, "responses": {}}}


def test_three_hundred_operations_are_too_many_and_a_part_is_proposed(tmp_path: Path) -> None:
    paths = {f"/thing{n}": operation(f"getThing{n}", "Unrelated.") for n in range(300)}
    sources = load_api(tmp_path, api({**paths, "/loan": operation("extendLoan", "Extend a loan by days.")}))
    found, note = chosen(sources, CLAUSES, "loans", most=20)
    assert len(found) == 20
    assert "extendLoan" in {tool.name for tool in found}
    assert "the interface has 301 operations, and an agent is shown 20 at most" in note
    assert "extendLoan" in note
    wanted, silence = chosen(sources, CLAUSES, "loans", ["getThing7", "extendLoan"])
    assert ([tool.name for tool in wanted], silence) == (["getThing7", "extendLoan"], "")
    with pytest.raises(DataError, match="the interface has no getNothing"):
        chosen(sources, CLAUSES, "loans", ["getNothing"])


def test_an_author_that_names_no_useful_operations_is_told_and_stopped() -> None:
    brief = AuthorBrief(SPEC, CLAUSES, (), 8192)
    model = Model([{"operations": [{**NAMED["operations"][1], "name": "get loan"}]}])
    with pytest.raises(UnusableReplies):
        asyncio.run(named(brief, author(model)))
    told = model.corrections[0]
    for part in ("there are 1 operations; 4 to 20", "'get loan' is no name", "no operation changes anything"):
        assert part in told


def test_clauses_stand_under_the_titles_of_their_sections() -> None:
    brief = AuthorBrief(SPEC, CLAUSES, (), 8192, {one.section: "What is never lent" for one in CLAUSES})
    assert f"Section {CLAUSES[0].section}: What is never lent\n{CLAUSES[0].id} [" in brief.prompt(
        "author_types", operations=""
    )


def test_a_workplace_is_called_after_the_job() -> None:
    assert workplace_name(SPEC) == "clerk_at_a_tool"
