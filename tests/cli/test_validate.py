"""`worktrial validate`."""

import json
from pathlib import Path

import pytest
from tests.support.cli import command
from tests.support.tool_hire.shop import write_folder

from worktrial.suites.starter import StarterSuite, suite
from worktrial.suites.validate import validate_suite
from worktrial.synthesis.artifacts import PassRate, TaskDraft
from worktrial.synthesis.files import to_yaml
from worktrial.synthesis.proving.way import ProvedTask
from worktrial.synthesis.worth import worth


def test_the_starter_suite_tells_work_from_idleness() -> None:
    ran = command("validate", "starter")
    assert ran.code == 0, ran.out
    total = str(len(suite.load_tasks()))
    rows = [line.replace("│", " ").split() for line in ran.out.splitlines() if "every task" in line]
    assert rows == [
        ["plan", "pass", "every", "task", total, "0", "0", "0"],
        ["idle", "fail", "every", "task", "0", total, "0", "0"],
        ["spam", "fail", "every", "task", "0", total, "0", "0"],
    ]
    gates = {cells[0]: cells[2] for line in ran.out.splitlines() if len(cells := line.split("│")[1:4]) == 3}
    counts = {gate.strip(): count.strip() for gate, count in gates.items()}
    assert (counts["plan-minus-write"], counts["spam-fails"]) == ("0", "0")
    assert "changed rules were noticed" in ran.out


def test_a_task_that_its_plan_does_not_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    good, other, *_ = suite.load_tasks()
    # The other task's checks cannot be met by this task's plan.
    broken = good.model_copy(update={"checks": other.checks})
    monkeypatch.setattr(StarterSuite, "load_tasks", lambda self: (broken, other))
    monkeypatch.setattr(StarterSuite, "candidates", lambda self, options: (broken, other))
    plan, idle, spam = validate_suite(suite)
    assert [record.sample for record in plan.wrong] == [broken.id]
    assert [*idle.wrong, *spam.wrong] == []
    ran = command("validate", "starter")
    assert ran.code == 1
    assert f"{broken.id}: fail with plan:" in ran.said
    assert f"{broken.id} (checks): the plan fails the check" in ran.said
    told = json.loads(command("validate", "starter", "--json").out)
    assert {row["agent"]: len(row["wrong"]) for row in told["agents"]} == {"plan": 1, "idle": 0, "spam": 0}
    assert {row["gate"]: row["findings"] for row in told["gates"]}["plan-passes"] == 1
    assert [(one["check"], one["subject"]) for one in told["findings"]] == [("plan-passes", broken.id)]


def test_suites_without_plans() -> None:
    for name, said in (
        ("occupations", "no solution plans"),
        ("nowhere", "there is documents, occupations, orchestration, shifts, starter"),
    ):
        ran = command("validate", name)
        assert ran.code == 2
        assert said in ran.said


def test_a_suite_of_ones_own_goes_through_the_gates_locked_in_or_trusted(tmp_path: Path) -> None:
    good = write_folder(tmp_path / "good")
    told = [json.loads(command("validate", good, "--json", *trust).out) for trust in ((), ("--trust",))]
    assert told[0] == told[1] and "measured" not in told[0]
    assert told[0]["findings"] == []
    rows = {row["gate"]: row["checked"] for row in told[0]["gates"]}
    assert (rows["expectations"], rows["mutation"], rows["plan-passes"]) == (47, 20, 20)
    assert all(one["by"] for one in told[0]["mutants"])
    assert "C-13" in told[0]["uncited"]


def test_rules_in_a_module_of_their_own_are_looked_at_as_well(tmp_path: Path) -> None:
    def change(text: str) -> str:
        return text.replace("MOST_OUT = 3\n", "from .rules import MOST_OUT\n")

    folder = write_folder(tmp_path / "good", change)
    (folder / "workplaces" / "tool_hire" / "rules.py").write_text(
        '"""Rules."""\n\nMOST_OUT = 3\nSPARE = 77\n', "utf-8"
    )
    told = json.loads(command("validate", folder, "--json").out)
    assert [(one["check"], one["what"]) for one in told["findings"]] == [
        ("number-without-clause", "the number 77 stands in no clause")
    ]
    of_rules = {
        one["mutant"]["before"]: one["by"] for one in told["mutants"] if one["mutant"]["file"] == "rules.py"
    }
    # Nobody could notice that a number changed which nothing heeds.
    assert of_rules["MOST_OUT = 3"]
    assert of_rules["SPARE = 77"] == ""


def test_a_suite_of_ones_own_with_a_rule_against_its_handbook(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "bad", lambda text: text.replace("MOST_OUT = 3", "MOST_OUT = 4"))
    of_one = ProvedTask(
        task="hire-1",
        content="0",
        fate="kept",
        ease="easy",
        fresh=PassRate(passed=4, n=4, invalid=0, low=0.45, high=1.0, decision="inside"),
    )
    draft = TaskDraft(id="hire-1", level=1, instructions={"en": "Hire."}, plan=[], rubric="It is hired.")
    figures = worth(
        [draft],
        [of_one],
        clauses=["C-1", "C-2"],
        in_rules=["C-2"],
        atoms=[],
        runs=1,
        tokens=1,
        cost=None,
        solver="nobody",
        agent="clerk-7",
    )
    bare = (folder / "suite.yaml").read_text("utf-8")
    (folder / "suite.yaml").write_text(f"{bare}counts: {{tasks: many}}\n", "utf-8")
    odd = command("validate", folder)
    assert (odd.code, "counts: Expected `int`, got `str` - at `$.tasks`" in odd.said) == (2, True), odd.said
    (folder / "suite.yaml").write_text(bare + to_yaml({"counts": figures}), "utf-8")
    ran = command("validate", folder)
    assert ran.code == 1
    assert "1 of 1 are easy for clerk-7, which passes them always or nearly (4 of 4 fresh runs" in ran.said
    assert "none has run" in ran.said
    assert "No task was made for C-2; the workplace's rules" in ran.said and "No task is about C-1," in ran.said
    assert "E-18): hire_out: a refusal was expected; it succeeded" in ran.said
    assert "stands in no clause" in ran.said


DESKS = Path(__file__).parents[2] / "examples" / "desks"


def test_a_day_is_explained_to_its_author() -> None:
    ran = command("validate", "shifts", "--desks", DESKS, "--variant", "3", "--explain")
    assert ran.code == 0, ran.err
    head, *matters = ran.out.strip().split("\n\n")
    assert head == "parcel-counter-short-3: 09:00 to 11:00, 4 matters, 40 points"
    assert [text.split()[0] for text in matters] == sorted(text.split()[0] for text in matters)
    old = next(text for text in matters if "old-parcel-1" in text)
    assert [line.strip() for line in old.splitlines()] == [
        "09:25 old-parcel-1: Old parcel: P-1003 (later circular, unasked)",
        'request  of sender about P-1003 (kind="request", subject="Old parcel")'
        " “Has it been kept for its full time by now?”",
        "reads    parcels P-1003",
        'right    return_to_sender(parcel_id="P-1003")',
        "tell     sender: tell",
        "tell     driver: tell",
        "points   outcome 6, in time 2, told 2: 4: the section, and the circular, say how long it is kept.",
        "times    by 10:05",
    ]
    late = next(text for text in matters if "redelivery-2" in text)
    assert "right    nothing is done" in late and 'believed book_redelivery(parcel_id="P-1001"' in late
    assert "picking-up-1: Picking up: P-1012 (entitlement, grave)" in ran.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("starter", "--explain"), "draws no tasks that could be explained"),
        (("shifts", "--explain", "--json"), "leave --card and --json out"),
        (("shifts", "--explain", "--desk", "bakery"), "there is no bakery"),
    ],
)
def test_what_cannot_be_explained(words: tuple[str, ...], said: str) -> None:
    ran = command("validate", *words)
    assert ran.code == 2 and said in ran.err


def test_help_names_no_default_that_is_none() -> None:
    for words in (["validate", "--help"], ["run", "shifts", "--help-all"]):
        said = command(*words)
        assert said.code == 0, said.said
        assert "Undefined" not in said.out


def test_a_table_that_is_wider_than_the_terminal_is_lines_that_name_their_figures(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    words = ("validate", "shifts", "--desk", "credit_desk", "--length", "short", "--variant", "0,1")
    monkeypatch.setenv("COLUMNS", "80")
    (line, *_) = (line for line in command(*words).out.split("credit_desk, short: ")[1:])
    said = " ".join(line.split())
    assert said.startswith("plan 1.00, idle ") and "findings 0" in said
    monkeypatch.setenv("COLUMNS", "200")
    assert "│ credit_desk, short │" in command(*words).out
