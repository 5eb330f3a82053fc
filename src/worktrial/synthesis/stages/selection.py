"""Which of the tasks that passed the filters go into the suite."""

from collections.abc import Mapping, Sequence

from worktrial.synthesis.artifacts import Calibration, Reject, Slot


def select(calibrations: Sequence[Calibration], slots: Sequence[Slot]) -> tuple[list[str], list[Reject]]:
    """For each sub-topic and language the level that is passed least often, yet sometimes (OccuBench, section 4).

    Of levels that are passed equally often the higher one is taken. What counts is the share of passes seen: the
    true rates of two levels may well be the other way round where their intervals overlap, and the lowest of some
    shares is on average lower than its true rate.

    Args:
        calibrations: Of any slots; those that are not kept are passed over, as the filters have rejected them.
        slots: Every slot of the suite, in its order.

    Returns:
        The ids of the chosen slots in the order of `slots`, and a reject for each slot that was kept and is not
        chosen.
    """
    kept = {c.slot: c for c in calibrations if c.verdict == "kept"}
    groups: dict[tuple[str, str], list[Slot]] = {}
    for slot in slots:
        if slot.id in kept:
            groups.setdefault((slot.subtopic.id, slot.language), []).append(slot)
    hardest = [_hardest(group, kept) for group in groups.values()]
    chosen = {slot.id for slot in hardest if slot is not None}
    rejects = [
        Reject(slot=slot.id, stage="selection", why=_why(slot, group, chosen, kept))
        for group in groups.values()
        for slot in group
        if slot.id not in chosen
    ]
    return [slot.id for slot in slots if slot.id in chosen], rejects


def _hardest(group: Sequence[Slot], kept: Mapping[str, Calibration]) -> Slot | None:
    passed = [slot for slot in group if kept[slot.id].free.passed]
    return min(passed, key=lambda slot: (_share(kept[slot.id]), -slot.level), default=None)


def _share(calibration: Calibration) -> float:
    return calibration.free.passed / calibration.free.n


def _why(slot: Slot, group: Sequence[Slot], chosen: set[str], kept: Mapping[str, Calibration]) -> str:
    if not kept[slot.id].free.passed:
        return "no run without the plan passed"
    taken = next(other for other in group if other.id in chosen)
    ours, theirs = _passes(kept[slot.id]), _passes(kept[taken.id])
    if _share(kept[slot.id]) == _share(kept[taken.id]):
        return f"level {taken.level} is passed as often ({theirs}; here {ours})"
    return f"level {taken.level} is passed less often ({theirs}; here {ours})"


def _passes(calibration: Calibration) -> str:
    return f"{calibration.free.passed} of {calibration.free.n}"
