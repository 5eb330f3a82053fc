"""Plans as labelled directed graphs: the two of the published score, and the two of ours."""

import re
import unicodedata
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any, Generic, NamedTuple, TypeVar

from worktrial.language import JsonValue
from worktrial.suites.orchestration.planning.scenario import WorkflowPlan

Label = TypeVar("Label", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Graph(Generic[Label]):
    """A directed graph with labelled nodes; self-loops are allowed, parallel edges are not."""

    labels: tuple[Label, ...]
    """The label of each node; the nodes are 0 to n-1."""
    edges: frozenset[tuple[int, int]] = frozenset()
    """Source and target of each edge."""

    def __post_init__(self) -> None:
        n = len(self.labels)
        for source, target in self.edges:
            if not (0 <= source < n and 0 <= target < n):
                raise ValueError(f"edge {source} -> {target} in a graph of {n} nodes")

    @property
    def size(self) -> int:
        """Nodes plus edges: what it costs to insert or to delete the whole graph."""
        return len(self.labels) + len(self.edges)


class PlanNode(NamedTuple):
    """A node of one of our graphs. Nodes of different kinds have nothing in common."""

    kind: str
    """`workflow`, `step`, or `unknown` for a dependency that the plan does not contain."""
    name: str = ""
    """The agent of a step, the type of a workflow. Never an id: plans are compared up to renaming."""
    status: str = ""


UNKNOWN = PlanNode("unknown")


def workflow_graph(plan: WorkflowPlan) -> Graph[PlanNode]:
    """The workflows of a plan: a node each, and an edge from every dependency to its dependent.

    A dependency on an id that the plan does not contain counts too: each such id is a node of its own.
    """
    labels = [_workflow_node(workflow.type, workflow.status) for workflow in plan.workflows]
    node = {workflow.id: n for n, workflow in enumerate(plan.workflows)}
    edges = set()
    for n, workflow in enumerate(plan.workflows):
        for dependency in workflow.depends_on:
            if dependency not in node:
                node[dependency] = len(labels)
                labels.append(UNKNOWN)
            edges.add((node[dependency], n))
    return Graph(tuple(labels), frozenset(edges))


def chain_graph(plan: WorkflowPlan) -> Graph[PlanNode]:
    """A whole plan: each workflow is a chain of its own node and its steps in order.

    A dependency is an edge from the end of one chain (its last step, or its workflow where that has no steps) to
    the workflow node of the dependent. Steps are never merged. The plan can be read back from the graph up to the
    ids of workflows, the order in which they are written, and the order of dependencies.
    """
    labels: list[PlanNode] = []
    edges = set()
    head, tail = [], {}
    for workflow in plan.workflows:
        head.append(len(labels))
        labels.append(_workflow_node(workflow.type, workflow.status))
        for step in workflow.steps:
            edges.add((len(labels) - 1, len(labels)))
            labels.append(_step_node(step.agent, step.status))
        tail[workflow.id] = len(labels) - 1
    for n, workflow in zip(head, plan.workflows, strict=True):
        for dependency in workflow.depends_on:
            if dependency not in tail:
                tail[dependency] = len(labels)
                labels.append(UNKNOWN)
            edges.add((tail[dependency], n))
    return Graph(tuple(labels), frozenset(edges))


@lru_cache(maxsize=1024)
def _workflow_node(kind: str, status: str) -> PlanNode:
    return PlanNode("workflow", plain_word(kind), plain_word(status))


@lru_cache(maxsize=1024)
def _step_node(agent: str, status: str) -> PlanNode:
    return PlanNode("step", agent.strip(), plain_word(status))


_SPELLINGS = {"canceled": "cancelled", "complete": "completed", "competed": "completed"}
_ESCAPED_CONTROL = re.compile(r"_x00[01][0-9a-f]_", re.IGNORECASE)  # as spreadsheets write a control character


def plain_word(status: str) -> str:
    """A status or a type without what is only spelling: case, spaces, stray control characters, known variants.

    `competed`, `canceled` and `_x0008_cancelled` are in the gold plans of OrchestrationBench.
    """
    word = _ESCAPED_CONTROL.sub("", unicodedata.normalize("NFKC", status)).casefold()
    word = "".join(c for c in word if unicodedata.category(c) != "Cc" or c.isspace())
    word = "_".join(re.split(r"[\s_-]+", word.strip(" \t\r\n_-")))
    return _SPELLINGS.get(word, word)


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


Pair = tuple[JsonValue, JsonValue]
"""An agent and a status."""


def workflows_of(plan: JsonValue) -> dict[str, JsonValue]:
    """The workflows by key: all that have `workflow` in their key."""
    return {key: workflow for key, workflow in plan.items() if "workflow" in key}


def pairs_of(workflow: Mapping[str, JsonValue]) -> Iterable[Pair]:
    """(agent, status) of each step that names an agent, one by one, so that a bad step is met in its turn."""
    for step in workflow.get("steps") or ():
        agent = step.get("agent_id") or step.get("name")
        if agent:
            yield agent, step.get("status", "UNK")


def dependencies_of(workflow: Mapping[str, JsonValue]) -> Iterable[Any]:
    """A single id is one dependency in the spelling `depend_on`; the other is walked whatever it is."""
    several = workflow.get("depends_on")
    if several:
        return several  # type: ignore[no-any-return]
    other = workflow.get("depend_on") or ()
    return [other] if isinstance(other, str) else other
