"""Clauses that come, change or go: only what rests on them is written anew."""

import shutil
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest
import yaml
from tests.synthesis.authoring.writing import CLAUSES, Writing

from worktrial.synthesis.authoring.renewing import citing
from worktrial.synthesis.clauses import Clause, clause_numbers

QUOTE = "A trailer is lent to members of full age only."
NEW = msgspec.structs.replace(
    CLAUSES[0], id="C-06", document="answers", section="3", quote=QUOTE, numbers=clause_numbers(QUOTE)
)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Writing:
    writing = Writing(tmp_path_factory.mktemp("library"))
    assert writing.write().failed == {}
    return writing


def again(library: Writing, root: Path, clauses: Sequence[Clause], rules: str = "# NOTHING CHANGES") -> Writing:
    """Another session on a copy of the finished folder, whose author says this of the rules."""

    def slip(step: str, right: str, count: int) -> str | None:
        return rules if step == "rules again" else None

    shutil.copytree(library.root, root)
    return Writing(root, slip, clauses=clauses)


def parts(writing: Writing) -> dict[str, str]:
    return {path.name: path.read_text("utf-8") for path in (writing.root / "work" / "authoring").glob("*.py")}


@pytest.mark.parametrize("clauses", [[*CLAUSES, NEW], [NEW, *CLAUSES]], ids=["behind", "in front"])
def test_a_clause_more_is_shown_with_the_rules_and_everything_else_stays(
    library: Writing, tmp_path: Path, clauses: list[Clause]
) -> None:
    writing = again(library, tmp_path / "again", clauses)
    assert writing.write().failed == {}
    assert sorted(writing.asked) == ["atoms", "expectations again", "rules again"]
    by_step = dict(zip(writing.asked, writing.prompts, strict=True))
    assert "- new: C-06" in by_step["rules again"] and "def _loan(" in by_step["rules again"]
    assert QUOTE in by_step["rules again"]
    # Its cases use the helpers that are there, though its document may come first.
    assert "Write cases for these clauses now: C-06" in by_step["atoms"]
    assert "Helpers that are there already" in by_step["atoms"]
    before, now = parts(library), parts(writing)
    assert set(now) - set(before) == {"atoms-3-1.py"}
    assert {name: now[name] for name in before} == before
    for name in ("tools.py", "draw.py", "expectations.yaml"):
        assert (writing.place / name).read_bytes() == (library.place / name).read_bytes()
    third = again(writing, tmp_path / "third", clauses)
    third.write()
    assert third.asked == []


def test_changed_functions_alone_are_taken_and_only_what_uses_them_is_made_again(
    library: Writing, tmp_path: Path
) -> None:
    reply = (
        '```python\nOF_AGE = ("adult",)\n\n\n@cites("C-06")\ndef may_have(state: State, member_id: str) -> bool:\n'
        '    """Tell whether a member may have a trailer."""\n    return member_id in state.members\n```'
    )
    writing = again(library, tmp_path / "added", [*CLAUSES, NEW], reply)
    made = writing.write()
    assert sorted(writing.asked) == ["atoms", "expectations again", "rules again"]
    assert "def may_have" in made.modules["tools"] and "def _loan" in made.modules["tools"]
    assert made.modules["tools"].index("OF_AGE = ") < made.modules["tools"].index("def may_have")
    # Whose arguments are other ones is called otherwise.
    known = "    if loan_id not in state.loans:\n        raise ToolError('unknown_loan', 'There is none.')\n"
    head = "```python\ndef _loan(state: State, loan_id: str, strict: bool = True) -> Loan:\n"
    writing = again(
        library, tmp_path / "changed", [*CLAUSES, NEW], f"{head}{known}    return state.loans[loan_id]\n```"
    )
    made = writing.write()
    assert sorted(writing.asked) == ["atoms", "expectations again", "rules again", "tools"]
    assert made.modules["tools"].count("def _loan(") == 1 and "There is none." in made.modules["tools"]


def test_a_tool_that_has_to_do_otherwise_is_made_again_with_the_reason(library: Writing, tmp_path: Path) -> None:
    note = "# TOOL extend_loan: it refuses a trailer (C-06)"
    writing = again(library, tmp_path / "again", [*CLAUSES, NEW], note)
    writing.write()
    assert sorted(writing.asked) == ["atoms", "expectations again", "rules again", "tools"]
    assert note in writing.prompts[writing.asked.index("tools")]


def test_a_function_within_another_is_part_of_that_one() -> None:
    inner = '    @cites("C-01")\n    def inner(): ...\n'
    source = f'@cites("C-02")\ndef outer():\n{inner}\n\ndef other(): ...\n'
    assert citing(source, ["C-01"]) == [] and citing(source, ["C-01", "C-02"]) == ["outer"]


def test_tests_of_other_clauses_stay_and_keep_their_names(library: Writing, tmp_path: Path) -> None:
    lost = msgspec.structs.replace(CLAUSES[4], quote=CLAUSES[4].quote.replace("A lost tool", "A tool that is lost"))
    writing = again(library, tmp_path / "again", [*CLAUSES[:4], lost])
    writing.write()
    assert sorted(writing.asked) == ["atoms", "expectations again"], "the rules do not cite it"
    prompt = writing.prompts[writing.asked.index("expectations again")]
    assert "- changed: C-05" in prompt and "no call of charge_loss has to succeed" in prompt
    before, now = (
        {row["id"]: row for row in yaml.safe_load((w.place / "expectations.yaml").read_text("utf-8"))}
        for w in (library, writing)
    )
    gone = set(before) - set(now)
    assert [before[id]["clauses"] for id in gone] == [["C-05"]]
    assert {id: now[id] for id in before.keys() - gone} == {id: before[id] for id in before.keys() - gone}
    assert {now[id]["call"] for id in now.keys() - before.keys()} == {"charge_loss"}


def test_a_clause_that_is_gone_and_that_nothing_cites_costs_nothing(library: Writing, tmp_path: Path) -> None:
    with_it = again(library, tmp_path / "with", [*CLAUSES, NEW])
    with_it.write()
    without = again(with_it, tmp_path / "without", CLAUSES)
    made = without.write()
    assert without.asked == []
    assert made.modules["tools"] == (library.place / "tools.py").read_text("utf-8")


@pytest.mark.parametrize(
    ("first", "why"),
    [
        ("Everything stays as it is.", "is no Python"),
        ("# so be it", "holds nothing that changes; where nothing does, write `# NOTHING CHANGES`"),
        ("# GONE is_late", "is_late: is not there, so it cannot be gone"),
        ("# TOOL lend: it has to ask", "lend: there is no such tool"),
        ("# GONE PAYING", "there is no constant PAYING"),
        ("```python\nLONGEST = 99\n```", "the number 99 stands in no clause"),
    ],
)
def test_an_author_that_changes_rules_wrongly_is_told(
    library: Writing, tmp_path: Path, first: str, why: str
) -> None:
    replies = iter([first])

    def slip(step: str, right: str, count: int) -> str | None:
        return next(replies, None) if step == "rules again" else None

    writing = again(library, tmp_path / "again", [*CLAUSES, NEW])
    writing.slip = slip
    assert writing.write().failed == {}
    (record,) = [step for step in writing.steps if step.step == "rules again"]
    assert record.rounds == 2 and why in record.problems[0]
