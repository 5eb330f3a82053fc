"""The two stored runs, against the published program's own evaluation of them."""

from pathlib import PurePath
from typing import Any

import numpy as np
import pytest
from tests.suites.orchestration.scoring.real import archive, evaluation, team
from tests.support.stored_sums import published_details

from worktrial.suites.orchestration.planning.scenario import Language
from worktrial.suites.orchestration.scoring.figures import published_figures
from worktrial.suites.orchestration.scoring.published import file_sums
from worktrial.suites.orchestration.scoring.stored import stored_scenarios

pytestmark = pytest.mark.real_data

BY_FILE = {
    "workflow_evaluation_with_failure": "plan",
    "workflow_evaluation_without_failure": "plan_without_failure",
    "average_structural_GED": "structure",
    "average_component_GED": "components",
    "failed_workflow_generation": "plan_failures",
    "total_comparison_steps_evaluated": "plan_steps",
    "function_name_accuracy": "name",
    "arguments_key_score": "key",
    "arguments_value_score_not_count_rejection": "value",
    "total_fc_successful_calls": "called",
    "total_rejection_cases": "gold_refusals",
    "total_function_call_cases": "gold_calls",
    "total_true_positive_reject": "refused",
    "total_true_negative_reject": "called",
    "total_false_positive_reject": "underacted",
    "total_false_negative_reject": "overacted",
    "total_true_positive_fc": "called",
    "total_false_positive_fc": "overacted",
    "total_false_negative_fc": "underacted",
    "total_true_negative_fc": "refused",
}
IN_DETAIL = {"total_perfect_function_calls": "perfect", "total_rejection_type_mismatch": "type_mismatches"}


@pytest.mark.parametrize("language", list(Language))
def test_every_file_and_the_whole(language: Language) -> None:
    wanted = {
        PurePath(file["file_path"]).name.removesuffix("_out.json"): file
        for file in evaluation(language)["detailed_results"]
    }
    total: dict[str, float] = {}
    per_file = []
    for scenario in stored_scenarios(archive(language)):
        sums = file_sums(list(scenario.score(team(language)).values()), None)
        file = wanted.pop(scenario.id)
        arguments = file["detail"]["arguments_detail"]
        assert {k: sums[v] for k, v in BY_FILE.items()} == {k: pytest.approx(file[k], abs=1e-9) for k in BY_FILE}, (
            scenario.id
        )
        assert {k: sums[v] for k, v in IN_DETAIL.items()} == {k: arguments[k] for k in IN_DETAIL}, scenario.id
        assert sums["plan_errors"] == sums["call_errors"] == sums["inexact_plans"] == sums["troubled"] == 0
        per_file.append(sums)
        for key, value in sums.items():
            total[key] = total.get(key, 0) + value
    assert not wanted
    published = evaluation(language)["overall_statistics"]
    assert flat(published_details(total)) == {k: pytest.approx(v, abs=1e-9) for k, v in flat(published).items()}
    figures = published_figures(total)
    metrics = published["key_metrics"]
    assert figures.plan == pytest.approx(metrics["Plan"], abs=5e-5)
    assert figures.call_refuse == pytest.approx(metrics["Call Rejection Classification Accuracy"], abs=5e-5)
    assert figures.function_call == pytest.approx(metrics["FC"], abs=5e-5)
    # The published average is one of three rounded numbers.
    assert figures.average == pytest.approx(metrics["Average"], abs=1.01e-4)
    check_arrays(per_file)


def check_arrays(per_file: list[dict[str, float]]) -> None:
    """Sums over draws of scenarios give the figures of each draw."""
    weights = np.random.default_rng(0).multinomial(len(per_file), [1 / len(per_file)] * len(per_file), size=5)
    columns = {key: np.array([sums[key] for sums in per_file]) for key in per_file[0]}
    drawn = published_figures({key: weights @ column for key, column in columns.items()})
    for n, weight in enumerate(weights):
        alone = published_figures({key: float(weight @ column) for key, column in columns.items()})
        assert drawn.average[n] == pytest.approx(alone.average)
        assert drawn.plan[n] == pytest.approx(alone.plan)


def flat(table: Any, path: str = "") -> dict[str, float]:
    if not isinstance(table, dict):
        return {path: table}
    return {name: value for key, inner in table.items() for name, value in flat(inner, f"{path}/{key}").items()}
