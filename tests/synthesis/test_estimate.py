"""What is left to be asked for, and what that costs."""

from pathlib import Path

import pytest
from tests.synthesis.any_drafts import task, workplace

from worktrial.engine.roles import Role, RoleSettings
from worktrial.synthesis import files
from worktrial.synthesis.artifacts import JobSpec, SubTopic
from worktrial.synthesis.estimate import CostEstimate, estimate
from worktrial.synthesis.folder import SuiteFolder
from worktrial.synthesis.pipeline import slots_of

SPEC = JobSpec(role="clerk", subtopics=4, levels=[1, 2])


def roles(price: tuple[float, float] | None = (1.0, 4.0)) -> dict[str, RoleSettings]:
    return {
        role.value: RoleSettings(role=role, model="m", base_url="http://127.0.0.1:1/v1", price=price)
        for role in (Role.SYNTHESIZER, Role.AGENT, Role.SIMULATOR, Role.JUDGE)
    }


def of(folder: Path, spec: JobSpec = SPEC, **other: bool) -> CostEstimate:
    return estimate(spec, roles(), SuiteFolder(folder), documents=other.pop("documents", False), **other)


def test_every_stage_has_its_calls(tmp_path: Path) -> None:
    found = of(tmp_path)
    stages = [(row.stage, row.role) for row in found.stages]
    assert stages == [
        ("sub-topics", "synthesizer"),
        ("overlap", "judge"),
        ("references", "synthesizer"),
        ("workplaces", "synthesizer"),
        ("tasks", "synthesizer"),
        ("runs", "agent"),
        ("runs", "simulator"),
        ("verdicts", "judge"),
        ("repairs", "synthesizer"),
    ]
    assert all(row.calls <= row.most_calls and row.tokens <= row.most_tokens for row in found.stages)
    assert all(row.dollars is not None and 0 < row.dollars <= (row.most_dollars or 0) for row in found.stages)
    assert found.tokens == sum(row.tokens for row in found.stages)
    calls = {row.stage: row.calls for row in found.stages if row.role == "synthesizer"}
    assert 8 <= calls["workplaces"] <= 10
    assert "assumes" in found.assumptions


def test_more_work_costs_more(tmp_path: Path) -> None:
    small, large = of(tmp_path), of(tmp_path, JobSpec(role="clerk"))
    assert small.dollars is not None
    assert large.dollars is not None
    assert 5 < large.dollars / small.dollars < 8
    assert of(tmp_path, documents=True).tokens > small.tokens
    assert of(tmp_path, until_drafts=True).tokens < small.tokens / 4


def test_what_lies_there_costs_nothing_any_more(tmp_path: Path) -> None:
    folder = SuiteFolder(tmp_path)
    topics = [SubTopic(id=f"t{n}", title="T", about="A") for n in range(4)]
    files.SUBTOPICS.write(folder.subtopics, topics)
    for slot in slots_of(SPEC, topics):
        files.WORKPLACE.write(folder.workplace(slot), workplace())
        files.TASK.write(folder.task(slot), task())
    stages = {row.stage for row in of(tmp_path).stages}
    assert stages == {"references", "runs", "verdicts", "repairs"}


@pytest.mark.parametrize("price", [None, (0.0, 0.0)])
def test_an_unknown_price_is_not_a_price_of_nothing(price: tuple[float, float] | None, tmp_path: Path) -> None:
    found = estimate(SPEC, roles(price), SuiteFolder(tmp_path), documents=False)
    assert found.dollars == (None if price is None else 0)
