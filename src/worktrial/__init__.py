"""A work trial for AI agents: realistic professional work, verdicts with intervals, faults, costs."""

from worktrial.version import __version__

# Type checkers take it for true; importing it from `typing` would cost more than all the rest of this page.
TYPE_CHECKING = False

if TYPE_CHECKING:  # each name is imported when it is first asked for
    from worktrial.agents.assignment import Agent, Assignment
    from worktrial.agents.episode import Episode
    from worktrial.engine.client import BoundModel as Model
    from worktrial.engine.trial import Trial
    from worktrial.grading import Verdict
    from worktrial.interop.episodes import episode
    from worktrial.interop.python import compare, load, run, run_async, tasks
    from worktrial.interop.run import Run
    from worktrial.options import Options
    from worktrial.suite import Suite
    from worktrial.suite import TaskRow as Task
    from worktrial.workplaces import Observation, Session
    from worktrial.workplaces.faults import FaultSettings as Faults
    from worktrial.workplaces.kit import (
        Asked,
        Day,
        Desk,
        Minute,
        Record,
        Refused,
        Request,
        Right,
        Serial,
        Standing,
        Tell,
        Workplace,
        act,
        asked_of,
        at_minute,
        figure,
        half,
        right,
        share,
        standing,
        tell,
    )

__all__ = [
    "Agent",
    "Asked",
    "Assignment",
    "Day",
    "Desk",
    "Episode",
    "Faults",
    "Minute",
    "Model",
    "Observation",
    "Options",
    "Record",
    "Refused",
    "Request",
    "Right",
    "Run",
    "Serial",
    "Session",
    "Standing",
    "Suite",
    "Task",
    "Tell",
    "Trial",
    "Verdict",
    "Workplace",
    "__version__",
    "act",
    "asked_of",
    "at_minute",
    "compare",
    "episode",
    "figure",
    "half",
    "load",
    "right",
    "run",
    "run_async",
    "share",
    "standing",
    "tasks",
    "tell",
]

_PLACES = {
    "Agent": "agents.assignment:Agent",
    "Asked": "workplaces.kit:Asked",
    "Assignment": "agents.assignment:Assignment",
    "Day": "workplaces.kit:Day",
    "Desk": "workplaces.kit:Desk",
    "Episode": "agents.episode:Episode",
    "Faults": "workplaces.faults:FaultSettings",
    "Minute": "workplaces.kit:Minute",
    "Model": "engine.client:BoundModel",
    "Observation": "workplaces:Observation",
    "Options": "options:Options",
    "Record": "workplaces.kit:Record",
    "Refused": "workplaces.kit:Refused",
    "Request": "workplaces.kit:Request",
    "Right": "workplaces.kit:Right",
    "Run": "interop.run:Run",
    "Serial": "workplaces.kit:Serial",
    "Standing": "workplaces.kit:Standing",
    "Session": "workplaces:Session",
    "Suite": "suite:Suite",
    "Task": "suite:TaskRow",
    "Tell": "workplaces.kit:Tell",
    "Trial": "engine.trial:Trial",
    "Verdict": "grading:Verdict",
    "Workplace": "workplaces.kit:Workplace",
    "act": "workplaces.kit:act",
    "asked_of": "workplaces.kit:asked_of",
    "at_minute": "workplaces.kit:at_minute",
    "compare": "interop.python:compare",
    "episode": "interop.episodes:episode",
    "figure": "workplaces.kit:figure",
    "half": "workplaces.kit:half",
    "load": "interop.python:load",
    "right": "workplaces.kit:right",
    "run": "interop.python:run",
    "run_async": "interop.python:run_async",
    "share": "workplaces.kit:share",
    "standing": "workplaces.kit:standing",
    "tasks": "interop.python:tasks",
    "tell": "workplaces.kit:tell",
}


def __getattr__(name: str) -> object:
    """Public name, imported when it is first asked for."""
    if name not in _PLACES:
        from difflib import get_close_matches

        near = get_close_matches(name, _PLACES, n=1)
        hint = f"; did you mean {near[0]}?" if near else f"; there is {', '.join(_PLACES)}"
        raise AttributeError(f"module 'worktrial' has no attribute {name!r}{hint}")
    import gc
    from importlib import import_module

    module, _, attribute = _PLACES[name].partition(":")
    # Nothing that is imported is garbage, and looking for it would take a tenth of the time.
    collects = gc.isenabled()
    gc.disable()
    try:
        found = getattr(import_module(f"worktrial.{module}"), attribute)
    finally:
        if collects:
            gc.enable()
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    """Public names."""
    return sorted(__all__)
