"""Plans as the two labelled directed graphs of our score."""

import re
import unicodedata
from collections.abc import Hashable
from dataclasses import dataclass
from functools import lru_cache
from typing import Generic, NamedTuple, TypeVar

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
