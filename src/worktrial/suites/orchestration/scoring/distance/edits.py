"""Edits that turn a gold plan into the one that was written, node by node, for people to look at."""

from collections.abc import Iterator
from textwrap import shorten

from worktrial.language import JsonObject
from worktrial.language.untrusted import encodable
from worktrial.suites.orchestration.planning.scenario import WorkflowPlan
from worktrial.suites.orchestration.scoring.distance.graphs import UNKNOWN, Graph, PlanNode, chain_graph
from worktrial.suites.orchestration.scoring.distance.ours import PlanScore, substitution

MOST_DRAWN = 60
"""Nodes of the larger plan up to which its edits are told: more are no picture."""
_NAME = 60  # characters


def edits_of(gold: WorkflowPlan, written: WorkflowPlan | None, score: PlanScore) -> JsonObject:
    """Field `edits` (`plan_edits`) of a plan's row, where there is a plan and it is not the gold one."""
    edits = None if written is None or score.right else plan_edits(gold, written, score)
    return {} if edits is None else {"edits": edits}


def plan_edits(gold: WorkflowPlan, written: WorkflowPlan, score: PlanScore) -> JsonObject | None:
    """Edits behind `PlanScore.components`; None where a graph is too large to draw.

    `nodes` are those of both plans, a pair once: `kind` (of `PlanNode`), `fate` (`kept`, `changed`, `missing`,
    `extra`), and for `gold` and `written` its name and what else is known of it, null on the side that lacks it.
    `edges` are places of two nodes with `kept`, `missing` or `extra`. `least` says whether no shorter way leads
    from one plan to the other.
    """
    a, b = chain_graph(gold), chain_graph(written)
    if score.chains is None or max(len(a.labels), len(b.labels)) > MOST_DRAWN:
        return None
    partners = score.chains.partners
    ours, theirs = list(_told(gold, a)), list(_told(written, b))
    place = {v: u for u, v in partners.items()}
    nodes: list[JsonObject] = []
    for u, label in enumerate(a.labels):
        v = partners.get(u)
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
    return {"nodes": nodes, "edges": edges, "least": score.chains.exact}


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
