"""The suite's three scores from sums over scenarios, by either way of scoring."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from worktrial.statistics import quotient

Sums = Mapping[str, Any]
"""Sums over scenarios under fixed keys: numbers, or numpy arrays with one entry per scenario left out."""


@dataclass(frozen=True, slots=True)
class Figures:
    """Plan, call/refuse and function-call score, 0-1: numbers, or arrays with one entry per scenario left out."""

    plan: Any
    call_refuse: Any
    function_call: Any

    @property
    def average(self) -> Any:
        """The mean of the three (OrchestrationBench, published evaluation)."""
        return (self.plan + self.call_refuse + self.function_call) / 3


DECISIONS = ("call", "awaiting", "violation")
"""The classes of gold steps as the sums name them: each has `…_gold`, `…_predicted` and `…_right`."""


def our_figures(sums: Sums) -> Figures:
    """The figures over all steps (micro): every plan step, every decision and every call step weighs the same.

    A figure without any gold step is NaN.

    Args:
        sums: `OurScenario.sums`, added over scenarios; values may be arrays of one entry per scenario left out.
    """
    calls = (sums["tool"] + sums["keys"] + sums["values"]) / 3
    return Figures(
        plan=quotient(sums["plan"], sums["plan_steps"]),
        call_refuse=decision_score(sums),
        function_call=quotient(calls, sums["call_steps"]),
    )


def our_macro(sums: Sums) -> Figures:
    """The figures as means over scenarios, each scenario weighing the same however long it is.

    Scenarios without a gold step of the kind are left out of that figure's mean.
    """
    return Figures(
        plan=quotient(sums["plan_macro"], sums["plan_scenarios"]),
        call_refuse=quotient(sums["decision_macro"], sums["decision_scenarios"]),
        function_call=quotient(sums["calls_macro"], sums["calls_scenarios"]),
    )


def decision_score(sums: Sums) -> Any:
    """Call or refuse: the mean of the F1 of calls and the F1 of refusals with their type, 0-1.

    A refusal of the wrong type is a miss of one type and a false alarm of the other, and text without a decision,
    like a request without an answer, misses its step. The two refusals share one F1 rather than having one each:
    the released data has so few violations (13 and 14 of over 200 refusals) that with an F1 of their own a single
    one would move the figure by more than a point. Where every type is right and every answer decides, this is
    the published rate. A half that has neither a gold step nor an answer is left out.
    """
    calls = _f1(sums["call_right"], sums["call_gold"], sums["call_predicted"])
    refusals = _f1(
        sums["awaiting_right"] + sums["violation_right"],
        sums["awaiting_gold"] + sums["violation_gold"],
        sums["awaiting_predicted"] + sums["violation_predicted"],
    )
    return _mean_of_known(calls, refusals)


def _f1(right: Any, gold: Any, predicted: Any) -> Any:
    return quotient(2 * right, gold + predicted)


def _mean_of_known(a: Any, b: Any) -> Any:
    """The mean of the two; where one is NaN, the other."""
    if isinstance(a, int | float):
        return b if a != a else a if b != b else (a + b) / 2
    import numpy as np

    return np.where(np.isnan(a), b, np.where(np.isnan(b), a, (a + b) / 2))


def published_figures(sums: Sums) -> Figures:
    """Plan, call/refuse and function-call score, 0-1, not rounded.

    Plans and function calls are means over files, call/refuse the mean of two F1 over all steps
    (OrchestrationBench, published evaluation). 0/0 is 0.

    Args:
        sums: `PublishedScenario.sums` added over scenarios: numbers, or numpy arrays.
    """
    files = sums["files"]
    calls = _published_f1(sums["called"], sums["overacted"], sums["underacted"] + sums["lost_call"])
    refusals = _published_f1(sums["refused"], sums["underacted"], sums["overacted"] + sums["lost_refusal"])
    return Figures(
        plan=_published_ratio(sums["plan"], files),
        call_refuse=(refusals + calls) / 2,
        function_call=_published_ratio(sums["name"] + sums["key"] + sums["value"], 3 * files),
    )


def _published_f1(tp: Any, fp: Any, fn: Any) -> Any:
    return _published_ratio(2 * tp, 2 * tp + fp + fn)


def _published_ratio(part: Any, whole: Any) -> Any:
    """`part / whole`, and 0 where `whole` is 0; a number for numbers, an array for arrays."""
    import numpy as np

    part, whole = np.asarray(part, dtype=float), np.asarray(whole, dtype=float)
    shape = np.broadcast_shapes(part.shape, whole.shape)
    ratio = np.divide(part, whole, out=np.zeros(shape), where=whole != 0)
    return ratio if shape else float(ratio)
