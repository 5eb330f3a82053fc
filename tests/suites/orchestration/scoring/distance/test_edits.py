"""Edits of plans as people are shown them: as many as the score counts."""

from hypothesis import given, settings
from tests.suites.orchestration.scoring.distance.test_ours import BANK, MAIL, SHOP, flow, plan, plans

from worktrial.language import JsonObject
from worktrial.suites.orchestration.planning.scenario import WorkflowPlan, WorkflowStep
from worktrial.suites.orchestration.scoring.distance.edits import MOST_DRAWN, plan_edits
from worktrial.suites.orchestration.scoring.distance.graphs import chain_graph
from worktrial.suites.orchestration.scoring.distance.ours import OTHER_NAME, OTHER_STATUS, our_score


def _cost(edits: JsonObject) -> float:
    """Cost of the edits, read from what is told of them; `known` of a workflow is its type and its status."""
    cost = float(sum(fate != "kept" for _, _, fate in edits["edges"]))
    for node in edits["nodes"]:
        if node["fate"] in ("missing", "extra"):
            cost += 1
        elif node["kind"] == "workflow":
            gold, written = (node[side][1].split(", ") for side in ("gold", "written"))
            cost += OTHER_NAME["workflow"] * (gold[0] != written[0]) + OTHER_STATUS * (gold[1] != written[1])
        elif node["kind"] == "step":
            (agent, status), (other, now) = node["gold"], node["written"]
            cost += OTHER_NAME["step"] * (agent != other) + OTHER_STATUS * (status != now)
    return cost


@settings(max_examples=60, deadline=None)
@given(plans(), plans())
def test_they_cost_what_the_score_says(gold: WorkflowPlan, written: WorkflowPlan) -> None:
    score = our_score(gold, written)
    edits = plan_edits(gold, written, score)
    assert edits is not None and edits["least"] and score.exact
    largest = chain_graph(gold).size + chain_graph(written).size
    assert abs(_cost(edits) - (1 - score.components) * largest) < 1e-6
    sides = [[node[side] is not None for node in edits["nodes"]].count(True) for side in ("gold", "written")]
    assert sides == [len(chain_graph(side).labels) for side in (gold, written)]
    kept = [edge[2] for edge in edits["edges"]]
    assert len(kept) - kept.count("extra") == len(chain_graph(gold).edges)
    assert len(kept) - kept.count("missing") == len(chain_graph(written).edges)


def test_each_edit_is_told() -> None:
    done = WorkflowStep("shop_agent", "completed")
    gold = plan(flow("a", MAIL, BANK), flow("b", SHOP, after=["a"]))
    written = plan(flow("one", MAIL), flow("two", done, after=["one", "elsewhere"]))
    edits = plan_edits(gold, written, our_score(gold, written))
    assert edits is not None and edits["least"]
    assert [(node["fate"], node["gold"], node["written"]) for node in edits["nodes"]] == [
        ("kept", ["a", "independent, pending"], ["one", "independent, pending"]),
        ("kept", ["mail_agent", "pending"], ["mail_agent", "pending"]),
        ("missing", ["bank_agent", "pending"], None),
        ("kept", ["b", "independent, pending"], ["two", "independent, pending"]),
        ("changed", ["shop_agent", "pending"], ["shop_agent", "completed"]),
        ("extra", None, ["elsewhere", "not in the plan"]),
    ]
    missing, kept, extra = [[1, 2], [2, 3]], [[0, 1], [3, 4]], [[1, 3], [5, 3]]
    fates = {"missing": missing, "kept": kept, "extra": extra}
    assert sorted(edits["edges"]) == sorted([*edge, fate] for fate, edges in fates.items() for edge in edges)


def test_of_what_is_too_large_nothing_is_drawn_and_a_search_that_is_given_up_is_told() -> None:
    large, small = plan(*(flow(f"w{n}") for n in range(MOST_DRAWN + 1))), plan(flow("a"))
    for one, other in ((large, small), (small, large)):
        assert plan_edits(one, other, our_score(one, other)) is None
    ring = plan(*(flow(f"w{n}", after=[f"w{(n + 1) % 6}"]) for n in range(6)))
    rings = plan(*(flow(f"w{n}", after=[f"w{n // 3 * 3 + (n + 1) % 3}"]) for n in range(6)))
    for nodes, least in ((0, False), (2_000, True)):
        edits = plan_edits(ring, rings, our_score(ring, rings, nodes=nodes))
        assert edits is not None and edits["least"] is least
