"""The two graphs of the published score as graphs of ours, to compare the exact distance with the published one."""

from collections.abc import Hashable, Mapping
from itertools import pairwise
from typing import Any

from worktrial.suites.orchestration.scoring.distance.graphs import Graph
from worktrial.suites.orchestration.scoring.distance.published import dependencies_of, pairs_of, workflows_of


def published_workflow_graph(plan: Mapping[str, Any]) -> Graph[None]:
    """The structure graph of the published evaluation: a node per workflow key, edges from `depends_on` alone.

    An id that is not in the plan becomes a node, and a string is walked character by character, as published.
    """
    node: dict[Hashable, int] = {}
    edges = set()
    for key, workflow in workflows_of(plan).items():
        target = node.setdefault(key, len(node))
        for dependency in workflow.get("depends_on") or ():
            edges.add((node.setdefault(dependency, len(node)), target))
    return Graph((None,) * len(node), frozenset(edges))


def published_step_graph(plan: Mapping[str, Any]) -> Graph[tuple[Any, Any]]:
    """The components graph of the published evaluation: a node per distinct (agent, status) pair.

    Edges join consecutive pairs that differ, and the last pair of a dependency (`depends_on`, else `depend_on`)
    with the first of its dependent, which may be the same node.
    """
    workflows = workflows_of(plan)
    chains = {key: list(pairs_of(workflow)) for key, workflow in workflows.items()}
    node: dict[tuple[Any, Any], int] = {}
    for chain in chains.values():
        for pair in chain:
            node.setdefault(pair, len(node))
    edges = {(node[a], node[b]) for chain in chains.values() for a, b in pairwise(chain) if a != b}
    for key, workflow in workflows.items():
        for dependency in dependencies_of(workflow) if chains[key] else ():
            if chains.get(dependency):
                edges.add((node[chains[dependency][-1]], node[chains[key][0]]))
    return Graph(tuple(node), frozenset(edges))
