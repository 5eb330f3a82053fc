"""Weights to draw kinds with in a workplace, so that each comes as often as it is meant to.

Not every call allows every kind: only a list can be cut, only a write doubled. A kind that few of a workplace's
tools allow is planned more often there. Which tools allow what is read off the artifact: whether a tool writes,
and whether its example output has a list.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from worktrial.language import JsonValue
from worktrial.workplaces.artifact import Workplace
from worktrial.workplaces.faults.memory import may_write
from worktrial.workplaces.faults.plan import EXPLICIT, OF_WRITES, SHARES, FaultKind

# How often a tool that writes is called, for one call of a tool that looks; how many looks find something
# older; how many writes can happen twice, and how many have parts. Rounded from the plans of the starter's
# tasks; `python -m benchmarks.fault_kinds` shows what comes of them.
_WRITES_A_LOOK = 0.45
_STALE_LOOKS = 0.1
_DOUBLE_WRITES = 0.5
_WRITES_IN_PARTS = 0.3

_ROUNDS = 12
_MOST = 1e4


class _Sort(NamedTuple):
    """Calls that allow the same kinds."""

    share: float
    kinds: frozenset[str]


def planned_weights(workplace: Workplace, implicit: Sequence[str]) -> dict[str, float]:
    """Weights to draw kinds with, explicit and implicit ones, for `draw_plan`.

    Args:
        workplace: The tools.
        implicit: Kinds of implicit faults to draw from.
    """
    writing = [may_write(tool) for tool in workplace.tools]
    listing = [_has_list(tool.example_output) for tool in workplace.tools]
    rows = tuple(sorted(zip(writing, listing, strict=True)))
    return dict(_weights(rows, tuple(map(str, implicit))))


@lru_cache(maxsize=1024)
def _weights(tools: tuple[tuple[bool, bool], ...], implicit: tuple[str, ...]) -> Mapping[str, float]:
    usual = [SHARES[kind] for kind in implicit if kind in SHARES]
    wanted = {kind: SHARES.get(kind, sum(usual) / len(usual) if usual else 1.0) for kind in implicit}
    sorts = [sort for tool in tools for sort in _sorts(*tool, implicit)]
    return {**_explicit(tools), **_fitted(wanted, sorts)}


def _sorts(writes: bool, lists: bool, implicit: Sequence[str]) -> list[_Sort]:
    kinds = set(implicit) - {FaultKind.STALE, *OF_WRITES}
    if not lists:
        kinds.discard(FaultKind.LIST_CUT)
    sorts = [_Sort(_WRITES_A_LOOK if writes else 1.0, frozenset(kinds))]
    of_writes = ((FaultKind.DUPLICATE_DELIVERY, _DOUBLE_WRITES), (FaultKind.PARTIAL_WRITE, _WRITES_IN_PARTS))
    for kind, chance in of_writes if writes else ((FaultKind.STALE, _STALE_LOOKS),):
        if kind in implicit:
            sorts = [
                split
                for share, allowed in sorts
                for split in (_Sort(share * chance, allowed | {kind}), _Sort(share * (1 - chance), allowed))
            ]
    return sorts


def _fitted(wanted: Mapping[str, float], sorts: Sequence[_Sort]) -> dict[str, float]:
    """Weights whose draws, each the first allowed kind of an order drawn by weight, come near the wanted shares.

    Of such an order the first allowed kind is drawn by the weights of the allowed ones (R. D. Luce, *Individual
    Choice Behavior*, 1959), so the shares follow from the weights, and weights are corrected by what they lack
    in turn (iterative proportional fitting). What no call allows keeps its weight.
    """
    weights = dict(wanted)
    possible = frozenset().union(*(sort.kinds for sort in sorts)) if sorts else frozenset()
    whole = sum(sort.share for sort in sorts if sort.kinds)
    asked = sum(share for kind, share in wanted.items() if kind in possible)
    for _ in range(_ROUNDS):
        come = dict.fromkeys(possible, 0.0)
        for sort in sorts:
            total = sum(weights[kind] for kind in sort.kinds)
            for kind in sort.kinds:
                come[kind] += sort.share / whole * weights[kind] / total
        for kind, share in come.items():
            weights[kind] = min(_MOST, weights[kind] * (wanted[kind] / asked) / share)
    return weights


def _explicit(tools: Sequence[tuple[bool, bool]]) -> dict[str, float]:
    """Weights of the explicit kinds: only a write's acknowledgement can be lost; of a look it is a time-out."""
    shares = {str(kind): SHARES[kind] for kind in EXPLICIT}
    writes = sum(_WRITES_A_LOOK for writing, _ in tools if writing)
    looks = sum(1.0 for writing, _ in tools if not writing)
    if not writes:
        return {**shares, FaultKind.LOST_ACKNOWLEDGEMENT: 0.0}
    chance = writes / (writes + looks)
    lost, late = FaultKind.LOST_ACKNOWLEDGEMENT, FaultKind.TIMEOUT
    # As often as leaves no plain time-out to be planned at most.
    planned = min(shares[lost] / chance, shares[lost] + shares[late])
    return {**shares, lost: planned, late: shares[lost] + shares[late] - planned}


def _has_list(value: JsonValue) -> bool:
    """Whether a list of two items or more is in `value`, not inside another list."""
    if isinstance(value, dict):
        return any(_has_list(inner) for inner in value.values())
    return isinstance(value, list) and len(value) > 1
