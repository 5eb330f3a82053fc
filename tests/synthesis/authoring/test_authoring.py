"""A workplace written step by step, by good authors and bad ones, in one go and in several."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from tests.synthesis.authoring.writing import CLAUSES, RUNNER, Writing

from worktrial.synthesis.authoring.asking import MENDS, UnusableCode, code_in
from worktrial.synthesis.clauses import clause_numbers
from worktrial.synthesis.gates.door import Door
from worktrial.synthesis.gates.expectations import failed_expectations, read_expectations
from worktrial.workplaces.executable.code import CodeWorkplace

STEPS = ["types", "draw", "rules", "expectations", "tools", "kit", "atoms", "atoms"]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Writing:
    writing = Writing(tmp_path_factory.mktemp("library"))
    made = writing.write()
    assert (made.failed, made.unsuitable) == ({}, {})
    return writing


def test_a_good_author_is_asked_once_for_each_step_and_the_folder_is_a_workplace(library: Writing) -> None:
    assert library.asked == STEPS
    assert {record.rounds for record in library.steps} == {1}
    home = CodeWorkplace.read(library.place, runner=RUNNER)
    assert [tool.name for tool in home.artifact.tools][:2] == ["get_today", "get_loan"]
    assert len(home.artifact.initial_state["members"]) == 40
    assert asyncio.run(home.draw(5)) == asyncio.run(home.draw(5)) != home.artifact.initial_state
    assert sorted(path.name for path in library.place.iterdir()) == [
        "atoms.py",
        "draw.py",
        "expectations.yaml",
        "initial_state.yaml",
        "tools.py",
        "workplace.yaml",
    ]


def test_authors_see_the_quotes_in_order_and_the_tester_sees_no_rules(library: Writing) -> None:
    by_step = dict(zip(library.asked, library.prompts, strict=True))
    places = [by_step["rules"].index(clause.quote) for clause in CLAUSES]
    assert places == sorted(places)
    assert "raise ToolError" not in by_step["expectations"]
    assert '"L-1001"' in by_step["tools"]


def test_authors_of_cases_see_signatures_the_rules_that_they_need_and_the_helpers_that_are_there(
    library: Writing,
) -> None:
    by_step = list(zip(library.asked, library.prompts, strict=True))
    kit, *groups = [prompt for step, prompt in by_step if step in ("kit", "atoms")]
    for prompt in (kit, *groups):
        assert "free_id(taken: Sequence[str] | dict[str, Any], form: str, random: Random) -> str" in prompt
        assert "Situation(*, records: list[str]" in prompt
        # The example keeps the rules that it is shown beside.
        assert "free = [id for id" not in prompt
        shown = prompt.partition("Helpers that are there already")[2]
        assert ("def _quiet(" in shown) is (prompt is not kit) and "def plain_extension" not in shown
    (module,) = library.root.glob("workplaces/*/atoms.py")
    assert module.read_text("utf-8").count("def _quiet(") == 1


def test_authors_of_cases_are_told_what_checks_mean_and_what_not_to_pin(library: Writing) -> None:
    prompt = library.prompts[library.asked.index("atoms")]
    assert "at_least is 1 where it is left out" in prompt
    assert "a `Situation` cannot be changed once it is made" in prompt
    assert "A value that no clause fixes is never pinned" in prompt
    assert '"damage" is not found in "damaged"' in prompt
    assert "checked as a set" in prompt


def again(library: Writing, tmp_path: Path, **changed: object) -> Writing:
    """Another session on a copy of the finished folder."""
    import shutil

    shutil.copytree(library.root, tmp_path / "again")
    return Writing(tmp_path / "again", **changed)  # type: ignore[arg-type]


def test_a_finished_workplace_is_not_asked_for_again(library: Writing, tmp_path: Path) -> None:
    writing = again(library, tmp_path)
    writing.write()
    assert writing.asked == []


def test_only_what_cites_an_edited_clause_is_made_again(library: Writing, tmp_path: Path) -> None:
    quote = "A lost tool is charged at its price less 15 percent of that price for each full year"
    edited = msgspec.structs.replace(CLAUSES[4], quote=quote, numbers=clause_numbers(quote))
    writing = again(library, tmp_path, clauses=[*CLAUSES[:4], edited])
    writing.write()
    assert writing.asked == ["expectations again", "atoms"]
    assert edited.quote in writing.prompts[-1]


def test_what_a_person_changed_is_kept(library: Writing, tmp_path: Path) -> None:
    writing = again(library, tmp_path)
    tools = writing.place / "tools.py"
    tools.write_text(tools.read_text().replace("There is no loan", "Nobody knows a loan"))
    made = writing.write()
    assert "Nobody knows a loan" in made.modules["tools"]
    assert "Nobody knows a loan" in tools.read_text()


BAD = {
    "never compiles": ("def draw(random: Random -> State:\n    return", "is no Python"),
    "imports os": ("import os\n\ndef draw(random: Random) -> State:\n    return os.environ", "imports os"),
    "prints secrets": ("def draw(random: Random) -> State:\n    print('sk-secret')", "prints"),
    "opens files": ("def draw(random: Random) -> State:\n    return open('/etc/passwd').read()", "uses open"),
    "draws nothing": (
        "def draw(random: Random) -> State:\n    return State('2031-05-20T09:00', {}, {}, {})",
        "the same state",
    ),
    "writes no function": ("TODAY = date(2031, 5, 20)", "there is no function `draw"),
    "says nothing": ("", "holds no code"),
    "raises": ("def draw(random: Random) -> State:\n    return State(1 / 0)", "ZeroDivisionError"),
}


@pytest.mark.parametrize(("source", "why"), BAD.values(), ids=BAD)
def test_an_author_that_never_mends_its_code_is_stopped_by_name(tmp_path: Path, source: str, why: str) -> None:
    writing = Writing(tmp_path, lambda step, right, count: f"```python\n{source}\n```" if step == "draw" else None)
    with pytest.raises(UnusableCode) as stopped:
        writing.write()
    assert str(stopped.value).startswith(
        f"draw: scripted wrote no code that can be used in {MENDS + 1} tries. The last: "
    )
    assert why in str(stopped.value)
    assert "Traceback" not in str(stopped.value)
    assert "sk-secret" not in str(stopped.value)
    # The rules do not wait for it.
    assert sorted(writing.asked) == sorted(["types", "rules", *["draw"] * (MENDS + 1)])
    assert [(step.step, step.rounds) for step in writing.steps if not step.usable] == [("draw", MENDS + 1)]


def test_an_endless_loop_is_ended_and_mended(tmp_path: Path) -> None:
    endless = "```python\ndef draw(random: Random) -> State:\n    while True:\n        pass\n```"
    writing = Writing(tmp_path, lambda step, right, count: endless if step == "draw" and count == 1 else None)
    assert writing.write().failed == {}
    (drawn,) = [record for record in writing.steps if record.step == "draw"]
    assert drawn.rounds == 2
    assert "took more than 2,000,000 steps" in drawn.problems[0]


SLIPS = {
    "number": ("rules", "\n\nLONGEST = 99\n", "the number 99 stands in no clause"),
    "clause": (
        "rules",
        '\n\n@cites("C-77")\ndef odd(state: State) -> int:\n    return 0\n',
        "cites C-77, which is no clause",
    ),
    "paying": ("rules", "\n\nPAYING = [None]\n", "there is no constant PAYING = "),
    "outcomes": ("rules", "\n\nOUTCOMES = ['PAID']\n", "there is no constant OUTCOMES = "),
    "one outcome": ("rules", "\n\nOUTCOMES = {'PAID': 'paid'}\n", "OUTCOMES has 1 codes; name 2 to 30"),
    "same outcome": ("rules", "\n\nOUTCOMES = {'PAID': 'paid', 'DONE': 'Paid'}\n", "DONE and PAID mean the same"),
    "words": ("rules", "\n\nOUTCOMES = {'PAID': 'paid', 'not yet': 'waits'}\n", "'not yet' is no code in capitals"),
    "twice": ("tools", "\n\nclass Loan(Struct):\n    x: int\n", "Loan is defined already"),
    "name": ("tools", "\n\nDUE = some_name\n", "name 'some_name' is not defined"),
    "typed": (
        "atoms",
        "\n\ndef _fee(loan_id: str) -> dict[str, object]:\n"
        '    return {"check": "state_number", "at": pointer("loans", loan_id, "fee"), "value": 178.4}\n',
        "_fee: a check asks for 178.4, which stands in no clause",
    ),
}


@pytest.mark.parametrize(("step", "added", "why"), SLIPS.values(), ids=SLIPS)
def test_a_slip_is_told_in_words_and_mended(tmp_path: Path, step: str, added: str, why: str) -> None:
    def slip(asked: str, right: str, count: int) -> str | None:
        return right.replace("```\n", f"{added}```\n") if asked == step and count == 1 else None

    writing = Writing(tmp_path, slip)
    assert writing.write().failed == {}
    (record,) = [record for record in writing.steps if record.rounds == 2]
    assert record.step.startswith(step)
    assert why in record.problems[0]


TOOLS = {
    "missing": ("def get_tool(", "def get_instrument(", "there is no function get_tool"),
    "unmarked": ('@reads(tool_id="T-11")\n', "", "get_tool is not marked"),
    "argument": ("due: str)", 'due: str = "")', "due may not be left out, so give no default"),
    "writes": ('@writes(loan_id="L-1001", due', '@reads(loan_id="L-1001", due', "has to be marked @writes"),
    "crash": (
        """    if member_id not in state.members:
        raise ToolError("unknown_member", f"There is no member {member_id}.")
""",
        "",
        "KeyError",
    ),
}


@pytest.mark.parametrize(("right", "wrong", "why"), TOOLS.values(), ids=TOOLS)
def test_tools_are_held_against_the_owners_interface(tmp_path: Path, right: str, wrong: str, why: str) -> None:
    def slip(asked: str, said: str, count: int) -> str | None:
        return said.replace(right, wrong) if asked == "tools" and count == 1 else None

    writing = Writing(tmp_path, slip)
    assert writing.write().failed == {}
    (record,) = [record for record in writing.steps if record.rounds == 2]
    assert why in "; ".join(record.problems)


def loses_extensions(asked: str, right: str, count: int) -> str | None:
    """The right tools, but for one that forgets what it has done; `count` says for how many versions."""
    return right.replace("    loan.extended = True\n", "") if asked == "tools" and count <= 1 else None


def test_an_acceptance_test_that_fails_is_told_with_its_clause_and_mended(tmp_path: Path) -> None:
    writing = Writing(tmp_path, loses_extensions)
    assert writing.write().failed == {}
    (record,) = [record for record in writing.steps if record.rounds == 2]
    assert (
        "the acceptance test E-08 fails: extend_loan: leaves False at /loans/L-1001/extended" in record.problems[0]
    )
    assert "A loan may be extended once" in record.problems[0]


def test_a_dispute_and_an_author_that_insists_leave_the_finding_to_the_gate(tmp_path: Path) -> None:
    def disputes(asked: str, right: str, count: int) -> str | None:
        wrong = loses_extensions(asked, right, 1)
        return wrong.replace("```\n", "# DISPUTED E-08: the clause says nothing of it\n```\n") if wrong else None

    for name, slip, rounds in (
        ("disputes", disputes, 1),
        ("insists", lambda a, r, c: loses_extensions(a, r, 1), 3),
    ):
        writing = Writing(tmp_path / name, slip)
        assert writing.write().failed == {}
        (record,) = [record for record in writing.steps if record.step.startswith("tools")]
        assert record.rounds == rounds
        expected = read_expectations(writing.place / "expectations.yaml")
        door = Door(CodeWorkplace.read(writing.place, runner=RUNNER))
        (finding,) = asyncio.run(failed_expectations(door, expected, {}))
        assert "/loans/L-1001/extended" in finding.what


def crashes_on_no_date(asked: str, right: str, count: int) -> str | None:
    """The right tools, but for one that reads its date without a look at it; `count` says for how many versions."""
    reading = "    loan.due = date.fromisoformat(due).isoformat()\n"
    return right.replace("    loan.due = due\n", reading) if asked == "tools" and count <= 1 else None


@pytest.mark.parametrize("insists", [False, True])
def test_what_the_gates_find_in_a_tool_is_told_once(tmp_path: Path, insists: bool) -> None:
    writing = Writing(tmp_path, lambda a, r, c: crashes_on_no_date(a, r, 1 if insists else c))
    made = writing.write()
    assert made.failed == {}
    (record,) = [record for record in writing.steps if record.step.startswith("tools")]
    assert record.rounds == 2
    assert record.problems[0].startswith("extend_loan: raised")
    assert "ValueError" in record.problems[0] and "(gate bad-calls)" in record.problems[0]
    # Whoever insists leaves it to those who decide what is published.
    assert ("fromisoformat(due)" in made.modules["tools"]) is insists


def test_cases_that_do_not_hold_when_they_are_played_cost_only_their_group(tmp_path: Path) -> None:
    def slip(asked: str, right: str, count: int) -> str | None:
        return right.replace('"charge_loss"', '"charge_twice"') if asked == "atoms" else None

    made = Writing(tmp_path, slip).write()
    assert set(made.failed) == {"atoms-2-1"}
    assert "charge_twice" in made.failed["atoms-2-1"]
    assert "plain_extension" in made.modules["atoms"]
    assert "lost_tool" not in made.modules["atoms"]


def own_helpers(asked: str, right: str, count: int) -> str | None:
    """No kit, so that each group of cases brings its helpers, and can err in them."""
    return "# NO HELPERS: each case is another" if asked == "kit" else None


def without_the_due_date(asked: str, right: str, count: int) -> str | None:
    check = '{"check": "state_equals", "at": pointer("loans", loan_id, "due"), "value": due}'
    return right.replace(check, "") if asked == "atoms" and check in right else None


def with_a_check_of_the_answer(asked: str, right: str, count: int) -> str | None:
    check = '"value": due}],'
    words = '"value": due}, {"check": "answer_mentions", "any_of": [str(due)]}],'
    return right.replace(check, words) if asked == "atoms" and check in right else None


def without_the_amount(asked: str, right: str, count: int) -> str | None:
    line = '"outcome": "EXTENDED", "amount": 0,'
    return right.replace(line, '"outcome": "EXTENDED",') if asked == "atoms" and line in right else None


@pytest.mark.parametrize(
    ("slip", "why"),
    [
        (without_the_due_date, "plain_extension: all checks pass"),
        (with_a_check_of_the_answer, "plain_extension: atoms.py: a situation holds a check answer_mentions"),
        (without_the_amount, "plain_extension: all checks pass when L-"),
    ],
)
def test_an_author_of_cases_hears_what_its_checks_let_pass_and_what_they_refuse(
    tmp_path: Path, slip: Callable[[str, str, int], str | None], why: str
) -> None:
    told: list[str] = []

    def once(asked: str, right: str, count: int) -> str | None:
        wrong = None if told else slip(asked, right, count)
        told.extend([asked] if wrong else [])
        return wrong or own_helpers(asked, right, count)

    writing = Writing(tmp_path, once)
    assert writing.write().failed == {}
    (record,) = [record for record in writing.steps if record.rounds == 2]
    assert record.step.startswith("atoms")
    assert why in record.problems[0]


def test_an_author_of_cases_that_insists_leaves_them_to_the_gates(tmp_path: Path) -> None:
    writing = Writing(tmp_path, lambda *said: without_the_due_date(*said) or own_helpers(*said))
    made = writing.write()
    assert made.failed == {}
    (record,) = [record for record in writing.steps if record.rounds > 1]
    assert (record.step.startswith("atoms"), record.rounds) == (True, 4)
    assert "plain_extension" in made.modules["atoms"]


def test_an_operation_that_cannot_be_code_is_left_out_with_its_reason(tmp_path: Path) -> None:
    def slip(asked: str, right: str, count: int) -> str | None:
        if asked == "tools":
            return (
                right.replace("```\n", "# UNSUITABLE get_today: it is a mood\n```\n")
                .replace("def get_today", "def _g1_today")
                .replace("@reads()\n", "")
            )
        return None

    made = Writing(tmp_path, slip).write()
    assert made.unsuitable == {"get_today": "it is a mood"}
    assert "get_today" not in made.modules["tools"].replace("UNSUITABLE get_today", "")


def test_a_small_context_shows_the_clauses_that_have_most_to_do_with_the_step(tmp_path: Path) -> None:
    quote = "The kitchen of the workshop is cleaned every Friday by whoever cooked there"
    many = [
        msgspec.structs.replace(CLAUSES[0], id=f"C-{n}", quote=f"{quote}, rota {n}", numbers=[])
        for n in range(100, 190)
    ]
    writing = Writing(tmp_path, clauses=[*many, *CLAUSES])
    writing.write(context=4096)
    tools = writing.prompts[writing.asked.index("tools")]
    assert "have less to do with this part are left out" in tools
    assert CLAUSES[0].quote in tools


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        ("Here:\n```python\nx = 1\n```\nDone.", "x = 1\n"),
        ("```py\nx = 1\n```\nand\n```\ny = 2\n```", "x = 1\n\n\ny = 2\n"),
        ("```json\n{}\n```\n```python\nx = 1\n```", "x = 1\n"),
        ("x = 1", "x = 1"),
        ("Sure.\n```python\nx = 1\n", "x = 1\n"),
    ],
)
def test_code_is_read_from_fences_or_from_the_whole_reply(reply: str, code: str) -> None:
    assert code_in(reply) == code


def test_an_author_of_cases_hears_once_that_a_refusal_gives_itself_away(tmp_path: Path) -> None:
    def illicit(asked: str, right: str, count: int) -> str | None:
        asks = "request=_request(state, loan_id, member, random),\n        patch=[*plant"
        told = 'request={"en": f"Kindly tolerate a forbidden prolongation: {loan_id}", "ko": f"{loan_id} 부탁"},'
        return right.replace(asks, f"{told}\n        patch=[*plant") if asked == "atoms" and asks in right else None

    writing = Writing(tmp_path, lambda *said: illicit(*said) or own_helpers(*said))
    made = writing.write()
    (record,) = [record for record in writing.steps if record.rounds > 1]
    assert (record.step.startswith("atoms"), record.rounds, made.failed) == (True, 2, {})
    assert "what it asks (en) is worded as nothing" in record.problems[0]
