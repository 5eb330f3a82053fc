"""Shares of the kinds of faults in a workplace: those that its tools can suffer, as often as they are meant to.

Not every call allows every kind: only a list can be cut, only a write doubled. So the plans of a workplace are
drawn by weights from which the meant shares follow, as far as its tools allow them. What a tool allows is read off
the artifact: whether it writes, and what its example output holds.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from worktrial.workplaces.artifact import Workplace
from worktrial.workplaces.faults.memory import may_write
from worktrial.workplaces.faults.plan import EXPLICIT, SHARES, FaultKind
from worktrial.workplaces.tools import Tool

# How often a tool that writes is called while a fault lasts, for one call of a tool that looks; and how many of the
# answers that could be degraded so by their form really can. Rounded from every second workplace of the starter and
# of the OccuBench release; `python -m benchmarks.fault_kinds` shows what comes of them in the others.
_WRITES_A_LOOK = 0.4
_TAKEN_DETAILS = 0.9
_WRONG_DETAILS = 0.8
_WRONG_WITHOUT_DETAILS = 0.3
_STALE_LISTS = 0.1
_STALE_LOOKS = 0.05
_DOUBLE_WRITES = 0.25
_WRITES_IN_PARTS = 0.3
_UNSEEN_LISTS = 0.2
"""Share of tools without an example whose answers have a list."""

_ROUNDS = 12
_MOST = 1e4


class PlannedKinds(NamedTuple):
    """Plan for the kinds of faults in one workplace."""

    weights: Mapping[str, float]
    """Weights to draw explicit and implicit kinds with, for `draw_plan`; 0 for what the tools cannot suffer."""
    shares: Mapping[str, float]
    """Share of degraded calls that each kind is to have among the explicit, and among the implicit ones."""


class _Form(NamedTuple):
    """Form of a tool and its answers, as far as it matters here."""

    writes: bool
    lists: bool | None
    details: bool


class _Sort(NamedTuple):
    """Calls that allow the same kinds."""

    share: float
    kinds: frozenset[str]


def planned_kinds(workplace: Workplace, implicit: Sequence[str]) -> PlannedKinds:
    """Plan for a workplace, from its tools.

    Args:
        workplace: The tools.
        implicit: Kinds of implicit faults to draw from. A partial write among them says that the workplace's state
            is known and can be set, so that a write which is the same twice is known for one, too.
    """
    # Plain tuples: every sample asks, and few have tools that nobody asked about before.
    return _planned(tuple(map(_form, workplace.tools)), tuple(implicit))


def _form(tool: Tool) -> tuple[bool, bool | None, bool]:
    return may_write(tool), tool.shows_list, tool.shows_details


@lru_cache(maxsize=1024)
def _planned(tools: tuple[tuple[bool, bool | None, bool], ...], implicit: tuple[str, ...]) -> PlannedKinds:
    forms = tuple(Counter(_Form(*form) for form in tools).items())
    implicit = tuple(map(str, implicit))
    usual = [SHARES[kind] for kind in implicit if kind in SHARES]
    wanted = {kind: SHARES.get(kind, sum(usual) / len(usual) if usual else 1.0) for kind in implicit}
    sorts = [
        _Sort(number * sort.share, sort.kinds)
        for form, number in forms
        for sort in _sorts(_chances(form, wanted), form)
    ]
    weights, shares = _fitted(wanted, sorts)
    explicit, explicit_shares = _explicit(forms)
    return PlannedKinds({**explicit, **weights}, {**explicit_shares, **shares})


def _chances(form: _Form, wanted: Mapping[str, float]) -> dict[str, float]:
    """Chance of each kind that an answer, or a write, of this form allows it."""
    state_is_known = FaultKind.PARTIAL_WRITE in wanted
    is_list = _UNSEEN_LISTS if form.lists is None else float(form.lists)
    chances: dict[str, float] = {
        FaultKind.FIELDS_DROPPED: _TAKEN_DETAILS if form.details else 0.0,
        FaultKind.VALUES_EMPTIED: _TAKEN_DETAILS,
        FaultKind.LIST_CUT: is_list,
        FaultKind.WRONG_VALUE: _WRONG_DETAILS if form.details else _WRONG_WITHOUT_DETAILS,
        FaultKind.STALE: 0.0 if form.writes else _STALE_LISTS if form.lists else _STALE_LOOKS,
        FaultKind.DUPLICATE_DELIVERY: (_DOUBLE_WRITES if state_is_known else 1.0) if form.writes else 0.0,
        FaultKind.PARTIAL_WRITE: _WRITES_IN_PARTS if form.writes else 0.0,
    }
    return {kind: chances.get(kind, 1.0) for kind in wanted}


def _sorts(chances: Mapping[str, float], form: _Form) -> list[_Sort]:
    """Calls of one tool of this form, apart by what they allow."""
    always = frozenset(kind for kind, chance in chances.items() if chance == 1)
    sorts = [_Sort(_WRITES_A_LOOK if form.writes else 1.0, always)]
    for kind, chance in chances.items():
        if 0 < chance < 1:
            sorts = [
                split
                for share, allowed in sorts
                for split in (_Sort(share * chance, allowed | {kind}), _Sort(share * (1 - chance), allowed))
            ]
    return [sort for sort in sorts if sort.kinds]


def _fitted(wanted: Mapping[str, float], sorts: Sequence[_Sort]) -> tuple[dict[str, float], dict[str, float]]:
    """Weights whose draws come near the wanted shares, and the shares that they come to.

    A draw is the first allowed kind of an order drawn by weight.

    Of such an order the first allowed kind is drawn by the weights of the allowed ones (R. D. Luce, *Individual
    Choice Behavior*, 1959), so the shares follow from the weights, and weights are corrected by what they lack
    in turn (iterative proportional fitting). What no call allows has weight 0.
    """
    possible = frozenset().union(*(sort.kinds for sort in sorts)) if sorts else frozenset()
    weights = {kind: share if kind in possible else 0.0 for kind, share in wanted.items()}
    whole = sum(sort.share for sort in sorts)
    asked = sum(share for kind, share in wanted.items() if kind in possible)
    come = dict.fromkeys(wanted, 0.0)
    for is_last in (*[False] * _ROUNDS, True):
        come = dict.fromkeys(wanted, 0.0)
        for share, kinds in sorts:
            part = share / whole / sum(weights[kind] for kind in kinds)
            for kind in kinds:
                come[kind] += part * weights[kind]
        if not is_last:
            for kind in possible:
                weights[kind] = min(_MOST, weights[kind] * wanted[kind] / asked / come[kind])
    return weights, come


def _explicit(forms: Sequence[tuple[_Form, int]]) -> tuple[dict[str, float], dict[str, float]]:
    """Weights and shares of the explicit kinds: only a write's acknowledgement can be lost; else it is late."""
    shares = {str(kind): SHARES[kind] for kind in EXPLICIT}
    writes = sum(number * _WRITES_A_LOOK for form, number in forms if form.writes)
    looks = sum(number for form, number in forms if not form.writes)
    lost, late = FaultKind.LOST_ACKNOWLEDGEMENT, FaultKind.TIMEOUT
    both = shares[lost] + shares[late]
    chance = writes / (writes + looks) if writes else 0.0
    # As often as leaves no plain time-out to be planned at most.
    planned = min(shares[lost] / chance, both) if writes else 0.0
    weights = {**shares, lost: planned, late: both - planned}
    return weights, {**shares, lost: planned * chance, late: both - planned * chance}
