"""What is left to be asked for, and what that costs."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.synthesis.drafts import task, workplace
from tests.synthesis.test_files import row

from worktrial.engine.roles import Role, RoleSettings
from worktrial.synthesis.artifacts import JobSpec, TaskDraft, WorkplaceDraft
from worktrial.synthesis.estimate import CostEstimate, estimate
from worktrial.synthesis.files import write_lines, yaml_form
from worktrial.synthesis.folder import SuiteFolder

SPEC = JobSpec(role="clerk", tasks=8, workplace="simulated")


def roles(price: tuple[float, float] | None = (1.0, 4.0)) -> dict[str, RoleSettings]:
    names = (Role.SYNTHESIZER, Role.SOLVER, Role.AGENT, Role.SIMULATOR, Role.JUDGE)
    return {
        role.value: RoleSettings(role=role, model="m", base_url="http://127.0.0.1:1/v1", price=price)
        for role in names
    }


def of(folder: Path, spec: JobSpec = SPEC, **other: bool) -> CostEstimate:
    return estimate(spec, roles(), SuiteFolder(folder), **other)


def stages(found: CostEstimate) -> list[tuple[str, str]]:
    return [(row.stage, row.role) for row in found.stages]


def test_every_stage_has_its_calls(tmp_path: Path) -> None:
    found = of(tmp_path)
    runs = [("runs", "agent"), ("runs", "simulator"), ("verdicts", "judge")]
    assert stages(found) == [("workplace", "synthesizer"), ("tasks", "synthesizer"), *runs]
    assert all(row.calls <= row.most_calls and row.tokens <= row.most_tokens for row in found.stages)
    assert all(row.dollars is not None and 0 < row.dollars <= (row.most_dollars or 0) for row in found.stages)
    assert found.tokens == sum(row.tokens for row in found.stages)
    calls = {row.stage: row.calls for row in found.stages if row.role == "synthesizer"}
    assert 8 <= calls["tasks"] <= 12
    assert "assumes" in found.assumptions
    in_code = of(tmp_path, msgspec.structs.replace(SPEC, workplace="code"))
    assert [row.stage for row in in_code.stages] == ["workplace", "second worker", "rulings", "runs"]


def test_more_work_costs_more(tmp_path: Path) -> None:
    small, large = of(tmp_path), of(tmp_path, msgspec.structs.replace(SPEC, tasks=40))
    assert small.dollars is not None
    assert large.dollars is not None
    assert 4 < large.dollars / small.dollars < 6
    assert of(tmp_path, until_drafts=True).tokens < small.tokens / 4


def test_what_lies_there_costs_nothing_any_more(tmp_path: Path) -> None:
    folder = SuiteFolder(tmp_path)
    yaml_form(WorkplaceDraft).write(folder.work / "workplace.yaml", workplace())
    for number in range(12):
        yaml_form(TaskDraft).write(folder.work / "drafts" / f"clerk-{number:02d}.yaml", task())
    assert {row.stage for row in of(tmp_path).stages} == {"runs", "verdicts"}
    ends: list[Any] = [{"task": f"clerk-{number:02d}", "fate": "kept"} for number in range(8)]
    write_lines(folder.calibration, ends)
    assert of(tmp_path).stages == []
    assert of(tmp_path, msgspec.structs.replace(SPEC, tasks=9)).stages


def test_after_three_runs_it_goes_by_what_they_took(tmp_path: Path) -> None:
    rows = [msgspec.structs.replace(row(number), calls=40) for number in range(3)]
    before = {row.stage: row.calls for row in of(tmp_path).stages if row.role == "agent"}
    (tmp_path / "work" / "runs").mkdir(parents=True)
    write_lines(SuiteFolder(tmp_path).runs("clerk-01"), rows)
    after = of(tmp_path)
    assert {row.stage: row.calls for row in after.stages if row.role == "agent"}["runs"] > 3 * before["runs"]
    assert "41.0 calls a run, as measured so far" in after.assumptions


@pytest.mark.parametrize("price", [None, (0.0, 0.0)])
def test_an_unknown_price_is_not_a_price_of_nothing(price: tuple[float, float] | None, tmp_path: Path) -> None:
    found = estimate(SPEC, roles(price), SuiteFolder(tmp_path))
    assert found.dollars == (None if price is None else 0)
