"""Things that happen at the port whoever works: the customs office holds containers and drops inspections."""

from worktrial.language import JsonObject

from .state import State


def held(state: State, payload: JsonObject) -> None:
    """The customs office takes a release back: the container is held."""
    state.containers[payload["container"]].hold = True


def inspection_dropped(state: State, payload: JsonObject) -> None:
    """The customs office does not want to see a container any more."""
    state.containers[payload["container"]].inspection_ordered = False


def delayed(state: State, payload: JsonObject) -> None:
    """A crane stands still: containers come off the ship later than planned."""
    for id in payload["containers"]:
        state.containers[id].unloaded += payload["minutes"]


HAPPENINGS = {"delayed": delayed, "held": held, "inspection_dropped": inspection_dropped}
