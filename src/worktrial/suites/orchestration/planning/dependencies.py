"""What is odd about the dependencies of a plan. A predicted plan may have any of it; it is scored all the same."""

from worktrial.suites.orchestration.planning.workflows import WorkflowPlan


def dependency_cycles(plan: WorkflowPlan) -> tuple[tuple[str, ...], ...]:
    """The groups of workflows that wait for each other in a circle; one that waits for itself is a group of one.

    Returns:
        Ids in the plan's order, within a group and by the first of each group.
    """
    import networkx

    graph: networkx.DiGraph[str] = networkx.DiGraph()
    place = {workflow.id: n for n, workflow in enumerate(plan.workflows)}
    graph.add_nodes_from(place)
    graph.add_edges_from(
        (before, workflow.id) for workflow in plan.workflows for before in workflow.depends_on if before in place
    )
    groups = (
        tuple(sorted(group, key=place.__getitem__))
        for group in networkx.strongly_connected_components(graph)
        if len(group) > 1 or any(graph.has_edge(id_, id_) for id_ in group)
    )
    return tuple(sorted(groups, key=lambda group: place[group[0]]))


def unknown_dependencies(plan: WorkflowPlan) -> tuple[tuple[str, str], ...]:
    """(workflow, what it waits for) wherever the plan has no workflow of that id, in the plan's order."""
    known = plan.by_id
    return tuple(
        (workflow.id, before)
        for workflow in plan.workflows
        for before in workflow.depends_on
        if before not in known
    )
