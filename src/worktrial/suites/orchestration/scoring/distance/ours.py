"""Our score of a plan: exact edit distances of graphs from which the whole plan can be read back."""

import math
from dataclasses import dataclass, field
from functools import lru_cache

from worktrial.language import JsonObject
from worktrial.suites.orchestration.options import SEARCH_NODES
from worktrial.suites.orchestration.planning.scenario import WorkflowPlan
from worktrial.suites.orchestration.scoring.distance.exact import Distance, edit_distance
from worktrial.suites.orchestration.scoring.distance.graphs import Graph, PlanNode, chain_graph, workflow_graph

# Sums of shares fall short of 1 by a rounding.
_WHOLE = 1 - 1e-9


@dataclass(frozen=True, slots=True)
class PlanScore:
    """Likeness of a predicted plan to the gold one; similarities are 0-1, 1 is equal."""

    score: float
    """The mean of the two similarities."""
    structure: float
    """The similarity of the graphs of workflows."""
    components: float
    """The similarity of the graphs of steps."""
    exact: bool = True
    """Whether the edit distances are exact; false where a search was given up, and both are then lower bounds."""
    error: str | None = None
    """Why there is no score (and it is 0): the class of the exception that the published program raises, or
    `unparsed_gold` or `unparsed_prediction`."""
    chains: Distance | None = field(default=None, compare=False, repr=False)
    """The distance behind `components`, where it is of whole plans (`chain_graph`)."""

    @property
    def right(self) -> bool:
        """Whether the plans are equal."""
        return self.score >= _WHOLE

    def row(self) -> JsonObject:
        """Row for a record."""
        return {
            "score": self.score,
            "structure": self.structure,
            "components": self.components,
            "exact": self.exact,
            "error": self.error,
        }


OTHER_STATUS = 0.2
OTHER_NAME = {"step": 0.8, "workflow": 0.2}
"""Cost of another agent of a step, and of another type of a workflow.

Those of steps are the published costs. A workflow is what its steps and dependencies make it, so that status and
type together never weigh as much as one of those.
"""


def our_score(gold: WorkflowPlan, predicted: WorkflowPlan, *, nodes: int = SEARCH_NODES) -> PlanScore:
    """Likeness of two plans: the mean of two similarities, each 1 - distance / largest distance.

    *Structure* compares the graphs of workflows (`workflow_graph`), *components* those of workflows and steps
    (`chain_graph`). The distance is the exact edit distance: 1 to insert or delete a node or an edge, and to
    substitute

    - a step: 0.2 where the status differs, 0.8 where the agent differs, 1 for both;
    - a workflow: 0.2 where the status differs, 0.2 where the type differs, 0.4 for both;
    - nothing by what is of another kind. Ids that are depended on but not in the plan are a kind of their own.

    The largest distance is the number of nodes and edges of both graphs; two empty plans are equal.

    The score is symmetric, and 1 exactly where the plans are equal up to the ids of workflows, the order in which
    workflows and dependencies are written, and the spelling of a status or type (`plain_word`). The free text of a
    step's query is not compared. Dependencies of a workflow on itself or in a circle are edges like any other.

    Args:
        gold: One plan.
        predicted: The other.
        nodes: How many nodes the search for each of the distances may expand. Where that is not enough `exact` is
            false and the similarities are lower bounds.
    """
    structures = workflow_graph(gold), workflow_graph(predicted)
    structure = edit_distance(*structures, substitution=substitution, nodes=nodes)
    chains = chain_graph(gold), chain_graph(predicted)
    components = edit_distance(*chains, substitution=substitution, nodes=nodes)
    similarities = _similarity(structure, *structures), _similarity(components, *chains)
    exact = structure.exact and components.exact
    return PlanScore(sum(similarities) / 2, *similarities, exact=exact, chains=components)


# A pair of plans comes up as a step and for the goals, and again in every repeat; it is searched once.
remembered_score = lru_cache(maxsize=1024)(our_score)


def substitution(a: PlanNode, b: PlanNode) -> float:
    """Cost of turning one node of a plan into another; infinite for nodes of different kinds."""
    if a.kind != b.kind:
        return math.inf
    other_status = OTHER_STATUS if a.status != b.status else 0.0
    return other_status if a.name == b.name else other_status + OTHER_NAME[a.kind]


def _similarity(distance: Distance, a: Graph[PlanNode], b: Graph[PlanNode]) -> float:
    largest = a.size + b.size
    return 1 - distance.cost / largest if largest else 1.0
