import json
import random
from collections.abc import Iterable
from dataclasses import replace
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.data import real_data_dir
from tests.support.growth import calls

from worktrial.suites.orchestration.planning.plan_text import NotAPlan, read_plan
from worktrial.suites.orchestration.planning.scenario import Workflow, WorkflowPlan, WorkflowStep
from worktrial.suites.orchestration.scoring.distance.graphs import plain_word
from worktrial.suites.orchestration.scoring.distance.ours import PlanScore, our_score

MAIL, BANK, SHOP = (WorkflowStep(agent) for agent in ("mail_agent", "bank_agent", "shop_agent"))


def plan(*workflows: Workflow) -> WorkflowPlan:
    return WorkflowPlan(workflows)


def flow(name: str, *steps: WorkflowStep, after: Iterable[str] = (), status: str = "pending") -> Workflow:
    return Workflow(name, status, "independent", tuple(after), steps)


steps = st.builds(
    WorkflowStep,
    st.sampled_from(["mail_agent", "bank_agent"]),
    st.sampled_from(["pending", "completed"]),
    st.just(""),
)


@st.composite
def plans(draw: st.DrawFn, most: int = 3) -> WorkflowPlan:
    ids = [f"workflow_{n}" for n in range(draw(st.integers(0, most)))]
    known = st.sampled_from([*ids, "elsewhere", "nowhere"])
    return WorkflowPlan(
        tuple(
            Workflow(
                name,
                draw(st.sampled_from(["pending", "completed"])),
                draw(st.sampled_from(["independent", "dependent"])),
                tuple(draw(st.lists(known, max_size=2))),
                tuple(draw(st.lists(steps, max_size=2))),
            )
            for name in ids
        )
    )


@st.composite
def rewritten(draw: st.DrawFn, original: WorkflowPlan) -> WorkflowPlan:
    """The same plan with other ids, known and unknown, and everything that has no order in another order."""
    ids = sorted({name for w in original.workflows for name in (w.id, *w.depends_on)})
    new = dict(zip(ids, draw(st.permutations([f"job-{n}" for n in range(len(ids))])), strict=True))
    spelled = {"pending": " Pending", "completed": "competed"}
    return WorkflowPlan(
        tuple(
            replace(
                w,
                id=new[w.id],
                depends_on=tuple(new[d] for d in reversed(w.depends_on)),
                status=spelled[w.status],
                steps=tuple(replace(s, query="in other words") for s in w.steps),
            )
            for w in draw(st.permutations(original.workflows))
        )
    )


def equal_up_to_ids(a: WorkflowPlan, b: WorkflowPlan) -> bool:
    """Whether some renaming of ids makes them the same, by trying all."""

    def written(one: WorkflowPlan, ids: dict[str, object]) -> set[object]:
        return {
            (ids[w.id], w.status, w.type, frozenset(ids[d] for d in w.depends_on), w.steps) for w in one.workflows
        }

    def ids_of(one: WorkflowPlan) -> tuple[list[str], list[str]]:
        own = [w.id for w in one.workflows]
        return own, sorted({d for w in one.workflows for d in w.depends_on} - set(own))

    (own_a, other_a), (own_b, other_b) = ids_of(a), ids_of(b)
    if len(own_a) != len(own_b) or len(other_a) != len(other_b):
        return False
    target = written(b, {name: name for name in own_b + other_b})
    return any(
        written(a, dict(zip(own_a + other_a, (*own, *other), strict=True))) == target
        for own in permutations(own_b)
        for other in permutations(other_b)
    )


@given(plans(), plans())
@settings(deadline=None)
def test_the_score_is_symmetric_and_1_exactly_on_equal_plans(a: WorkflowPlan, b: WorkflowPlan) -> None:
    score = our_score(a, b)
    assert score.exact
    assert score.error is None
    assert 0 <= score.structure <= 1
    assert 0 <= score.components <= 1
    assert score.score == (score.structure + score.components) / 2
    assert our_score(b, a) == score
    assert (score.score == 1) is equal_up_to_ids(a, b)


@given(plans(5).flatmap(lambda a: st.tuples(st.just(a), rewritten(a))), plans())
@settings(deadline=None)
def test_ids_orders_spellings_and_words_do_not_matter(
    pair: tuple[WorkflowPlan, WorkflowPlan], other: WorkflowPlan
) -> None:
    a, same = pair
    assert our_score(a, same) == PlanScore(1.0, 1.0, 1.0)
    assert our_score(same, other) == our_score(a, other)


def test_what_differs_costs_what_it_should() -> None:
    gold = plan(flow("a", MAIL, BANK), flow("b", SHOP, after=["a"]))  # 2 + 1 and 5 + 4 nodes and edges
    for change, structure, components in [
        # a status or an agent of a step
        (plan(flow("a", MAIL, replace(BANK, status="paused")), flow("b", SHOP, after=["a"])), 0.0, 0.2),
        (plan(flow("a", MAIL, replace(BANK, agent="tax_agent")), flow("b", SHOP, after=["a"])), 0.0, 0.8),
        (plan(flow("a", MAIL, WorkflowStep("tax_agent", "paused")), flow("b", SHOP, after=["a"])), 0.0, 1.0),
        # status and type of a workflow
        (plan(flow("a", MAIL, BANK, status="paused"), flow("b", SHOP, after=["a"])), 0.2, 0.2),
        (plan(flow("a", MAIL, BANK), Workflow("b", "x", "dependent", ("a",), (SHOP,))), 0.4, 0.4),
        # the dependency is the other way round: one edge goes, another comes
        (plan(flow("a", MAIL, BANK, after=["b"]), flow("b", SHOP)), 0.0, 2.0),
    ]:
        score = our_score(gold, change)
        assert score.structure == pytest.approx(1 - structure / 6)
        assert score.components == pytest.approx(1 - components / 18)
    # no dependency; one on itself; one more on an unknown id, which is a node and an edge
    for after, structure, components in [
        ([], 1 - 1 / (3 + 2), 1 - 1 / (9 + 8)),
        (["b"], 1 - 2 / (3 + 3), 1 - 2 / (9 + 9)),
        (["a", "nowhere"], 1 - 2 / (3 + 5), 1 - 2 / (9 + 11)),
    ]:
        score = our_score(gold, plan(flow("a", MAIL, BANK), flow("b", SHOP, after=after)))
        assert score.structure == pytest.approx(structure)
        assert score.components == pytest.approx(components)


def test_steps_are_not_merged_and_belong_to_their_workflow() -> None:
    twice, once = plan(flow("a", MAIL, MAIL)), plan(flow("a", MAIL))
    assert our_score(twice, once).components < 1
    # The same workflows and the same steps, but not in the same workflows.
    here = plan(flow("a", MAIL), flow("b", BANK, status="paused"))
    there = plan(flow("a", BANK), flow("b", MAIL, status="paused"))
    assert our_score(here, there).structure == 1
    assert our_score(here, there).components < 1
    # A workflow without steps still counts, and so does a dependency on it.
    idle = plan(flow("a"), flow("b", MAIL, after=["a"]))
    assert our_score(idle, plan(flow("a"), flow("b", MAIL))).components < 1


def test_empty_plans() -> None:
    assert our_score(plan(), plan()) == PlanScore(1.0, 1.0, 1.0)
    assert our_score(plan(), plan(flow("a", MAIL))) == PlanScore(0.0, 0.0, 0.0)
    assert our_score(plan(flow("a", MAIL)), plan()) == PlanScore(0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("canceled", "cancelled"),
        ("_x0008_cancelled", "cancelled"),
        ("\bcancelled", "cancelled"),
        ("competed", "completed"),
        (" Waiting for-input ", "waiting_for_input"),
        ("ＰＥＮＤＩＮＧ", "pending"),
        ("failed", "failed"),
        ("", ""),
    ],
)
def test_spellings_of_a_status(written: str, plain: str) -> None:
    assert plain_word(written) == plain


def test_circles_and_hostile_plans_are_scored_within_the_bound() -> None:
    ring = plan(*(flow(f"w{n}", MAIL, after=[f"w{(n + 1) % 60}"]) for n in range(60)))
    rings = plan(*(flow(f"w{n}", MAIL, after=[f"w{(n + 2) % 60}"]) for n in range(60)))
    assert calls(lambda: our_score(ring, rings, nodes=200)) < 800_000
    score = our_score(ring, rings, nodes=200)
    assert not score.exact
    assert 0 < score.score < 1
    huge = plan(*(flow(f"w{n}", *[MAIL, BANK] * 5, after=[f"w{n + 1}"]) for n in range(400)))
    assert our_score(huge, replace(huge), nodes=200) == PlanScore(1.0, 1.0, 1.0)
    assert 0 < our_score(ring, huge, nodes=200).score < 0.5


def test_a_plan_of_ten_by_ten_is_found_again_under_other_names_and_after_edits() -> None:
    agents = [f"agent_{n * n % 17}" for n in range(100)]
    flows = [
        flow(f"w{n}", *map(WorkflowStep, agents[10 * n : 10 * n + 10]), after=[f"w{n // 2}"] if n else [])
        for n in range(10)
    ]
    renamed = [replace(f, id=f"x{f.id}", depends_on=tuple(f"x{d}" for d in f.depends_on)) for f in reversed(flows)]
    assert our_score(plan(*flows), plan(*renamed)) == PlanScore(1.0, 1.0, 1.0)
    renamed[3] = replace(renamed[3], steps=(*renamed[3].steps[:4], BANK, *renamed[3].steps[5:]))
    score = our_score(plan(*flows), plan(*renamed))
    assert score.exact
    assert score.components == pytest.approx(1 - 0.8 / (2 * (110 + 109)))


def _any_plan(rng: random.Random, steps: int, workflows: int, density: float, agents: int) -> WorkflowPlan:
    """A plan of random agents and statuses whose workflows depend on random earlier ones."""
    cuts = [0, *sorted(rng.sample(range(1, steps), workflows - 1)), steps]
    flows = []
    for n in range(workflows):
        after = [f"w{before}" for before in range(n) if rng.random() < density]
        work = [
            WorkflowStep(rng.choice("abcdefgh"[:agents]), rng.choice(["pending", "completed", "paused"]))
            for _ in range(cuts[n + 1] - cuts[n])
        ]
        flows.append(flow(f"w{n}", *work, after=after))
    return plan(*flows)


@pytest.mark.parametrize("seed", range(12))
def test_a_score_of_plans_of_twelve_steps_is_exact_or_at_least_so_high(seed: int) -> None:
    rng = random.Random(seed)
    workflows, density, agents = rng.choice([1, 2, 3, 6, 9, 12]), rng.choice([0.1, 0.2, 0.3]), rng.choice([1, 3, 8])
    a, b = (_any_plan(rng, 12, workflows, density, agents) for _ in range(2))
    both = our_score(a, b), our_score(b, a)
    exact = [score for score in both if score.exact]
    assert exact
    assert all(score == exact[0] for score in exact)
    assert all(score.score <= exact[0].score for score in both)


def test_a_hard_plan_in_circles_costs_the_default_bound_seconds_and_no_minutes() -> None:
    """Twelve workflows that each wait for two others: it took 200 s of branches and came out no better a plan."""
    rng = random.Random(5)
    a, b = (
        plan(*(flow(f"w{n}", MAIL, after=[f"w{m}" for m in rng.sample(range(12), 2)]) for n in range(12)))
        for _ in range(2)
    )
    assert calls(lambda: our_score(a, b)) < 15_000_000
    score = our_score(a, b)
    assert not score.exact
    assert 0.7 < score.score < 1


@pytest.mark.real_data
def test_plans_of_the_release_are_scored_exactly_and_fast() -> None:
    text = (real_data_dir() / "oracles" / "workflow_pairs.jsonl").read_text(encoding="utf-8")
    scored = 0
    for row in map(json.loads, text.splitlines()):
        try:
            gold, predicted = read_plan(row.get("gold_workflow")), read_plan(row.get("predicted_workflow"))
        except NotAPlan:
            continue
        score = our_score(gold, predicted)
        assert score.exact, row["id"]
        assert score == our_score(predicted, gold), row["id"]
        assert our_score(gold, gold).score == 1
        scored += 1
    assert scored > 150
