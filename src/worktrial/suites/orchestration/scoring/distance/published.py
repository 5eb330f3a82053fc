"""The published workflow score: graph edit distance by networkx (OrchestrationBench, its evaluation program).

What it does is kept, defects included: only `depends_on` shapes the structure, a string there is walked letter by
letter, equal (agent, status) pairs are one node, and networkx counts too little where a node has an edge to itself,
depending on the order in which nodes and edges came. So the graphs are built in the program's order.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from worktrial.language import JsonValue
from worktrial.suites.orchestration.options import SEARCH_NODES
from worktrial.suites.orchestration.planning.published_plan_text import published_reading
from worktrial.suites.orchestration.scoring.distance.ours import PlanScore

if TYPE_CHECKING:
    import networkx

    Graph = networkx.DiGraph[Any]

_OTHER_STATUS = 0.2
_OTHER_AGENT = 0.8
_OTHER_BOTH = 1.0

_MAX_NODES = 150
_MAX_EDGES = 400
"""Most nodes and edges in both graphs together. Beyond, the matrices that networkx begins with take too long."""
_USUAL_SIZE = 30
"""Nodes and edges of both graphs up to which one look counts once; assignments of larger ones take longer."""
_LOOKS = 8
"""Looks of networkx for each node of a search: the published program has no bound, so that this one is far off."""


@dataclass(frozen=True, slots=True)
class GraphSize:
    """Size of a graph."""

    nodes: int
    edges: int
    self_loops: int


@dataclass(frozen=True, slots=True)
class GraphMatch:
    """Distance of two graphs."""

    cost: float
    """The edit distance; an upper bound of it where `exact` is false."""
    most: float
    """The cost of deleting one graph and inserting the other: nodes and edges of both."""
    predicted: GraphSize
    gold: GraphSize
    exact: bool = True

    @property
    def similarity(self) -> float:
        """1 for no distance, 0 for the most; 1 for two empty graphs."""
        return 1 - self.cost / self.most if self.most > 0 else 1.0


@dataclass(frozen=True, slots=True)
class PublishedMatch:
    """The two comparisons behind a published score."""

    structure: GraphMatch
    components: GraphMatch

    @property
    def score(self) -> PlanScore:
        """The published score: the mean of the two similarities."""
        structure, components = self.structure.similarity, self.components.similarity
        exact = self.structure.exact and self.components.exact
        return PlanScore(structure * 0.5 + components * 0.5, structure, components, exact)


Pair = tuple[JsonValue, JsonValue]
"""An agent and a status."""


def published_score(gold: JsonValue, predicted: JsonValue, *, nodes: int | None = SEARCH_NODES) -> PlanScore:
    """Likeness of two plans by the published evaluation, given as the mappings it parsed.

    Args:
        gold: the gold plan, workflow id to workflow.
        predicted: the predicted plan.
        nodes: bound on the partial edits that networkx may look at for each of the two distances: eight for each
            of these, fewer of large graphs. Where that is not enough the best edit found counts, so that
            similarities are lower bounds, and `exact` is false. None for any number, which is what the published
            program does.

    Returns:
        The score; 0 with the class of the exception as `error` where the published program raises one.
    """
    try:
        return published_match(gold, predicted, nodes=nodes).score
    except (TypeError, AttributeError, ValueError, LookupError, RecursionError) as error:
        return _no_score(type(error).__name__)


def published_text_score(gold_text: str, predicted_text: str, *, nodes: int | None = SEARCH_NODES) -> PlanScore:
    """Likeness of two plans by the published evaluation, given as the texts that hold them.

    Returns:
        As `published_score`; 0 with `unparsed_gold` or `unparsed_prediction` as `error` where it finds no plan.
    """
    gold, predicted = published_reading(gold_text), published_reading(predicted_text)
    error = gold.error or predicted.error
    if error is not None:
        return _no_score(error)
    if gold.plan is None:
        return _no_score("unparsed_gold")
    if predicted.plan is None:
        return _no_score("unparsed_prediction")
    return published_score(gold.plan, predicted.plan, nodes=nodes)


def published_match(gold: JsonValue, predicted: JsonValue, *, nodes: int | None = SEARCH_NODES) -> PublishedMatch:
    """The comparisons of structure and components, with costs and sizes; arguments as for `published_score`.

    Raises:
        TypeError, AttributeError, ValueError, LookupError: as the published program does, for plans it cannot take.
    """
    predicted_workflows, gold_workflows = workflows_of(predicted), workflows_of(gold)
    structures = _structure(predicted_workflows), _structure(gold_workflows)
    components = _components(predicted_workflows), _components(gold_workflows)
    return PublishedMatch(_match(*structures, nodes=nodes), _match(*components, nodes=nodes))


def _no_score(error: str) -> PlanScore:
    return PlanScore(0.0, 0.0, 0.0, error=error)


def _structure(workflows: Mapping[str, JsonValue]) -> "Graph":
    """A node per workflow and per thing that `depends_on` yields; an edge from it to the workflow."""
    import networkx

    graph: Graph = networkx.DiGraph()
    for key, workflow in workflows.items():
        graph.add_node(key)
        graph.add_edges_from((dependency, key) for dependency in workflow.get("depends_on") or ())
    return graph


def _components(workflows: Mapping[str, JsonValue]) -> "Graph":
    """A node per distinct (agent, status); edges along a workflow's steps and along its dependencies."""
    import networkx

    graph: Graph = networkx.DiGraph()
    chains: dict[str, list[Pair]] = {}
    for key, workflow in workflows.items():
        chains[key] = []
        for pair in pairs_of(workflow):
            graph.add_node(pair, agent=pair[0], status=pair[1])
            chains[key].append(pair)
    for chain in chains.values():
        graph.add_edges_from((a, b) for a, b in pairwise(chain) if a != b)
    for key, workflow in workflows.items():
        if chain := chains[key]:
            for dependency in dependencies_of(workflow):
                if before := chains.get(dependency):
                    graph.add_edge(before[-1], chain[0])
    return graph


def _match(predicted: "Graph", gold: "Graph", *, nodes: int | None) -> GraphMatch:
    import networkx

    both = len(predicted) + len(gold)
    edges = predicted.number_of_edges() + gold.number_of_edges()
    most = float(both + edges)
    sizes = _size(predicted), _size(gold)
    if nodes is not None and (both > _MAX_NODES or edges > _MAX_EDGES):
        return GraphMatch(most, most, *sizes, exact=False)
    if len(predicted) <= 1 and len(gold) <= 1:
        # Up to 3.5, with which the published figures were made, networkx never came to look at the edges of a first
        # pair of nodes; since 3.6 it does where only one of the graphs has any. Same figures with every release.
        predicted, gold = networkx.create_empty_copy(predicted), networkx.create_empty_copy(gold)
    looks = None if nodes is None else _LOOKS * nodes // (1 + int(most) ** 2 // _USUAL_SIZE**2)
    bound: Any = _CountedBound(most, looks)
    # A list of the costs of ever better edits, as networkx finds them; what it returns is the last.
    found = networkx.optimize_graph_edit_distance(
        predicted,
        gold,
        node_subst_cost=_substitution,
        node_del_cost=_one,
        node_ins_cost=_one,
        edge_subst_cost=_nothing,
        edge_del_cost=_one,
        edge_ins_cost=_one,
        upper_bound=bound,
    )
    cost = most
    try:
        for better in found:
            cost = float(better)
    except _Spent:
        return GraphMatch(cost, most, *sizes, exact=False)
    return GraphMatch(cost, most, *sizes)


class _Spent(Exception):
    """networkx has looked at as many partial edits as it may."""


class _CountedBound:
    """An upper bound for networkx that counts how often a cost is compared with it.

    networkx compares the cost of every partial edit with its upper bound before it goes on with it. Its own way to
    give up early is a clock, and what it has found by then depends on the machine.
    """

    __array_ufunc__ = None  # so that numpy's numbers leave the comparison to it

    def __init__(self, most: float, looks: int | None) -> None:
        self._most = most
        self._left = looks

    def __lt__(self, cost: float) -> bool:
        """Whether `cost` is beyond the bound.

        Raises:
            _Spent: it has been asked often enough.
        """
        if self._left is not None:
            self._left -= 1
            if self._left < 0:
                raise _Spent
        return self._most < cost


def _size(graph: "Graph") -> GraphSize:
    return GraphSize(len(graph), graph.number_of_edges(), sum(1 for node in graph if graph.has_edge(node, node)))


def _substitution(predicted: Mapping[str, JsonValue], gold: Mapping[str, JsonValue]) -> float:
    """The cost of putting one node in another's place; nodes of the structure have neither agent nor status."""
    same_agent = predicted.get("agent") == gold.get("agent")
    if predicted.get("status") == gold.get("status"):
        return 0.0 if same_agent else _OTHER_AGENT
    return _OTHER_STATUS if same_agent else _OTHER_BOTH


def _one(_: object) -> float:
    return 1.0


def _nothing(_: object, __: object) -> float:
    return 0.0


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
