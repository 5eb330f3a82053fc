"""Edits that turn a gold plan into the one that was written, node by node, for people to look at."""

from collections.abc import Iterator
from textwrap import shorten
from typing import NamedTuple

from worktrial.language import JsonObject
from worktrial.language.untrusted import encodable
from worktrial.suites.orchestration.planning.scenario import WorkflowPlan
from worktrial.suites.orchestration.scoring.distance.graphs import UNKNOWN, Graph, PlanNode, chain_graph
from worktrial.suites.orchestration.scoring.distance.ours import PlanScore, substitution
from worktrial.suites.orchestration.scoring.distance.pairing import label_pairing
from worktrial.suites.orchestration.scoring.distance.search import SearchBudget, search

MOST_DRAWN = 60
"""Nodes of the larger plan up to which its edits are told: more are no picture."""
SEARCHED = 300
"""Nodes of the search tree that are looked at for the fewest edits."""
_NAME = 60  # characters


class EditPairs(NamedTuple):
    """A mapping of one graph's nodes to those of another, from which the edits follow."""

    partners: dict[int, int]
    least: bool
    """Whether no other mapping costs less."""


def edits_of(gold: WorkflowPlan, written: WorkflowPlan | None, score: PlanScore) -> JsonObject:
    """Field `edits` (`plan_edits`) of a plan's row, where there is a plan and it is not the gold one."""
    edits = None if written is None or score.right else plan_edits(gold, written)
    return {} if edits is None else {"edits": edits}


def plan_edits(gold: WorkflowPlan, written: WorkflowPlan) -> JsonObject | None:
    """Edits between the graphs whose likeness is `PlanScore.components`; None where one is too large.

    `nodes` are those of both plans, a pair once: `kind` (of `PlanNode`), `fate` (`kept`, `changed`, `missing`,
    `extra`), and for `gold` and `written` its name and what else is known of it, null on the side that lacks it.
    `edges` are places of two nodes with `kept`, `missing` or `extra`. `least` says whether no shorter way leads
    from one plan to the other.
    """
    a, b = chain_graph(gold), chain_graph(written)
    if max(len(a.labels), len(b.labels)) > MOST_DRAWN:
        return None
    pairs = edit_pairs(a, b)
    ours, theirs = list(_told(gold, a)), list(_told(written, b))
    place = {v: u for u, v in pairs.partners.items()}
    nodes: list[JsonObject] = []
    for u, label in enumerate(a.labels):
        v = pairs.partners.get(u)
        changed = v is not None and substitution(label, b.labels[v]) > 0
        fate = "missing" if v is None else "changed" if changed else "kept"
        told = None if v is None else theirs[v]
        nodes.append({"kind": label.kind, "fate": fate, "gold": ours[u], "written": told})
    for v, label in enumerate(b.labels):
        if v not in place:
            place[v] = len(nodes)
            nodes.append({"kind": label.kind, "fate": "extra", "gold": None, "written": theirs[v]})
    wrote = {(place[source], place[target]) for source, target in b.edges}
    edges = [[*edge, "kept" if edge in wrote else "missing"] for edge in sorted(a.edges)]
    edges += [[*edge, "extra"] for edge in sorted(wrote - a.edges)]
    return {"nodes": nodes, "edges": edges, "least": pairs.least}


def edit_pairs(a: Graph[PlanNode], b: Graph[PlanNode], *, nodes: int = SEARCHED) -> EditPairs:
    """The mapping of `a` into `b` that costs least, as far as `nodes` of the search tree show."""
    if len(a.labels) > len(b.labels):
        partners, least = edit_pairs(b, a, nodes=nodes)
        return EditPairs({u: v for v, u in partners.items()}, least)
    if a == b:
        return EditPairs({n: n for n in range(len(a.labels))}, least=True)
    pairing = label_pairing(a, b, substitution)
    if pairing.saved == pairing.limit:
        return EditPairs(pairing.partners, least=True)
    found = search(a, b, substitution, pairing.saved, SearchBudget(nodes))
    return EditPairs(pairing.partners if found.partners is None else found.partners, found.exact)


def _told(plan: WorkflowPlan, graph: Graph[PlanNode]) -> Iterator[list[str]]:
    """Name and what else is known of each node of a plan's `chain_graph`, in the order of its nodes."""
    names = []
    for workflow in plan.workflows:
        names += [workflow.id, *(step.agent for step in workflow.steps)]
    known = plan.by_id
    waited = (name for workflow in plan.workflows for name in workflow.depends_on)
    names += dict.fromkeys(name for name in waited if name not in known)
    for name, label in zip(names, graph.labels, strict=True):
        about = "not in the plan" if label == UNKNOWN else _about(label)
        yield [_shown(name), _shown(about)]


def _shown(text: str) -> str:
    return encodable(shorten(text, _NAME, placeholder="…"))


def _about(label: PlanNode) -> str:
    words = (label.name, label.status) if label.kind == "workflow" else (label.status,)
    return ", ".join(word for word in words if word)
