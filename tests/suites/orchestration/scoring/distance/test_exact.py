import itertools
import json
import math
import random
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import networkx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.data import real_data_dir
from tests.support.growth import calls
from tests.support.published_graphs import published_step_graph, published_workflow_graph

from worktrial.suites.orchestration.scoring.distance.exact import Distance, edit_distance
from worktrial.suites.orchestration.scoring.distance.graphs import Graph
from worktrial.suites.orchestration.scoring.distance.pairing import assignment, column_prices

Label = tuple[str, str]
Cost = Callable[[Any, Any], float]
LABELS = [("mail", "done"), ("mail", "open"), ("bank", "open"), ("shop", "lost")]


def published(a: Label, b: Label) -> float:
    return 0.8 * (a[0] != b[0]) + 0.2 * (a[1] != b[1])


def nothing(a: object, b: object) -> float:
    return 0.0


def all_or_nothing(a: Label, b: Label) -> float:
    return 0.0 if a == b else 1.0


def within_kinds(a: Label, b: Label) -> float:
    return math.inf if a[0] != b[0] else 0.2 * (a[1] != b[1])


def no_bargain(a: Label, b: Label) -> float:
    return 0.0 if a == b else 2.0


COSTS: list[Cost] = [published, nothing, all_or_nothing, within_kinds, no_bargain]


@st.composite
def graphs(draw: st.DrawFn, most: int = 4, loops: bool = True) -> Graph[Label]:
    labels = draw(st.lists(st.sampled_from(LABELS), max_size=most))
    pairs = [(s, t) for s in range(len(labels)) for t in range(len(labels)) if loops or s != t]
    edges = draw(st.sets(st.sampled_from(pairs))) if pairs else set()
    return Graph(tuple(labels), frozenset(edges))


@st.composite
def renumbered(draw: st.DrawFn, graph: Graph[Label]) -> Graph[Label]:
    new = draw(st.permutations(range(len(graph.labels))))
    labels = [label for _, label in sorted(zip(new, graph.labels, strict=True))]
    return Graph(tuple(labels), frozenset((new[s], new[t]) for s, t in graph.edges))


def brute_force(a: Graph[Label], b: Graph[Label], cost: Cost) -> float:
    """The least cost over all partial one-to-one mappings, straight from the definition."""
    best = math.inf

    def extend(partners: list[int | None]) -> None:
        nonlocal best
        if len(partners) < len(a.labels):
            for v in (None, *range(len(b.labels))):
                if v is None or v not in partners:
                    extend([*partners, v])
            return
        pairs = [(u, v) for u, v in enumerate(partners) if v is not None]
        kept = {(partners[s], partners[t]) for s, t in a.edges} & b.edges
        nodes = len(a.labels) + len(b.labels) - 2 * len(pairs)
        edges = len(a.edges) + len(b.edges) - 2 * len(kept)
        best = min(best, nodes + edges + sum(cost(a.labels[u], b.labels[v]) for u, v in pairs))

    extend([])
    return best


def by_networkx(a: Graph[Label], b: Graph[Label], cost: Cost) -> float:
    def made(graph: Graph[Label]) -> "networkx.DiGraph[int]":
        result: networkx.DiGraph[int] = networkx.DiGraph()
        result.add_nodes_from((n, {"label": label}) for n, label in enumerate(graph.labels))
        result.add_edges_from(sorted(graph.edges))
        return result

    found = networkx.graph_edit_distance(
        made(a), made(b), node_subst_cost=lambda x, y: cost(x["label"], y["label"])
    )
    assert found is not None
    return float(found)


@given(graphs(), graphs(), st.sampled_from(COSTS))
@settings(max_examples=300, deadline=None)
def test_the_distance_is_the_least_cost_of_all_mappings_in_both_directions(
    a: Graph[Label], b: Graph[Label], cost: Cost
) -> None:
    there = edit_distance(a, b, substitution=cost)
    assert there.exact
    assert there.cost == pytest.approx(brute_force(a, b, cost), abs=1e-9)
    assert edit_distance(b, a, substitution=cost) == there


@given(graphs(5, loops=False), graphs(5, loops=False), st.sampled_from([published, nothing, all_or_nothing]))
@settings(max_examples=60, deadline=None)
def test_networkx_agrees_where_no_node_has_an_edge_to_itself(a: Graph[Label], b: Graph[Label], cost: Cost) -> None:
    ours = edit_distance(a, b, substitution=cost)
    assert ours.cost == pytest.approx(by_networkx(a, b, cost), abs=1e-9)


@given(graphs(7).flatmap(lambda a: st.tuples(st.just(a), renumbered(a))), graphs(4))
@settings(deadline=None)
def test_numbers_of_nodes_do_not_matter(pair: tuple[Graph[Label], Graph[Label]], other: Graph[Label]) -> None:
    a, same = pair
    assert edit_distance(a, same, substitution=published) == Distance(0.0)
    ours = edit_distance(a, other, substitution=published)
    assert edit_distance(same, other, substitution=published) == ours


@given(graphs(4), graphs(4))
@settings(deadline=None)
def test_zero_means_equal(a: Graph[Label], b: Graph[Label]) -> None:
    def made(graph: Graph[Label]) -> "networkx.DiGraph[int]":
        result: networkx.DiGraph[int] = networkx.DiGraph()
        result.add_nodes_from((n, {"label": label}) for n, label in enumerate(graph.labels))
        result.add_edges_from(graph.edges)
        return result

    equal = networkx.is_isomorphic(made(a), made(b), node_match=lambda x, y: x["label"] == y["label"])
    assert (edit_distance(a, b, substitution=published).cost == 0) is equal


def test_edges_of_a_node_to_itself_count() -> None:
    mail = ("mail", "open")
    bare, looped = Graph((mail,)), Graph((mail,), frozenset({(0, 0)}))
    crossed = Graph((mail, mail), frozenset({(0, 1), (1, 0)}))
    both_looped = Graph((mail, mail), frozenset({(0, 0), (1, 1)}))
    for a, b, cost in [(bare, looped, 1), (looped, looped, 0), (crossed, both_looped, 4), (looped, crossed, 4)]:
        assert edit_distance(a, b, substitution=published) == Distance(cost)


def test_what_equal_parts_look_like_does_not_hide_how_they_are_joined() -> None:
    """Two triangles and a ring of six cannot be told apart by the colours of neighbourhoods."""
    triangles = Graph((1,) * 6, frozenset({(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)}))
    ring = Graph((1,) * 6, frozenset((n, (n + 1) % 6) for n in range(6)))
    assert edit_distance(triangles, ring, substitution=nothing) == Distance(4.0)
    # The same within one connected part.
    hub = frozenset((6, n) for n in range(6))
    wheels = [Graph((1,) * 7, graph.edges | hub) for graph in (triangles, ring)]
    assert edit_distance(*wheels, substitution=nothing) == Distance(4.0)


def test_without_nodes_the_cost_is_an_upper_bound_and_says_so() -> None:
    """One ring and two, in which every node looks like every other."""
    a = Graph((1,) * 40, frozenset((n, (n + 1) % 40) for n in range(40)))
    b = Graph((1,) * 40, frozenset((n, (n + 2) % 40) for n in range(40)))
    found = edit_distance(a, b, substitution=nothing, nodes=100)
    assert not found.exact
    assert 4 <= found.cost <= 80
    at_once = edit_distance(a, b, substitution=nothing, nodes=0)
    assert not at_once.exact
    assert at_once.cost >= found.cost
    few, many = (calls(lambda n=n: edit_distance(a, b, substitution=nothing, nodes=n)) for n in (50, 400))
    # What a node costs does not grow with the number of nodes.
    assert many < 10 * few


def test_a_distance_does_not_depend_on_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine hours may pass between two looks at the clock."""
    a = Graph(tuple(n % 3 for n in range(14)), frozenset((n, (n * 5 + 1) % 14) for n in range(14)))
    b = Graph(tuple(n % 3 for n in range(14)), frozenset((n, (n * 3 + 2) % 14) for n in range(14)))
    found = edit_distance(a, b, substitution=all_or_nothing)
    hours = itertools.count(step=3600)
    for clock in ("perf_counter", "monotonic", "time", "process_time"):
        monkeypatch.setattr(time, clock, lambda: float(next(hours)))
    assert edit_distance(a, b, substitution=all_or_nothing) == found
    assert found.exact


@pytest.mark.parametrize("chance", [0.3, 0.8])
def test_twelve_nodes_that_wait_for_each_other_in_circles_get_the_least_cost_that_was_found(chance: float) -> None:
    rng = random.Random(5)
    a, b = (
        Graph((1,) * 12, frozenset(e for e in itertools.permutations(range(12), 2) if rng.random() < chance))
        for _ in range(2)
    )
    costs = [edit_distance(a, b, substitution=nothing, nodes=nodes) for nodes in (0, 400, 4_000)]
    assert not any(found.exact for found in costs)
    # More nodes never make it worse.
    assert costs == sorted(costs, key=lambda found: -found.cost)
    # What is said to cost so much is a mapping that does.
    for found in costs:
        kept = {(found.partners.get(s), found.partners.get(t)) for s, t in a.edges} & b.edges
        nodes = len(a.labels) + len(b.labels) - 2 * len(found.partners)
        assert found.cost == nodes + len(a.edges) + len(b.edges) - 2 * len(kept)


@pytest.mark.parametrize("nodes", [170, 480, 5000])
def test_large_graphs_are_answered(nodes: int) -> None:
    a = Graph(tuple(n % 7 for n in range(nodes)), frozenset((n, n + 1) for n in range(nodes - 1)))
    b = Graph(tuple(n % 5 for n in range(nodes)), frozenset((n, n // 2) for n in range(nodes)))
    assert calls(lambda: edit_distance(a, b, substitution=lambda x, y: float(x != y), nodes=2000)) < 1_500_000
    found = edit_distance(a, b, substitution=lambda x, y: float(x != y), nodes=2000)
    assert not found.exact
    assert nodes / 10 < found.cost <= a.size + b.size
    assert edit_distance(a, replace(a), substitution=lambda x, y: float(x != y), nodes=2000) == Distance(0.0)


def test_a_graph_that_cannot_be_and_a_cost_that_must_not_be_are_refused() -> None:
    with pytest.raises(ValueError, match="edge 0 -> 2 in a graph of 2 nodes"):
        Graph(("a", "b"), frozenset({(0, 2)}))
    for cost in (-1.0, 2.5, math.nan):
        with pytest.raises(ValueError, match="'a' by 'b' costs"):
            edit_distance(Graph(("a",)), Graph(("b",)), substitution=lambda x, y, c=cost: c)  # type: ignore[misc]


@given(
    st.integers(1, 5).flatmap(lambda n: st.lists(st.lists(st.integers(-2, 9), min_size=n, max_size=n), max_size=5))
)
def test_an_assignment_is_the_best_and_prices_prove_it(gains: list[list[int]]) -> None:
    chosen = assignment(gains)
    columns = [column for column in chosen if column is not None]
    assert len(set(columns)) == len(columns)
    total = sum(row[column] for row, column in zip(gains, chosen, strict=True) if column is not None)
    assert all(row[column] >= 0 for row, column in zip(gains, chosen, strict=True) if column is not None)

    def best(row: int, left: frozenset[int]) -> int:
        if row == len(gains):
            return 0
        return max([best(row + 1, left), *(gains[row][c] + best(row + 1, left - {c}) for c in left)])

    assert total == best(0, frozenset(range(len(gains[0]))) if gains else frozenset())
    if gains and len(gains) <= len(gains[0]):
        prices = column_prices(gains)
        assert min(prices) >= 0
        left = sum(max(0, *(g - p for g, p in zip(row, prices, strict=True))) for row in gains)
        assert sum(prices) + left >= total


@pytest.mark.real_data
def test_the_published_distances_where_no_node_has_an_edge_to_itself() -> None:
    text = (real_data_dir() / "oracles" / "workflow_pairs.jsonl").read_text(encoding="utf-8")
    compared = 0
    for row in map(json.loads, text.splitlines()):
        ref = row["ref"]
        if ref["error"] is not None or "gold_workflow" not in row:
            continue
        for build, cost, part in [
            (published_workflow_graph, nothing, "struct"),
            (published_step_graph, published, "comp"),
        ]:
            gold, predicted = build(row["gold_workflow"]), build(row["predicted_workflow"])
            assert gold.size + predicted.size == ref[part]["max"], row["id"]
            if any(s == t for s, t in gold.edges | predicted.edges):
                continue
            found = edit_distance(predicted, gold, substitution=cost)
            assert found.cost == pytest.approx(ref[part]["cost"], abs=1e-9), row["id"]
            compared += 1
    assert compared > 300
