"""The sound figures of many scenarios, from their added sums."""

from typing import Any

from worktrial.statistics.ratio import ratio
from worktrial.suites.orchestration.scores.figures import Figures, Sums

DECISIONS = ("call", "awaiting", "violation")
"""The classes of gold steps as the sums name them: each has `…_gold`, `…_predicted` and `…_right`."""


def sound_figures(sums: Sums) -> Figures:
    """The figures over all steps (micro): every plan step, every decision and every call step weighs the same.

    A figure without any gold step is NaN.

    Args:
        sums: `SoundScenario.sums`, added over scenarios; values may be arrays of one entry per bootstrap draw.
    """
    calls = (sums["tool"] + sums["keys"] + sums["values"]) / 3
    return Figures(
        plan=ratio(sums["plan"], sums["plan_steps"]),
        call_refuse=decision_score(sums),
        function_call=ratio(calls, sums["call_steps"]),
    )


def sound_macro(sums: Sums) -> Figures:
    """The figures as means over scenarios, each scenario weighing the same however long it is.

    Scenarios without a gold step of the kind are left out of that figure's mean.
    """
    return Figures(
        plan=ratio(sums["plan_macro"], sums["plan_scenarios"]),
        call_refuse=ratio(sums["decision_macro"], sums["decision_scenarios"]),
        function_call=ratio(sums["calls_macro"], sums["calls_scenarios"]),
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
    return ratio(2 * right, gold + predicted)


def _mean_of_known(a: Any, b: Any) -> Any:
    """The mean of the two; where one is NaN, the other."""
    if isinstance(a, int | float):
        return b if a != a else a if b != b else (a + b) / 2
    import numpy as np

    return np.where(np.isnan(a), b, np.where(np.isnan(b), a, (a + b) / 2))
