"""Tasks composed of atoms: a hundred from one small workplace, each proved by playing it."""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.support.in_process import LOANS, TOOL_LIBRARY, InProcess, in_process, tool_library

from worktrial.errors import DataError
from worktrial.grading import people
from worktrial.grading.people import people_in
from worktrial.grading.state_checks import run_checks
from worktrial.language import JsonValue
from worktrial.synthesis.clauses.clause import Clause, read_clauses
from worktrial.synthesis.clauses.numbers import clause_numbers
from worktrial.synthesis.compose.about import admitted, naming_nobody_else
from worktrial.synthesis.compose.atoms import AtomName, read_atoms, situation_of
from worktrial.synthesis.compose.choosing import DEEPEST, Composition
from worktrial.synthesis.compose.composer import (
    CHECKS,
    ComposedTask,
    NotComposed,
    Recipe,
    RecipeCase,
    closing,
    compose,
    instructed,
    plan_of,
    state_of,
)
from worktrial.synthesis.compose.languages import language_of
from worktrial.synthesis.compose.proof import faults_of
from worktrial.synthesis.compose.strength import HardKind, strength
from worktrial.synthesis.compose.sums import with_sums
from worktrial.synthesis.compose.telegraph import telegraphed
from worktrial.synthesis.compose.varying import hardened, mended
from worktrial.synthesis.gates.report import reporting
from worktrial.workplaces import Trajectory
from worktrial.workplaces.executable.atoms import CaseReport, Situation

REPORT = CaseReport(case="C-1", outcome="PAID")


def atoms_of(workshop: InProcess) -> dict[str, AtomName]:
    return {atom.name: atom for atom in read_atoms(workshop.folder)}


def composed(wanted: int, **more: Any) -> tuple[list[ComposedTask], Composition]:
    workshop = tool_library()
    composition = Composition(atoms_of(workshop), workshop, "loans", ("en", "ko"), **more)
    return drawn(composition, wanted), composition


def drawn(composition: Composition, wanted: int, have: Sequence[ComposedTask] = ()) -> list[ComposedTask]:
    async def every() -> list[ComposedTask]:
        return [task async for task in composition.tasks(wanted, have)]

    return asyncio.run(every())


@pytest.fixture(scope="module")
def whole() -> Composition:
    """What the hundred are drawn from."""
    return composed(0)[1]


@pytest.fixture(scope="module")
def hundred(whole: Composition) -> list[ComposedTask]:
    return drawn(whole, 100)


def test_one_small_workplace_gives_a_hundred_tasks_and_every_atom_its_share(
    hundred: list[ComposedTask], whole: Composition
) -> None:
    assert [task.recipe.id for task in hundred] == [f"loans-{n:02d}" for n in range(1, 101)]
    assert {task.difficulty for task in hundred} == {1, 2, 3}
    shares = Counter(name for task in hundred for name in {case.atom for case in task.recipe.cases})
    assert shares.keys() == whole.atoms.keys()
    assert max(shares.values()) - min(shares.values()) <= 5
    assert len({tuple(sorted(case.atom for case in task.recipe.cases)) for task in hundred}) == 100
    assert len({task.instructions["en"] for task in hundred}) == 100


def test_the_same_seed_gives_the_same_tasks_and_another_seed_others(hundred: list[ComposedTask]) -> None:
    assert composed(6)[0] == hundred[:6]
    assert [t.instructions for t in composed(6, seed=1)[0]] != [t.instructions for t in hundred[:6]]


def test_more_tasks_later_are_numbered_on_and_repeat_none(hundred: list[ComposedTask]) -> None:
    workshop = tool_library()
    composition = Composition(atoms_of(workshop), workshop, "loans", ("en", "ko"))
    more = drawn(composition, 5, hundred[:20])
    assert [task.recipe.id for task in more] == [f"loans-{n}" for n in range(21, 26)]
    assert not {t.instructions["en"] for t in more} & {t.instructions["en"] for t in hundred[:20]}


def test_refusals_and_exceptions_that_apply_or_do_not_are_all_among_them(hundred: list[ComposedTask]) -> None:
    assert sum(task.refusals > 0 for task in hundred) >= 20
    assert {"applies", "does_not"} == {kind for task in hundred for kind in task.exceptions}


def test_both_languages_are_of_one_task(hundred: list[ComposedTask]) -> None:
    for task in hundred[:9]:
        assert language_of(task.instructions["en"], ["ko"]) == "en"
        assert language_of(task.instructions["ko"], ["ko"]) == "ko"
        ids = [{word for word in text.split() if word.startswith("L-")} for text in task.instructions.values()]
        assert all(ids)


def test_the_steps_of_several_cases_are_merged_and_keep_their_own_order(hundred: list[ComposedTask]) -> None:
    task = next(t for t in hundred if len(t.recipe.cases) == 3)
    of = [step["as"].split("_")[1] for step in task.steps if "as" in step]
    assert sorted(set(of)) == ["1", "2", "3"]
    for case in "123":
        calls = [step for step in task.steps if step.get("as", "").startswith(f"case_{case}_loan")]
        assert calls, "each case looks its own loan up"


def test_one_check_holds_that_nothing_else_changed(hundred: list[ComposedTask]) -> None:
    for task in hundred[:10]:
        assert [check["check"] for check in task.checks].count("only_changed") == 1


def test_the_check_of_changes_is_narrowed_to_what_the_plan_changes(hundred: list[ComposedTask]) -> None:
    """An atom that names a whole record, or a list, lets no act pass that the plan does not make there."""
    task = next(t for t in hundred if [case.atom for case in t.recipe.cases] == ["plain_extension"])
    loan = task.steps[0]["with"]["loan_id"]
    assert task.checks[-1]["at"] == [f"/loans/{loan}/due", f"/loans/{loan}/extended"]


def test_what_the_clauses_leave_open_stays_open() -> None:
    workshop = in_process(LOANS, Changed, changes={"plain_extension": {"open": ["/reservations"]}})
    recipe = Recipe(id="x-01", start=0, cases=[RecipeCase(atom="plain_extension", seed="1")], languages=["en"])
    task = asyncio.run(compose(recipe, atoms_of(workshop), workshop))
    assert task.checks[-1]["open"] == ["/reservations"]


def test_letters_may_name_sums_of_the_clauses_and_of_the_records_of_the_case() -> None:
    workshop, clauses = tool_library(), read_clauses(TOOL_LIBRARY / "clauses.yaml")
    letter = {"check": "state_items", "at": "/charges", "stating": {"text": [7.5]}, "beside": [1.5], "at_most": 0}
    paid = in_process(LOANS, Changed, changes={"lost_tool": {"checks": [letter]}})
    recipe = Recipe(id="x-01", start=0, cases=[RecipeCase(atom="lost_tool", seed="1")], languages=["en"])
    task = asyncio.run(compose(recipe, atoms_of(workshop), paid, clauses))
    check = task.checks[0]
    loan = task.steps[0]["with"]["loan_id"]
    state = asyncio.run(state_of(task, workshop))
    assert check["paying"] == ["charge", "charged", "청구"]
    assert {1.5, 20.0, state["tools"][state["loans"][loan]["tool_id"]]["price"]} <= {*check["beside"]}
    assert not {tool["price"] for tool in state["tools"].values()} <= {*check["beside"]}
    assert with_sums([letter], [20.0], []) == [letter]


def test_sums_beside_may_stand_by_field_and_have_to_be_sums() -> None:
    letter = {"check": "state_items", "at": "/charges", "stating": {"text": [7.5]}, "beside": {"text": [1.5, 3]}}
    (wide,) = with_sums([letter], [20.0], ["charged"])
    assert wide["beside"] == [1.5, 3.0, 20.0]
    for wrong in ["text"], {"text": ["seven"]}, 7:
        with pytest.raises(DataError, match="which are no sums"):
            with_sums([{**letter, "beside": wrong}], [], ["charged"])


def test_the_report_is_the_last_call_and_each_line_of_it_is_checked(hundred: list[ComposedTask]) -> None:
    task = next(t for t in hundred if len(t.recipe.cases) == 3)
    assert [step["call"] for step in task.steps].count("hand_in_report") == 1
    lines = task.steps[-1]["with"]["cases"]
    of_lines = {check["case"][0]: check for check in task.checks if check["check"] == "report_line"}
    assert [line["case"] for line in lines] == [
        next(id for id in of_lines if id in text) for text in task.instructions["ko"].splitlines()[1:-1]
    ]
    for line in lines:
        check = of_lines[line["case"]]
        asked = {name: value for name, value in check.items() if name not in ("check", "clauses")}
        assert {**line, "case": check["case"], "outcome": [line["outcome"]]} == asked
    (all_lines,) = [check for check in task.checks if check["check"] == "report_lines"]
    assert {*of_lines} <= {*all_lines["cases"]}
    assert not any(check["check"].startswith("answer_") for check in task.checks)
    assert plan_of(task, "en")["answer"] != plan_of(task, "ko")["answer"]
    assert "report" in task.instructions["en"].splitlines()[-1]
    assert "보고서" in task.instructions["ko"].splitlines()[-1]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"report": {"case": "L-2", "outcome": "EXTENDED"}}, "neither named in the request nor one of its records"),
        ({"outcome": "LENT"}, "LENT is no outcome of the form"),
        ({"outcome": []}, "no code is no outcome of the form"),
        ({"outcome": ["EXTENDED", "CHARGED"]}, "gives a date, and the meaning of CHARGED says of no `date`"),
        ({"colour": 1}, "returns no situation"),
        ({"checks": [{"check": "answer_date", "value": "2031-01-01"}]}, "Say in `report` what is reported"),
    ],
)
def test_a_report_that_the_form_does_not_ask_for_is_refused(changes: dict[str, Any], said: str) -> None:
    class Reported(InProcess):
        async def call_function(self, module: str, name: str, *arguments: JsonValue) -> JsonValue:
            found = await super().call_function(module, name, *arguments)
            given = changes if {"report", "checks"} & {*changes} else {"report": {**found["report"], **changes}}
            return {**found, **given}

    workshop = in_process(LOANS, Reported)
    recipe = Recipe(id="x-01", start=0, cases=[RecipeCase(atom="plain_extension", seed="1")])
    with pytest.raises(DataError, match=said):
        asyncio.run(compose(recipe, atoms_of(workshop), workshop))


def test_a_decision_rests_on_a_record_that_decides_and_beside_it_on_others_of_the_case_alone() -> None:
    state = {
        "claims": {"C-1": {"parcel": "P-1"}, "C-2": {"parcel": "P-2"}},
        "parcels": {"P-1": {"sender": "A"}, "P-2": {"sender": "B"}},
        "scans": {"S-1": {"parcel": "P-1"}, "S-2": {"parcel": "P-1"}, "S-3": {"parcel": "P-2"}},
        "papers": {"D-1": {"claim": "C-1"}, "D-3": {"claim": "C-2"}},
    }
    several = {"check": "state_items", "at": "/claims/C-1/rests_on", "one_of": ["D-1", "S-1"]}
    checks = [several, {**several, "one_of": ["S-2"]}, {"check": "state_absent", "at": "/x"}]
    steps = [
        {"call": "get_claim", "with": {"claim_id": "C-1"}},
        {"call": "list_scans", "with": {"parcel_id": "P-1"}},
    ]
    case = Situation(records=["/claims/C-1"], request={}, steps=steps, report=REPORT, checks=checks)
    decides, wide, *rest = admitted(checks, case, state)
    assert decides == several and rest == checks[1:]
    assert {"D-1", "S-1", "S-2"} < set(wide["one_of"]) and not {"S-3", "D-3", "C-2"} & set(wide["one_of"])
    both = CHECKS.validate_python([decides, wide])
    for rests_on, passes in (
        (["S-1"], True),
        (["D-1", "S-2"], True),
        (["S-2"], False),  # of the case, and decides nothing
        (["S-3"], False),
        (["D-1", "S-3"], False),
        ([], False),
    ):
        end = {"claims": {"C-1": {"rests_on": rests_on}}}
        results = run_checks(both, initial_state={}, final_state=end, trajectory=Trajectory())
        assert all(one.passed for one in results) is passes


def test_a_letter_names_nobody_of_other_records(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[JsonValue] = []

    def counted(record: JsonValue) -> set[str]:
        read.append(record)
        return people_in(record)

    monkeypatch.setattr(people, "people_in", counted)
    state = {
        "claims": {"C-1": {"parcel": "P-1", "account": "It broke."}, "C-2": {"parcel": "P-2"}},
        "parcels": {
            "P-1": {"sender": "Clara Frost", "recipient": "Elsa Ambrose", "content": "Cordless Drill"},
            "P-2": {"sender": "Henrik Dale", "sender_address": "henrik@post.example", "content": "Desk Clock"},
        },
        "messages": {},
    }
    steps = [{"call": "send", "with": {"claim": "C-1", "text": "Dear Clara Frost, it is paid."}}]
    case = Situation(records=["/claims/C-1"], request={}, steps=steps, report=REPORT, checks=[])
    (check,) = CHECKS.validate_python(naming_nobody_else([case], state))

    def passes(text: str, claim: str = "C-1") -> bool:
        end = {**state, "messages": {"M-1": {"claim": claim, "to": "sender", "text": text}}}
        return run_checks([check], initial_state=state, final_state=end, trajectory=Trajectory())[0].passed

    for _ in range(3):
        assert passes("Dear Sir, the drill is paid, unlike a Desk Clock.")
    assert len(read) == 4  # each record once for all that is tried in the state
    assert passes("Dear Clara Frost, the drill for Elsa Ambrose is paid, unlike a Desk Clock.")
    assert not passes("Dear Clara Frost, Henrik Dale lost his drill, too.")
    assert not passes("Dear Clara Frost, please write to henrik@post.example instead.")
    assert passes("Dear Henrik Dale, we pay you soon.", "C-2")
    assert naming_nobody_else([case], {"claims": state["claims"]}) == []


def test_three_easy_cases_stay_easy_and_outcomes_come_in_turn(hundred: list[ComposedTask]) -> None:
    easy = [task for task in hundred if len(task.recipe.cases) > 1 and not task.exceptions and task.difficulty == 1]
    assert easy
    lost = [index for index, task in enumerate(hundred[:6]) if "lost_tool" in task.atoms]
    refused = [index for index, task in enumerate(hundred[:6]) if task.refusals]
    granted = [
        index for index, task in enumerate(hundred[:6]) if {"plain_extension", "staff_with_fees"} & {*task.atoms}
    ]
    assert lost and refused and granted


def test_every_check_of_a_case_cites_its_clauses(hundred: list[ComposedTask]) -> None:
    for task in hundred[:20]:
        cited = {clause for check in task.checks for clause in check.get("clauses", [])}
        assert cited == set(task.clauses)


def test_what_another_case_would_need_fails_the_checks(hundred: list[ComposedTask]) -> None:
    workshop = tool_library()
    task = next(t for t in hundred if t.refusals and len(t.recipe.cases) == 1)
    state = asyncio.run(state_of(task, workshop))
    session = workshop.home.open(state)
    loan_id = next(step["with"]["loan_id"] for step in task.steps if step["call"] == "get_loan")
    asyncio.run(session.call("extend_loan", {"loan_id": loan_id, "due": "2031-06-20"}))
    wrong = reporting([{"case": loan_id, "outcome": "EXTENDED", "date": "2031-06-20"}])
    found = run_checks(
        CHECKS.validate_python(task.checks),
        initial_state=state,
        final_state=session.state or {},
        trajectory=wrong,
    )
    assert not all(result.passed for result in found)


class Changed(InProcess):
    """The tool library with some atoms' situations changed."""

    def __init__(self, folder: Path, changes: Mapping[str, Any]) -> None:
        super().__init__(folder)
        self.changes = changes

    async def call_function(self, module: str, name: str, *arguments: JsonValue) -> JsonValue:
        found = await super().call_function(module, name, *arguments)
        change = self.changes.get(name)
        return {**found, **change} if change and isinstance(found, dict) else found


def faults(
    changes: dict[str, Any], atom: str = "plain_extension", languages: tuple[str, ...] = ("en", "ko")
) -> list[str]:
    workshop = in_process(LOANS, Changed, changes={atom: changes})
    recipe = Recipe(id="x-01", start=0, cases=[RecipeCase(atom=atom, seed="1")], languages=list(languages))
    return asyncio.run(_faults(recipe, workshop))


async def _faults(recipe: Recipe, workshop: InProcess) -> list[str]:
    return await faults_of(await compose(recipe, atoms_of(workshop), workshop), workshop)


def test_a_sound_task_has_no_fault() -> None:
    assert faults({}) == []


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"checks": [{"check": "state_equals", "at": "/clock", "value": "?"}]}, "the plan fails the check"),
        ({"checks": [{"check": "no_such_check"}]}, "its checks"),
        ({"changes": []}, "the plan fails the check"),
        ({"steps": [{"call": "get_loan", "with": {"loan_id": "L-9999"}, "as": "loan"}]}, "is refused"),
        ({"steps": [{"call": "get_loan"}]}, "is refused"),
        ({"request": {"en": "대여를 연장해 주세요.", "ko": "대여를 연장해 주세요."}}, "in en reads as ko"),
        ({"request": {"en": "Please extend the loan.", "ko": "Please extend the loan."}}, "in ko reads as en"),
    ],
)
def test_a_task_that_does_not_hold_is_found_out(changes: dict[str, Any], said: str) -> None:
    assert any(said in fault for fault in faults(changes)), faults(changes)


@pytest.mark.parametrize(
    ("language", "request_"),
    [
        ("de", "Bitte prüfen Sie den Antrag von Frau Keller und teilen Sie ihr mit, ob die Leihe verlängert wird."),
        ("fr", "Merci de vérifier la demande de Mme Keller et de lui dire si le prêt est prolongé."),
        ("es", "Revise la solicitud de la señora Keller y dígale si se prolonga el préstamo."),
        ("ko", "켈러 씨의 신청을 확인하고 대여가 연장되는지 알려 주세요."),
    ],
)
def test_a_suite_in_one_language_notices_another(language: str, request_: str) -> None:
    assert language_of(request_, ["en"]) == language
    assert language_of("Please extend Mrs Keller's loan L-2041 if the rules allow it.", ["en"]) == "en"


@pytest.mark.parametrize(
    ("language", "request_", "asked"),
    [
        ("de", "Bitte prüfen Sie, ob die Leihe {loan} verlängert werden kann.", "Bericht"),
        ("fr", "Merci de vérifier si le prêt {loan} peut être prolongé.", "rapport"),
        ("es", "Revise, por favor, si se puede prolongar el préstamo {loan}.", "informe"),
        ("ja", "貸出 {loan} を延長できるかどうか確認してください。", "報告"),
    ],
)
def test_other_languages_ask_for_the_report_and_count_the_cases(language: str, request_: str, asked: str) -> None:
    for lead in range(5):
        instruction = instructed([request_.format(loan="L-1"), request_.format(loan="L-2")], language, lead)
        first, *cases, last = instruction.splitlines()
        assert cases == [f"1. {request_.format(loan='L-1')}", f"2. {request_.format(loan='L-2')}"]
        assert asked in last and str(len(cases)) not in first
        assert language_of(instruction, [language]) == language
    assert asked in closing(language)


def test_cases_on_the_same_record_make_no_task() -> None:
    workshop = tool_library()
    cases = [RecipeCase(atom="plain_extension", seed="1"), RecipeCase(atom="plain_extension", seed="1")]
    with pytest.raises(NotComposed, match="as another case does"):
        asyncio.run(compose(Recipe(id="x-01", start=0, cases=cases), atoms_of(workshop), workshop))


def test_a_language_that_an_atom_lacks_makes_no_task() -> None:
    workshop = tool_library()
    recipe = Recipe(
        id="x-01", start=0, cases=[RecipeCase(atom="plain_extension", seed="1")], languages=["en", "de"]
    )
    with pytest.raises(NotComposed, match="plain_extension has no de"):
        asyncio.run(compose(recipe, atoms_of(workshop), workshop))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"patch": [{"op": "remove", "path": "/loans/L-0"}]}, "its patch does not apply"),
        ({"records": "all"}, "returns no situation"),
        ({"colour": "blue"}, "returns no situation"),
    ],
)
def test_an_atom_at_fault_is_named(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(DataError, match=f"plain_extension.*{said}"):
        faults(changes)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("def nothing(): pass", "declares no atom"),
        ("@atom()\ndef f(s, r): ...", "f: @atom names no clause"),
        ("@atom('C-01', weight=9)\ndef f(s, r): ...", "weight"),
        ("@atom(*clauses)\ndef f(s, r): ...", "plain values only"),
        ("def (", "is no Python"),
    ],
)
def test_a_file_without_usable_atoms_is_refused(tmp_path: Path, source: str, said: str) -> None:
    (tmp_path / "atoms.py").write_text(source)
    with pytest.raises(DataError, match=said):
        read_atoms(tmp_path)


def test_no_atoms_at_all_are_named_as_missing(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="there is none"):
        read_atoms(tmp_path)


def test_a_refusal_worded_as_nothing_that_is_granted_gives_itself_away() -> None:
    sound = tool_library()
    assert asyncio.run(telegraphed(atoms_of(sound), sound, ["en", "ko"])) == []
    told = in_process(
        LOANS,
        Changed,
        changes={
            "reserved_tool": {"request": {"en": "Please make an illicit exception", "ko": "예외를 부탁합니다"}}
        },
    )
    found = asyncio.run(telegraphed(atoms_of(told), told, ["en", "ko"]))
    assert [finding.subject for finding in found] == ["reserved_tool"]
    # Its author sees both wordings.
    assert "“Please make an illicit exception” (nearest to it is “" in found[0].what


class RarelyWorded(Changed):
    """The same words for a case that is granted, in one draw of many."""

    async def call_function(self, module: str, name: str, *arguments: JsonValue) -> JsonValue:
        found = await super().call_function(module, name, *arguments)
        rare = name == "plain_extension" and str(arguments[-1]).endswith("/20") and isinstance(found, dict)
        return {**found, **self.changes["reserved_tool"]} if rare else found


def test_a_wording_that_is_rarely_granted_is_looked_for() -> None:
    change = {"request": {"en": "Please make an illicit exception", "ko": "예외를 부탁합니다"}}
    rare = in_process(LOANS, RarelyWorded, changes={"reserved_tool": change})
    assert asyncio.run(telegraphed(atoms_of(rare), rare, ["en", "ko"])) == []


def test_the_strongest_case_comes_first_when_a_task_is_hardened() -> None:
    workshop = tool_library()
    clauses = {clause.id: clause for clause in read_clauses(TOOL_LIBRARY / "clauses.yaml")}
    fresh = Composition(atoms_of(workshop), workshop, "loans", clauses=clauses)
    alone = asyncio.run(fresh.alone(0))
    assert {name: set(one.kinds) for name, one in alone.items()} == {
        "plain_extension": set(),
        "second_extension": set(),
        "reserved_tool": set(),
        "too_many_fees": {HardKind.SEEMING, HardKind.CONFLICT, HardKind.EDGE},
        "fees_at_the_limit": {HardKind.EDGE},
        "staff_with_fees": {HardKind.CONFLICT},
        "lost_tool": set(),
    }
    plain = RecipeCase(atom="plain_extension", seed="1")
    recipe = Recipe(id="loans-01", start=0, cases=[plain])
    task = asyncio.run(compose(recipe, fresh.atoms, workshop))
    added = []
    for _ in range(3):
        harder = asyncio.run(hardened(task, fresh))
        assert harder is not None
        task = harder
        added.append(task.recipe.cases[-1].atom)
    # Beside the refusal for fees the grants under the same rule are a contrast; the heavier one goes first.
    assert added == ["too_many_fees", "staff_with_fees", "fees_at_the_limit"]
    owed = {op["value"] for op in task.patch if op["path"].endswith("/fees")}
    assert {20.0} < owed & {20.0, 20.01, 20.5}, "of the draws of a case those at the limit come first"
    full = asyncio.run(hardened(task, fresh))
    assert full is not None and len(full.recipe.cases) == DEEPEST
    swapped = asyncio.run(hardened(full, fresh))
    assert swapped is None or len(swapped.recipe.cases) == DEEPEST


@pytest.mark.parametrize(
    ("quote", "planted", "is_edge"),
    [
        ("within 7 days of delivery", {"arrived": "2031-05-08"}, True),
        ("within 7 days of delivery", {"arrived": "2031-05-09"}, True),
        ("within 7 days of delivery", {"arrived": "2031-05-10"}, False),
        ("within two weeks of delivery", {"arrived": "2031-05-16"}, True),
        ("no later than 3 months after posting", {"arrived": "2031-08-02"}, True),
        ("no later than 3 months after posting", {"arrived": "2031-08-04"}, False),
        ("at most 50.00 for each parcel", {"price": 50.01}, True),
        ("at most 50.00 for each parcel", {"price": "49"}, True),
        ("at most 50.00 for each parcel", {"price": 52}, False),
        ("less 10 percent for each year", {"price": 10}, False),
        ("before 1 May 2031 in any case", {"arrived": "2031-05-01T09:00:00"}, False),
    ],
)
def test_a_limit_and_a_step_beside_it_are_the_edge(
    quote: str, planted: dict[str, JsonValue], is_edge: bool
) -> None:
    clause = Clause(id="C-01", document="d", section="1", quote=quote, kind="limit", numbers=clause_numbers(quote))
    case = Situation(
        records=["/claims/K-1"],
        request={},
        report=REPORT,
        checks=[],
        patch=[{"op": "add", "path": "/claims/K-1/more", "value": planted}],
    )
    state: JsonValue = {"clock": "2040-01-01T00:00:00", "claims": {"K-1": {"delivered": "2031-05-01"}}}
    assert isinstance(state, dict)
    found = strength(AtomName("late", ("C-01",), 1), case, state, {"C-01": clause})
    assert (HardKind.EDGE in found.kinds) is is_edge


def test_a_trivial_task_gets_a_case_more_and_an_impossible_one_loses_the_case_nobody_manages(
    hundred: list[ComposedTask], whole: Composition
) -> None:
    easy = next(t for t in hundred if len(t.recipe.cases) == 1)
    harder = asyncio.run(hardened(easy, whole))
    assert harder is not None
    assert len(harder.recipe.cases) == 2
    assert harder.recipe.cases[0] == easy.recipe.cases[0]
    assert (harder.recipe.id, harder.recipe.round) == (easy.recipe.id, 1)
    deep = next(t for t in hundred if len(t.recipe.cases) == 3)
    of_the_second = [index for index, case in enumerate(deep.case_of_check) if case == 1]
    workshop = tool_library()
    fresh = Composition(atoms_of(workshop), workshop, "loans", ("en", "ko"))
    easier = asyncio.run(mended(deep, [of_the_second, of_the_second], fresh))
    assert easier is not None
    assert [case.atom for case in easier.recipe.cases] == [deep.recipe.cases[i].atom for i in (0, 2)]
    # Here another task has these atoms already, and two tasks that differ in their records alone are one too many.
    assert asyncio.run(mended(deep, [of_the_second], whole)) is None


def test_a_situation_is_also_had_from_outside_the_process_that_holds_the_atom(hundred: list[ComposedTask]) -> None:
    workshop = tool_library()
    state = asyncio.run(workshop.start(0))
    one = asyncio.run(situation_of(workshop, "lost_tool", state, "7"))
    again = asyncio.run(situation_of(workshop, "lost_tool", state, "7"))
    assert one is not None
    assert one == again
    assert "plan" not in plan_of(hundred[0], "en")
