"""Carrying out plans: order, merging, what is stuck, and that it always ends."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worktrial.suites.orchestration.planning.dag import Phase, PlanState
from worktrial.suites.orchestration.planning.scenario import Workflow, WorkflowPlan, WorkflowStep


def _workflow(
    workflow_id: str, *after: str, status: str = "pending", queries: tuple[str, ...] = ("do it",), agent: str = "a"
) -> Workflow:
    steps = tuple(WorkflowStep(agent, status, query) for query in queries)
    return Workflow(workflow_id, status, "dependent" if after else "independent", after, steps)


def _state(*workflows: Workflow) -> PlanState:
    state = PlanState()
    state.merge(WorkflowPlan(workflows))
    return state


def _run(state: PlanState) -> list[str]:
    """Run whatever is ready until nothing is; the order of starts."""
    order = []
    while ready := state.ready():
        for workflow in ready:
            for _ in state.start(workflow.id):
                state.step_done(workflow.id)
            state.finish(workflow.id)
            order.append(workflow.id)
    return order


def _ready(state: PlanState) -> list[str]:
    return [workflow.id for workflow in state.ready()]


class TestOrder:
    def test_dependents_wait_and_the_rest_is_ready_at_once(self) -> None:
        state = _state(_workflow("workflow_1"), _workflow("workflow_2", "workflow_1"), _workflow("workflow_3"))
        assert _ready(state) == ["workflow_1", "workflow_3"]
        state.start("workflow_1")
        assert _ready(state) == ["workflow_3"]
        state.finish("workflow_1")
        assert _ready(state) == ["workflow_2", "workflow_3"]

    def test_what_is_not_ready_cannot_start_and_what_does_not_run_cannot_end(self) -> None:
        state = _state(_workflow("workflow_1"), _workflow("workflow_2", "workflow_1"))
        with pytest.raises(ValueError, match="workflow_2 is not ready"):
            state.start("workflow_2")
        with pytest.raises(ValueError, match="workflow_1 is pending, not running"):
            state.finish("workflow_1")
        state.start("workflow_1")
        with pytest.raises(ValueError, match="workflow_1 is not ready"):
            state.start("workflow_1")
        with pytest.raises(ValueError, match="workflow_1: still running"):
            state.merge(WorkflowPlan())

    def test_a_workflow_that_asked_goes_on_at_its_step_after_the_user_has_spoken(self) -> None:
        state = _state(_workflow("workflow_1", queries=("find", "book")), _workflow("workflow_2", "workflow_1"))
        state.start("workflow_1")
        state.step_done("workflow_1")
        state.wait_for_user("workflow_1")
        assert (_ready(state), state.stuck()) == ([], {})
        assert state.user_spoke() == ("workflow_1",)
        assert [step.query for step in state.start("workflow_1")] == ["book"]


class TestMerge:
    def test_completed_work_does_not_run_again_even_if_the_plan_forgets(self) -> None:
        state = _state(_workflow("workflow_1"))
        _run(state)
        assert state.merge(WorkflowPlan((_workflow("workflow_1"), _workflow("workflow_2", "workflow_1")))) == (
            "workflow_2",
        )
        assert _run(state) == ["workflow_2"]

    def test_completed_work_runs_again_from_its_first_changed_step(self) -> None:
        state = _state(_workflow("workflow_1", queries=("find", "book")))
        _run(state)
        state.merge(WorkflowPlan((_workflow("workflow_1", queries=("find", "book two")),)))
        assert [step.query for step in state.start("workflow_1")] == ["book two"]

    def test_completed_work_that_is_only_told_in_other_words_stays_done(self) -> None:
        state = _state(_workflow("workflow_1"))
        _run(state)
        assert state.merge(WorkflowPlan((_workflow("workflow_1", status="completed", queries=("done it",)),))) == ()
        assert _run(state) == []

    def test_the_plan_is_believed_when_it_says_that_something_is_completed(self) -> None:
        state = _state(_workflow("workflow_1", status="completed"), _workflow("workflow_2", "workflow_1"))
        assert _run(state) == ["workflow_2"]

    @pytest.mark.parametrize("status", ["canceled", "cancelled", "_x0008_cancelled", "Cancelled by the user"])
    def test_cancelled_work_stops_and_its_dependents_are_stuck(self, status: str) -> None:
        state = _state(_workflow("workflow_1"), _workflow("workflow_2", "workflow_1"))
        state.merge(WorkflowPlan((_workflow("workflow_1", status=status),)))
        assert _run(state) == []
        assert state.stuck() == {"workflow_2": "it depends on workflow_1, which was stopped: the plan cancelled it"}

    def test_paused_work_waits_for_the_next_turn_of_the_user_or_of_the_plan(self) -> None:
        state = _state(_workflow("workflow_1", status="paused"), _workflow("workflow_2", status="paused"))
        assert _run(state) == []
        state.merge(WorkflowPlan((_workflow("workflow_1"),)))
        assert _run(state) == ["workflow_1"]
        state.user_spoke()
        state.merge(WorkflowPlan((_workflow("workflow_2", status="paused"),)))
        assert _run(state) == []

    def test_work_that_asked_goes_on_waiting_unless_its_steps_changed(self) -> None:
        state = _state(_workflow("workflow_1"))
        state.start("workflow_1")
        state.wait_for_user("workflow_1")
        assert state.merge(WorkflowPlan((_workflow("workflow_1"),))) == ()
        assert state.merge(WorkflowPlan((_workflow("workflow_1", queries=("do it at 5",)),))) == ("workflow_1",)

    def test_failed_work_is_tried_again_when_the_plan_wants_it_and_not_when_it_repeats_the_failure(self) -> None:
        state = _state(_workflow("workflow_1"), _workflow("workflow_2", "workflow_1"))
        state.start("workflow_1")
        state.fail("workflow_1", "no such agent")
        assert state.stuck() == {"workflow_2": "it depends on workflow_1, which failed: no such agent"}
        assert state.merge(state.snapshot()) == ()
        assert state.merge(WorkflowPlan((_workflow("workflow_1", agent="b"),))) == ("workflow_1",)
        assert _run(state) == ["workflow_1", "workflow_2"]

    def test_left_out_workflows_stay_as_they_are(self) -> None:
        state = _state(_workflow("workflow_1"))
        state.merge(WorkflowPlan((_workflow("workflow_2"),)))
        assert _run(state) == ["workflow_1", "workflow_2"]

    def test_an_interruption_pauses_what_it_interrupts_until_the_user_speaks(self) -> None:
        state = _state(_workflow("workflow_1"), _workflow("workflow_2", "workflow_1"))
        state.start("workflow_1")
        state.finish("workflow_1")
        state.start("workflow_2")
        state.wait_for_user("workflow_2")
        state.user_spoke()
        state.merge(WorkflowPlan((_workflow("workflow_2", "workflow_1"), _workflow("interrupted_workflow_2-1"))))
        assert _run(state) == ["interrupted_workflow_2-1"]
        state.user_spoke()
        state.merge(WorkflowPlan((_workflow("workflow_2", "workflow_1"), _workflow("interrupted_workflow_2-1"))))
        assert _run(state) == ["workflow_2"]

    def test_a_replacement_takes_the_place_of_unfinished_work_for_its_dependents_too(self) -> None:
        state = _state(_workflow("workflow_1"), _workflow("workflow_2", "workflow_1"))
        state.merge(WorkflowPlan((_workflow("workflow_1"), _workflow("workflow_1-1"))))
        assert _run(state) == ["workflow_1-1", "workflow_2"]
        assert state["workflow_1"].phase is Phase.STOPPED

    def test_a_replacement_of_finished_work_leaves_it_done(self) -> None:
        state = _state(_workflow("workflow_1"))
        _run(state)
        second = _workflow("workflow_2", "workflow_1-1", status="paused")
        state.merge(WorkflowPlan((_workflow("workflow_1", status="completed"), second, _workflow("workflow_1-1"))))
        assert _run(state) == ["workflow_1-1"]
        state.user_spoke()
        assert _run(state) == ["workflow_2"]

    def test_steps_that_the_plan_says_are_completed_are_skipped(self) -> None:
        done, to_do = WorkflowStep("a", "completed", "find"), WorkflowStep("b", "pending", "book")
        state = _state(Workflow("workflow_1", steps=(done, to_do)))
        assert state.start("workflow_1") == (to_do,)


class TestStuck:
    def test_each_kind_has_its_reason(self) -> None:
        state = _state(
            _workflow("w1", "w2"),
            _workflow("w2", "w3"),
            _workflow("w3", "w1"),
            _workflow("w4", "w4"),
            _workflow("w5", "nowhere"),
            _workflow("w6", "w5"),
            _workflow("w7", "w1"),
            _workflow("w8"),
        )
        assert _run(state) == ["w8"]
        assert state.stuck() == {
            "w1": "it depends on itself: w1 -> w2 -> w3 -> w1",
            "w2": "it depends on itself: w2 -> w3 -> w1 -> w2",
            "w3": "it depends on itself: w3 -> w1 -> w2 -> w3",
            "w4": "it depends on itself: w4 -> w4",
            "w5": "it depends on nowhere, which is no workflow of the plan",
            "w6": "it depends on w5, which cannot start either",
            "w7": "it depends on w1, which cannot start either",
        }

    def test_a_new_plan_frees_it(self) -> None:
        state = _state(_workflow("w1", "w2"), _workflow("w2", "w1"))
        state.merge(WorkflowPlan((_workflow("w1"),)))
        assert _run(state) == ["w1", "w2"]
        assert state.stuck() == {}


def test_the_snapshot_says_how_things_stand() -> None:
    state = _state(
        _workflow("done"),
        _workflow("asked", queries=("one", "two")),
        _workflow("next", "asked"),
        _workflow("failed"),
    )
    _ = state.start("done"), state.finish("done"), state.start("failed"), state.fail("failed", "no tool")
    _ = state.start("asked"), state.step_done("asked"), state.wait_for_user("asked")
    plan = state.snapshot()
    assert {w.id: w.status for w in plan.workflows} == {
        "done": "completed",
        "asked": "paused",
        "next": "pending",
        "failed": "failed",
    }
    assert [step.status for step in plan.by_id["asked"].steps] == ["completed", "paused"]
    assert plan.by_id["next"].depends_on == ("asked",)


_IDS = [
    "workflow_1",
    "workflow_2",
    "workflow_3",
    "workflow_1-1",
    "interrupted_workflow_2",
    "interrupted_workflow_2-1",
]
_STATUSES = ["pending", "pending", "completed", "paused", "canceled", "failed", "???"]


@st.composite
def _acyclic_plans(draw: st.DrawFn) -> WorkflowPlan:
    count = draw(st.integers(1, 12))
    workflows = []
    for n in range(count):
        after = draw(st.sets(st.integers(0, n - 1), max_size=4)) if n else set()
        queries = tuple(draw(st.lists(st.sampled_from("xyz"), max_size=3)))
        workflows.append(_workflow(f"workflow_{n}", *(f"workflow_{a}" for a in sorted(after)), queries=queries))
    return WorkflowPlan(tuple(draw(st.permutations(workflows))))


@st.composite
def _any_plan(draw: st.DrawFn) -> WorkflowPlan:
    ids = draw(st.lists(st.sampled_from(_IDS), unique=True))
    return WorkflowPlan(
        tuple(
            _workflow(
                workflow_id,
                *draw(st.lists(st.sampled_from([*_IDS, "nowhere"]), max_size=3)),
                status=draw(st.sampled_from(_STATUSES)),
                queries=tuple(draw(st.lists(st.sampled_from("xy"), max_size=2))),
            )
            for workflow_id in ids
        )
    )


@given(_acyclic_plans())
def test_every_acyclic_plan_runs_to_its_end_in_order_and_once(plan: WorkflowPlan) -> None:
    state = PlanState()
    state.merge(plan)
    order = _run(state)
    assert sorted(order) == sorted(plan.by_id)
    place = {workflow_id: n for n, workflow_id in enumerate(order)}
    for workflow in plan.workflows:
        assert all(place[before] < place[workflow.id] for before in workflow.depends_on)
    assert state.merge(plan) == ()
    assert state.stuck() == {}
    assert {w.status for w in state.snapshot().workflows} == {"completed"}


@given(st.lists(_any_plan(), max_size=6), st.data())
def test_any_sequence_of_plans_ends_and_whatever_is_left_is_explained(
    plans: list[WorkflowPlan], data: st.DataObject
) -> None:
    state = PlanState()
    for plan in plans:
        state.merge(plan)
        starts = 0
        while ready := state.ready():
            workflow = data.draw(st.sampled_from(ready)).id
            # What was stopped may have left its place to another, which is done then.
            before = {state[d].phase for d in state[workflow].workflow.depends_on}
            assert before <= {Phase.DONE, Phase.STOPPED}
            state.start(workflow)
            end = data.draw(st.sampled_from([state.finish, state.wait_for_user, lambda w: state.fail(w, "why")]))
            end(workflow)
            starts += 1
        assert starts <= len(state.ids), "nothing starts twice between two plans"
        pending, stuck = set(state.in_phase(Phase.PENDING)), state.stuck()
        # What is neither ready nor stuck waits for the user, through however many others.
        assert set(stuck) <= pending
        if pending - set(stuck):
            assert state.in_phase(Phase.ASKED, Phase.PAUSED)
        if data.draw(st.booleans()):
            state.user_spoke()
