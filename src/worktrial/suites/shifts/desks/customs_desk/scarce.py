"""Scarce things of a day, given out exactly by the handbook's rules: the tariff quota and the inspection slots."""

from itertools import combinations

from .papers import true_lines
from .state import Container, CustomsEntry, Slot, State


def quota_winners(state: State) -> set[str]:
    """Entries that are allotted: class by class, of each the set that uses most of what is left (5.2)."""
    left = sum(quota.balance for quota in state.quotas.values())
    classes: dict[tuple[bool, bool], list[CustomsEntry]] = {}
    for request in sorted(state.requests, key=lambda request: request.due):
        if request.kind == "quota":
            entry = state.entries[request.about]
            if _licensed(state, entry):
                classes.setdefault(_class(state, entry), []).append(entry)
    winners: set[str] = set()
    for _, entries in sorted(classes.items()):
        best: tuple[CustomsEntry, ...] = ()
        for size in range(1, len(entries) + 1):
            for chosen in combinations(entries, size):
                if _weight(state, best) < _weight(state, chosen) <= left:
                    best = chosen
        left -= _weight(state, best)
        winners.update(entry.id for entry in best)
    return winners


def inspected(state: State) -> dict[str, str]:
    """Container to slot: in the order of claims, each one that can still have a slot beside those before it."""
    slots = [slot for slot in state.slots.values() if slot.agent is None]
    asked = sorted((r for r in state.requests if r.kind == "inspect"), key=lambda r: r.due)
    wanted = [state.containers[r.about] for r in asked]
    dropped = {e.payload["container"] for e in state.time.waiting if e.kind == "inspection_dropped"}
    held: dict[str, str] = {}
    for container in sorted(wanted, key=lambda c: claim(state, c)):
        if container.id not in dropped:
            held = _moved_up(state, slots, held, container, set()) or held
    return {container: slot for slot, container in held.items()}


def unloaded(state: State, container: Container) -> int:
    """Minute at which a container stands in the yard after all: a crane may stop before that."""
    late = [
        e.payload for e in state.time.waiting if e.kind == "delayed" and container.id in e.payload["containers"]
    ]
    return container.unloaded + sum(int(payload["minutes"]) for payload in late)


def claim(state: State, container: Container) -> tuple[bool, bool, str]:
    """Place in the order of claims to a slot, first ones smallest (6.2, K-4)."""
    return container.importer != state.figures["k4"], not container.refrigerated, container.free_until


def _moved_up(
    state: State, slots: list[Slot], held: dict[str, str], container: Container, tried: set[str]
) -> dict[str, str] | None:
    """Slots with one more container in them, others moved where they must; None where there is no way."""
    for slot in slots:
        if slot.id in tried or state.time.minute_of(slot.begins) < unloaded(state, container) + 30:
            continue
        tried.add(slot.id)
        if slot.id not in held:
            return {**held, slot.id: container.id}
        moved = _moved_up(state, slots, held, state.containers[held[slot.id]], tried)
        if moved is not None:
            return {**moved, slot.id: container.id}
    return None


def _weight(state: State, entries: tuple[CustomsEntry, ...]) -> int:
    return sum(line.weight for entry in entries for line in true_lines(state, entry))


def _class(state: State, entry: CustomsEntry) -> tuple[bool, bool]:
    dry = not state.containers[entry.container].refrigerated
    known = bool(state.figures["newcomers"]) and state.importers[entry.importer].allotted_last_year > 0
    return dry, known


def _licensed(state: State, entry: CustomsEntry) -> bool:
    today = f"{state.time.begins.date()}"
    return any(
        d.kind == "export licence" and d.about == entry.id and d.says["valid_until"] >= today
        for d in state.documents
    )
