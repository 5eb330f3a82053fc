"""Which waiting workflows wait for something that never comes, and why."""

from collections import defaultdict
from collections.abc import Mapping, Sequence


def never_ready(waits: Mapping[str, Sequence[str]], lost: Mapping[str, str]) -> dict[str, str]:
    """The workflows of `waits` that can never start, each with the reason.

    Args:
        waits: For every waiting workflow, what it still waits for. What is neither waiting itself nor lost may yet
            be done.
        lost: What will never be done, with the end of a sentence that says so, such as "failed: no such tool".
    """
    hopeless = _hopeless(waits, lost)
    return {workflow: _reason(workflow, waits, lost, hopeless) for workflow in waits if workflow in hopeless}


def _hopeless(waits: Mapping[str, Sequence[str]], lost: Mapping[str, str]) -> set[str]:
    # What can start does so in the order of its dependencies; whoever that order never reaches is stuck.
    dependents: dict[str, set[str]] = defaultdict(set)
    open_ends = {workflow: {d for d in needed if d in waits or d in lost} for workflow, needed in waits.items()}
    for workflow, needed in open_ends.items():
        for dependency in needed:
            dependents[dependency].add(workflow)
    able = [workflow for workflow, needed in open_ends.items() if not needed]
    reached = set(able)
    while able:
        dependency = able.pop()
        for workflow in dependents[dependency]:
            open_ends[workflow].discard(dependency)
            if not open_ends[workflow] and workflow not in reached:
                reached.add(workflow)
                able.append(workflow)
    return set(waits) - reached


def _reason(workflow: str, waits: Mapping[str, Sequence[str]], lost: Mapping[str, str], hopeless: set[str]) -> str:
    for dependency in waits[workflow]:
        if dependency in lost:
            return f"it depends on {dependency}, which {lost[dependency]}"
    if cycle := _cycle(workflow, waits, hopeless):
        return f"it depends on itself: {' -> '.join(cycle)}"
    first = next(d for d in waits[workflow] if d in hopeless)
    return f"it depends on {first}, which cannot start either"


def _cycle(start: str, waits: Mapping[str, Sequence[str]], hopeless: set[str]) -> list[str]:
    """A shortest way along dependencies from `start` back to it; [] when there is none."""
    came_from: dict[str, str] = {}
    frontier = [start]
    while frontier:
        following = []
        for workflow in frontier:
            for dependency in waits[workflow]:
                if dependency == start:
                    way = [start, workflow]
                    while way[-1] != start:
                        way.append(came_from[way[-1]])
                    return way[::-1]
                if dependency in hopeless and dependency not in came_from:
                    came_from[dependency] = workflow
                    following.append(dependency)
        frontier = following
    return []
