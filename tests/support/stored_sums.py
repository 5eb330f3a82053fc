"""The published mode alone over a whole stored run, and the table that the published program makes of it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from worktrial.suites.orchestration.options import SEARCH_NODES
from worktrial.suites.orchestration.planning.cards import Team
from worktrial.suites.orchestration.planning.turns import Verdicts
from worktrial.suites.orchestration.scoring.figures import published_figures
from worktrial.suites.orchestration.scoring.published import file_sums
from worktrial.suites.orchestration.scoring.stored import stored_scenarios


def score_stored(
    place: Path, team: Team, verdicts: Verdicts | None = None, *, nodes: int | None = SEARCH_NODES
) -> dict[str, float]:
    """The added sums of a whole stored run, for `published_figures` and `published_details`."""
    total: dict[str, float] = {}
    for scenario in stored_scenarios(place):
        for key, value in file_sums(list(scenario.score(team, nodes=nodes).values()), verdicts).items():
            total[key] = total.get(key, 0) + value
    return total


def published_details(sums: Mapping[str, Any]) -> dict[str, Any]:
    """The table `overall_statistics` of the published program: same keys, same roundings.

    It says 0 for refusals of the wrong type whatever they were, because the published program drops their count
    on the way to this table; `sums["type_mismatches"]` has it.

    Args:
        sums: `PublishedScenario.sums` added over scenarios; numbers only.
    """
    figures = published_figures(sums)
    plan, call_refuse = round(figures.plan, 4), round(figures.call_refuse, 4)
    function_call = round(figures.function_call, 4)
    files = sums["files"]
    matrix = _confusion(sums)
    errors = matrix["total_false_positive_reject"] + matrix["total_false_negative_reject"]
    return {
        "total_files": files,
        "successful_evaluations": files,
        "failed_evaluations": 0,
        "total_failed_workflow_generation": sums["plan_failures"],
        "total_comparison_steps_evaluated": sums["plan_steps"],
        "key_metrics": {
            "Average": round((call_refuse + function_call + plan) / 3, 4),
            "Call Rejection Classification Accuracy": call_refuse,
            "FC": function_call,
            "Plan": plan,
        },
        "score_details": {
            "workflow_scores": {
                "workflow_evaluation_with_failure": plan,
                "workflow_evaluation_without_failure": round(_ratio(sums["plan_without_failure"], files), 4),
                "average_structural_GED": round(_ratio(sums["structure"], files), 4),
                "average_component_GED": round(_ratio(sums["components"], files), 4),
            },
            "function_call_scores": {
                "function_name_accuracy": round(_ratio(sums["name"], files), 4),
                "arguments_key_score": round(_ratio(sums["key"], files), 4),
                "arguments_value_score_not_count_rejection": round(_ratio(sums["value"], files), 4),
                "overall_function_call_failed_rate": round(
                    _ratio(sums["gold_calls"] - sums["called"], sums["gold_calls"]), 4
                ),
                "total_fc_successful_calls": sums["called"],
                "total_function_call_cases": sums["gold_calls"],
            },
            "call_rejection_scores": {
                "total_rejection_cases": sums["gold_refusals"],
                "reject_decision_performance": _performance(matrix, "reject"),
                "fc_decision_performance": _performance(matrix, "fc"),
                "error_patterns": {
                    "overaction_rate": _ratio(matrix["total_false_negative_reject"], errors),
                    "underaction_rate": _ratio(matrix["total_false_positive_reject"], errors),
                    "type_mismatch_rate": 0.0,
                },
                "rejection_type_accuracy": _ratio(sums["refused"], sums["refused"]),
                "total_rejection_type_mismatch": 0,
                "total_failed_generation": 0,
            },
            "raw_confusion_matrix": matrix,
        },
    }


def _confusion(sums: Mapping[str, Any]) -> dict[str, float]:
    return {
        "total_true_positive_reject": sums["refused"],
        "total_true_negative_reject": sums["called"],
        "total_false_positive_reject": sums["underacted"],
        "total_false_negative_reject": sums["overacted"] + sums["lost_refusal"],
        "total_true_positive_fc": sums["called"],
        "total_false_positive_fc": sums["overacted"],
        "total_false_negative_fc": sums["underacted"] + sums["lost_call"],
        "total_true_negative_fc": sums["refused"],
    }


def _performance(matrix: dict[str, float], of: str) -> dict[str, Any]:
    tp, fp = matrix[f"total_true_positive_{of}"], matrix[f"total_false_positive_{of}"]
    fn, tn = matrix[f"total_false_negative_{of}"], matrix[f"total_true_negative_{of}"]
    return {
        "precision": _ratio(tp, tp + fp),
        "recall": _ratio(tp, tp + fn),
        "f1": _ratio(2 * tp, 2 * tp + fp + fn),
        "accuracy": _ratio(tp + tn, tp + fp + fn + tn),
    }


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0
