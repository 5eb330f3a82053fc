"""A workplace of code brought to a suite: composed, proved, measured, written, and gone on with."""

import asyncio
import json
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml
from tests.support.in_process import TOOL_LIBRARY, InProcess, in_process
from tests.support.library_clerk import Clerk, Referee, every_other, never
from tests.support.request import ScriptedRequest
from tests.support.script import Script
from tests.support.scripted_server import ScriptedServer
from tests.support.wire import Body, completion

from worktrial.agents.assignment import Limits
from worktrial.engine.roles import Role, RoleSettings
from worktrial.engine.spend import Budget, BudgetSpent
from worktrial.errors import DataError
from worktrial.suites.simulated.trial import SimulatedSettings
from worktrial.synthesis.artifacts import JobSpec
from worktrial.synthesis.clauses.clause import read_clauses
from worktrial.synthesis.composed_session import ComposingSession
from worktrial.synthesis.composed_suite import Labels
from worktrial.synthesis.folder import SuiteFolder
from worktrial.synthesis.proving.way import GATES_AT_ONCE
from worktrial.synthesis.resources import ResourceSettings, open_resources
from worktrial.synthesis.review.page import read_cards, write_review
from worktrial.synthesis.standing import task_findings
from worktrial.synthesis.task_session import TasksEnd
from worktrial.synthesis.worth import described
from worktrial.workplaces.executable.report_form import REPORT_TOOL

ROLES = (Role.SYNTHESIZER, Role.SOLVER, Role.AGENT, Role.JUDGE)


def spec(tasks: int = 4, **more: Any) -> JobSpec:
    return JobSpec(role="clerk", tasks=tasks, free_runs=4, most_runs=12, fresh_runs=2, repairs=2, **more)


def session_on(
    root: Path,
    url: str,
    wanted: JobSpec,
    *,
    budget: Budget | None = None,
    until_drafts: bool = False,
    said: Any = None,
    of: Callable[[Path], InProcess] = in_process,
    findings: Any = None,
) -> TasksEnd:
    """One session on a copy of the tool library."""
    if not root.exists():
        shutil.copytree(TOOL_LIBRARY, root, ignore=shutil.ignore_patterns("__pycache__"))
    place = root / "workplaces" / "loans"
    clauses = read_clauses(root / "clauses.yaml")
    rules = {clause.id: clause.quote for clause in clauses}
    roles = {role.value: RoleSettings(role=role, model=f"{role.value}-1", base_url=url) for role in ROLES}
    settings = ResourceSettings(roles=roles, requests=16, budget=budget or Budget())

    async def work() -> TasksEnd:
        async with open_resources(SuiteFolder(root), settings) as resources:
            session = ComposingSession(
                folder=SuiteFolder(root),
                spec=wanted,
                place=place,
                door=of(place),
                labels=Labels("loans", "Tool library", "Public Service", "Lending"),
                rules=rules,
                resources=resources,
                run_settings=SimulatedSettings(limits=Limits(12)),
                runs_at_once=16,
                warn=(said or []).append,
                findings=findings,
                clauses=clauses,
            )
            return await session.make(until_drafts=until_drafts)

    return asyncio.run(work())


def everybody(**more: Any) -> Script:
    return Script(**{"agent": Clerk(every_other), "solver": Clerk(), "judge": Referee(), **more})


def test_tasks_are_composed_confirmed_measured_and_written(tmp_path: Path) -> None:
    root = tmp_path / "library"
    with ScriptedServer(everybody()) as server:
        end = session_on(root, server.url, spec(4, languages=["en", "ko"]))
        assert Counter(one.fate for one in end.ends) == {"kept": 4}
        assert {one.truth for one in end.ends} == {"confirmed"}
        for one in end.ends:
            assert one.band is not None and 0 < one.band.passed < one.band.n
            assert one.fresh is not None and one.fresh.n == 2
        assert server.count("judge") == 0, "nobody decides where both came to the same end"
        asked = server.count()
        again = session_on(root, server.url, spec(4, languages=["en", "ko"]))
        assert server.count() == asked, "an answer that was paid for is not asked for again"
        assert [one.content for one in again.ends] == [one.content for one in end.ends]
    suite = yaml.safe_load((root / "suite.yaml").read_text("utf-8"))
    assert suite["counts"]["tasks"] == 4
    assert suite["counts"]["detects"] is None or 0 < suite["counts"]["detects"] <= 1
    assert suite["counts"]["found_flawed"]["of"] == 4
    assert suite["counts"]["tokens_a_task"] > 0
    file = yaml.safe_load((root / "workplaces/loans/tasks.yaml").read_text("utf-8"))
    assert [task["id"] for task in file["tasks"]][:2] == ["loans-01", "loans-ko-01"]
    assert {task["pair"] for task in file["tasks"]} == {f"loans-{n:02d}" for n in range(1, 5)}
    assert all((root / f"workplaces/loans/states/{task['start']}.json").exists() for task in file["tasks"])


def test_more_tasks_are_another_session_and_repeat_nothing(tmp_path: Path) -> None:
    root = tmp_path / "library"
    with ScriptedServer(everybody()) as server:
        session_on(root, server.url, spec(2))
        asked = server.count()
        end = session_on(root, server.url, spec(4))
        assert len(end.drafts) == 4
        assert server.count() > asked
        begun = Counter(str(r.messages[-1]) for r in server.requests if r.steps_done == 0)
        assert max(begun.values()) <= 12 + 2 + 1, "runs of the first session were not made again"


def test_a_task_that_is_always_passed_is_made_harder_and_kept_with_a_label(tmp_path: Path) -> None:
    root = tmp_path / "library"
    with ScriptedServer(everybody(agent=Clerk(never))) as server:
        end = session_on(root, server.url, spec(2))
        asked = server.count()
        again = session_on(root, server.url, spec(2))
        assert server.count() == asked, "what was kept so is not made harder once more"
        assert again.ends == end.ends
        assert [(one.fate, one.ease, one.rounds) for one in end.ends] == [("kept", "easy", 2)] * 2
        assert all(len(one.atoms) >= 3 for one in end.ends)
        bands = [one.band for one in end.ends]
        assert [(one.fresh.passed, one.fresh.n) for one in end.ends if one.fresh] == [(1, 1)] * 2, "beside the band"
        assert [one.fresh.copies for one in end.ends if one.fresh] == [1, 1], "it does the same in every run"
        assert all(band is not None and band.copies for band in bands)
        assert all(band is not None and band.passed == band.n for band in bands)
        counts = yaml.safe_load((root / "suite.yaml").read_text("utf-8"))["counts"]
        assert (counts["easy"], counts["agent"]) == ([one.task for one in end.ends], "agent-1")
        assert (counts["easy_fresh"]["count"], counts["easy_fresh"]["of"], counts["detects"]) == (2, 2, None)
        assert end.worth is not None
        said = " ".join(described(end.worth))
        assert f"Not counted: {counts['copies']} runs that repeat another" in said
        assert "2 of 2 are easy for agent-1" in said and "a better agent stands out by no difference" in said
        cards = read_cards(SuiteFolder(root))
        assert {card.fate for card in cards} == {"kept_easy"}
        without = session_on(root, server.url, spec(2, keep="band"))
        assert {one.fate for one in without.ends} == {"trivial"}
        assert not without.drafts


def test_a_sound_task_stands_where_its_harder_versions_do_not_hold(tmp_path: Path) -> None:
    root = tmp_path / "library"

    async def found(bench: Any) -> list[str]:
        return ["made-up: it does not hold"] if bench.draft.round == 2 else []

    with ScriptedServer(everybody(agent=Clerk(never))) as server:
        end = session_on(root, server.url, spec(2), findings=found)
        asked = server.count()
        again = session_on(root, server.url, spec(2), findings=found)
        assert server.count() == asked
    assert [(one.fate, one.ease, one.rounds) for one in end.ends] == [("kept", "easy", 1)] * 2
    assert again.ends == end.ends
    drafts = {path.stem: yaml.safe_load(path.read_text("utf-8")) for path in (root / "work/tasks").glob("*.yaml")}
    assert all(draft["recipe"]["round"] == 1 for draft in drafts.values())


def test_a_task_that_nobody_passes_is_kept_where_a_second_worker_came_to_its_end(tmp_path: Path) -> None:
    lost = Clerk(lambda run, task: True)
    with ScriptedServer(everybody(agent=lost)) as server:
        end = session_on(tmp_path / "library", server.url, spec(2))
    assert [(one.fate, one.ease, one.truth) for one in end.ends] == [("kept", "hard", "confirmed")] * 2
    assert [len(one.atoms) for one in end.ends] == [1, 1], "made easier first"
    with ScriptedServer(everybody(agent=lost, solver=lost)) as server:
        end = session_on(tmp_path / "other", server.url, spec(1))
    assert {(one.fate, one.truth) for one in end.ends} == {("too_hard", "upheld")}
    assert not end.drafts


class Idler(Clerk):
    """Says that it did nothing, and does nothing."""

    def answer(self, request: ScriptedRequest) -> Body:
        return completion("I have lost the text of the assignment, so I did nothing.")


class Misreporting(Clerk):
    """Does what is right, and reports another day or sum, or nothing at all."""

    says: bool = True

    def answer(self, request: ScriptedRequest) -> Body:
        said = super().answer(request)
        (choice,) = said["choices"]
        for call in choice["message"].get("tool_calls") or ():
            if call["function"]["name"] == REPORT_TOOL:
                if not self.says:
                    return completion("All of it is done.")
                lines = json.loads(call["function"]["arguments"])["cases"]
                off = [
                    {**line, "date": "2031-01-01"} if "date" in line else {**line, "amount": 1} for line in lines
                ]
                call["function"]["arguments"] = json.dumps({"cases": off})
        return said


class Mute(Misreporting):
    """Does what is right, and reports nothing."""

    says = False


def test_runs_that_end_as_the_plan_does_and_are_refused_by_one_check_make_no_task_too_hard(tmp_path: Path) -> None:
    root = tmp_path / "library"
    wanted = msgspec.structs.replace(spec(1), repairs=0)
    with ScriptedServer(everybody(agent=Misreporting(), solver=Idler())) as server:
        end = session_on(root, server.url, wanted)
    assert {(one.fate, one.truth) for one in end.ends} == {("check_may_misread", "open")}
    assert end.worth is not None
    assert (end.worth.found_flawed.of, len(end.worth.undecided)) == (0, 2)
    first = end.ends[0]
    assert first.refused[0].runs >= wanted.free_runs
    assert first.told.startswith(f"check may misread: {first.refused[0].check} read ")
    page = write_review(SuiteFolder(root)).parent / "tasks" / f"{first.task}.html"
    assert "It read:" in page.read_text("utf-8")


@pytest.mark.parametrize("agent", [Clerk(lambda run, task: True), Mute()], ids=["other ends", "no report"])
def test_runs_that_end_otherwise_or_report_nothing_make_a_task_too_hard(tmp_path: Path, agent: Clerk) -> None:
    wanted = msgspec.structs.replace(spec(1), repairs=0)
    with ScriptedServer(everybody(agent=agent, solver=Idler())) as server:
        end = session_on(tmp_path / "library", server.url, wanted)
    assert {one.fate for one in end.ends} == {"too_hard"}


def test_a_second_worker_that_did_nothing_is_no_witness_whatever_a_ruling_says(tmp_path: Path) -> None:
    with ScriptedServer(everybody(solver=Idler(), judge=Referee("author"))) as server:
        end = session_on(tmp_path / "library", server.url, spec(1))
        assert server.count("judge") == 0
    assert [(one.fate, one.truth) for one in end.ends] == [("kept", "open")]
    assert end.worth is not None and (end.worth.unconfirmed.count, end.worth.found_flawed.of) == (1, 0)


def test_an_impossible_task_is_made_easier(tmp_path: Path) -> None:
    with ScriptedServer(everybody(agent=Clerk(lambda run, task: "\n2." in task))) as server:
        end = session_on(tmp_path / "library", server.url, spec(3))
    assert any(one.rounds for one in end.ends)
    assert {one.fate for one in end.ends} == {"kept"}


def test_a_task_that_the_rules_do_not_bear_out_goes(tmp_path: Path) -> None:
    with ScriptedServer(everybody(solver=Clerk(lambda run, task: True), judge=Referee("neither"))) as server:
        end = session_on(tmp_path / "library", server.url, spec(1))
    assert {(one.fate, one.truth) for one in end.ends} == {("truth", "open")}
    assert end.worth is not None
    assert (end.worth.found_flawed.count, end.worth.found_flawed.of) == (2, 2)
    for one in end.ends:
        assert one.refused and one.told.startswith(f"truth: {one.refused[0].check} read ")
        assert one.told.endswith("The rule says so.")
    assert not (tmp_path / "library" / "suite.yaml").exists()


def test_a_task_without_a_ruling_is_not_found_flawed_and_is_ruled_on_in_the_next_session(tmp_path: Path) -> None:
    root = tmp_path / "library"
    judge = Referee(quote="Extensions are never given.")
    with ScriptedServer(everybody(solver=Clerk(lambda run, task: True), judge=judge)) as server:
        end = session_on(root, server.url, spec(1))
    assert {(one.fate, one.truth, one.asked) for one in end.ends} == {("unruled", "open", 1)}
    assert end.worth is not None and end.worth.found_flawed.of == 0
    assert any("Not counted there: 2 " in line for line in described(end.worth))
    with ScriptedServer(everybody(solver=Clerk(lambda run, task: True))) as server:
        end = session_on(root, server.url, spec(1))
    assert "unruled" not in {one.fate for one in end.ends} and any(one.truth == "confirmed" for one in end.ends)


def test_what_the_rules_do_not_say_is_asked_of_their_owner(tmp_path: Path) -> None:
    root = tmp_path / "library"
    with ScriptedServer(everybody(solver=Clerk(lambda run, task: True), judge=Referee("unsaid"))) as server:
        end = session_on(root, server.url, spec(1))
    asked = "Which of the two days counts?"
    assert {(one.fate, one.why) for one in end.ends} == {("question", asked)}
    assert end.worth is not None and end.worth.found_flawed.of == 0
    assert any(f"does not say: {asked} (loans-01, loans-02)" in line for line in described(end.worth))
    # An owner who says it has the tasks ruled on anew; without a change nobody is asked again.
    with ScriptedServer(everybody(solver=Clerk(lambda run, task: True))) as server:
        assert {one.fate for one in session_on(root, server.url, spec(1)).ends} == {"question"}
        path = root / "clauses.yaml"
        path.write_text(
            path.read_text("utf-8").replace("applies_when: the member owes fees", "applies_when: ''"), "utf-8"
        )
        line = next(one for one in path.read_text("utf-8").splitlines() if "C-03" in one)
        path.write_text(
            path.read_text("utf-8").replace(line, line.replace("gets no extension", "gets none")), "utf-8"
        )
        assert "question" not in {one.fate for one in session_on(root, server.url, spec(1)).ends}


class Lenient(InProcess):
    """A library whose reports name no day, so that the day of an extension stands in the state only."""

    async def call_function(self, module: str, name: str, *arguments: Any) -> Any:
        found = await super().call_function(module, name, *arguments)
        return found and {**found, "report": {**found["report"], "date": None}}


def test_a_task_whose_clauses_leave_a_value_open_is_widened_and_goes_on(tmp_path: Path) -> None:
    root = tmp_path / "library"
    clauses = read_clauses(TOOL_LIBRARY / "clauses.yaml")
    door: list[InProcess] = []

    def lenient(folder: Path) -> InProcess:
        door.append(in_process(folder, Lenient))
        return door[0]

    async def gates(bench: Any) -> list[str]:
        return await task_findings(door[0], clauses)(bench)

    with ScriptedServer(everybody(solver=Clerk(lambda run, task: True), judge=Referee("both"))) as server:
        wanted = msgspec.structs.replace(spec(1), repairs=0)
        end = session_on(root, server.url, wanted, of=lenient, findings=gates)
        assert server.count("judge") >= 1
    (first, *_) = [one for one in end.ends if one.task == "loans-01"]
    draft = yaml.safe_load((root / "work/tasks/loans-01.yaml").read_text("utf-8"))
    assert (draft["widened"], first.truth) == (1, "confirmed"), first
    assert any(len(check.get("values", [])) == 2 for check in draft["checks"])
    assert (first.fate, first.left_open) == ("kept", ["The rule says so."])
    assert end.worth is not None and "loans-01" in end.worth.left_open["The rule says so."]


def test_a_task_on_whose_side_the_rules_are_stays_and_is_confirmed_by_a_run_that_passes(tmp_path: Path) -> None:
    with ScriptedServer(everybody(solver=Clerk(lambda run, task: True))) as server:
        end = session_on(tmp_path / "library", server.url, spec(1))
        assert server.count("judge") >= 1
    assert [(one.fate, one.truth) for one in end.ends if one.fate == "kept"] == [("kept", "confirmed")]
    assert (tmp_path / "library" / "work" / "rulings.jsonl").exists()


def test_what_a_person_changed_stays_and_only_that_task_is_run_again(tmp_path: Path) -> None:
    root = tmp_path / "library"
    with ScriptedServer(everybody()) as server:
        first = session_on(root, server.url, spec(3))
        path = root / "work" / "tasks" / "loans-02.yaml"
        draft = yaml.safe_load(path.read_text("utf-8"))
        draft["instructions"]["en"] += "\nThank you kindly for your help with this."
        path.write_text(yaml.safe_dump(draft, sort_keys=False, allow_unicode=True), "utf-8")
        asked = len(server.requests)
        again = session_on(root, server.url, spec(3))
        new = [str(r.messages) for r in server.requests[asked:]]
    assert new and all("Thank you kindly" in text for text in new)
    before = {one.task: one.content for one in first.ends}
    assert {one.task for one in again.ends if before[one.task] != one.content} == {"loans-02"}


def test_an_edited_task_that_does_not_hold_any_more_is_refused_by_name(tmp_path: Path) -> None:
    root = tmp_path / "library"
    with ScriptedServer(everybody()) as server:
        session_on(root, server.url, spec(1))
        path = root / "work" / "tasks" / "loans-01.yaml"
        draft = yaml.safe_load(path.read_text("utf-8"))
        draft["checks"] = [{"check": "only_changed", "at": ["/loans"]}]
        path.write_text(yaml.safe_dump(draft, sort_keys=False, allow_unicode=True), "utf-8")
        end = session_on(root, server.url, spec(1))
    found = {one.task: one for one in end.ends}["loans-01"]
    assert (found.fate, "all pass when nothing is done" in found.why) == ("gate", True)


def test_another_atom_changes_only_the_tasks_that_hold_it(tmp_path: Path) -> None:
    root = tmp_path / "library"
    with ScriptedServer(everybody()) as server:
        first = session_on(root, server.url, spec(3))
        atoms = root / "workplaces" / "loans" / "atoms.py"
        text = atoms.read_text("utf-8")
        atoms.write_text(text.replace("is gone for good. Please charge", "is gone for good. Kindly charge"))
        again = session_on(root, server.url, spec(3))
    before = {one.task: one for one in first.ends}
    changed = {one.task for one in again.ends if one.task in before and before[one.task].content != one.content}
    assert changed == {one.task for one in first.ends if "lost_tool" in one.atoms}


def test_a_rule_more_that_no_tool_asks_means_no_new_run(tmp_path: Path) -> None:
    root = tmp_path / "library"
    with ScriptedServer(everybody()) as server:
        first = session_on(root, server.url, spec(2))
        asked = server.count()
        tools = root / "workplaces" / "loans" / "tools.py"
        tools.write_text(
            f"{tools.read_text('utf-8')}\n\ndef is_of_age(age: int) -> bool:\n    return age > 17\n", "utf-8"
        )
        again = session_on(root, server.url, spec(2))
        assert server.count() == asked
    assert again.ends == first.ends


def test_another_clause_means_new_runs_for_what_cites_it_and_for_nothing_else(tmp_path: Path) -> None:
    root = tmp_path / "library"
    with ScriptedServer(everybody()) as server:
        first = session_on(root, server.url, spec(4))
        path = root / "clauses.yaml"
        path.write_text(
            path.read_text("utf-8").replace("has reserved is not extended", "has reserved stays not extended")
        )
        again = session_on(root, server.url, spec(4))
    before = {one.task: one for one in first.ends}
    changed = {one.task for one in again.ends if before[one.task].content != one.content}
    assert changed == {one.task for one in first.ends if "C-02" in one.clauses}
    assert changed != set(before)


def test_a_budget_ends_it_cleanly_and_a_larger_one_goes_on(tmp_path: Path) -> None:
    root = tmp_path / "library"
    with ScriptedServer(everybody()) as server:
        with pytest.raises(BudgetSpent):
            session_on(root, server.url, spec(3), budget=Budget(tokens=12_000))
        asked = server.count()
        end = session_on(root, server.url, spec(3))
        whole = server.count()
    with ScriptedServer(everybody()) as server:
        at_once = session_on(tmp_path / "other", server.url, spec(3))
        assert 0 < asked < whole == server.count(), "nothing was asked for twice"
    assert [one.fate for one in end.ends] == [one.fate for one in at_once.ends]


def test_drafts_alone_ask_nobody(tmp_path: Path) -> None:
    with ScriptedServer(everybody()) as server:
        end = session_on(tmp_path / "library", server.url, spec(6), until_drafts=True)
        assert server.count() == 0
    assert len(end.drafts) == 6
    assert len(list((tmp_path / "library" / "work" / "tasks").glob("*.yaml"))) == 6


class Slow(InProcess):
    """A workplace whose code is waited for, as one in the sandbox is, and is at fault after so many calls."""

    def __init__(self, folder: Path, calls: int) -> None:
        super().__init__(folder)
        self.calls = calls

    async def call_function(self, module: str, name: str, *arguments: Any) -> Any:
        for _ in range(20):
            await asyncio.sleep(0)
        self.calls -= 1
        if self.calls < 0:
            raise DataError("atoms.py", "is at fault")
        return await super().call_function(module, name, *arguments)


def slow(calls: int) -> Callable[[Path], InProcess]:
    return lambda folder: in_process(folder, Slow, calls=calls)


def test_a_task_sets_out_before_the_last_is_composed_and_few_crowd_the_gates(tmp_path: Path) -> None:
    root, composed, at_gates, most = tmp_path / "library", [], 0, 0

    async def found(bench: Any) -> list[str]:
        nonlocal at_gates, most
        composed.append(len(list((root / "work/tasks").glob("*.yaml"))))
        at_gates += 1
        most = max(most, at_gates)
        for _ in range(300):
            await asyncio.sleep(0)
        at_gates -= 1
        return []

    with ScriptedServer(everybody()) as server:
        end = session_on(root, server.url, spec(12), of=slow(10_000), findings=found)
    assert len(end.drafts) == 12
    assert composed[0] < 12 == composed[-1]
    assert 1 < most <= GATES_AT_ONCE


def test_answers_on_their_way_are_kept_when_an_atom_turns_out_to_be_at_fault(tmp_path: Path) -> None:
    root = tmp_path / "library"

    with ScriptedServer(everybody()) as server:
        with pytest.raises(DataError, match="is at fault"):
            session_on(root, server.url, spec(12), of=slow(8))
        asked = server.count()
        assert len((root / "work/spend.jsonl").read_bytes().splitlines()) == asked > 0
