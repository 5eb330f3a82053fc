"""The corrections that ship."""

from pathlib import Path

import pytest
import yaml
from tests.support.data import real_data_dir
from tests.support.tiny_orchestration import TinyOrchestration, usual

from worktrial.suites.orchestration.planning.corrected import corrections_for
from worktrial.suites.orchestration.planning.findings import step_of
from worktrial.suites.orchestration.planning.release import load_release
from worktrial.suites.orchestration.planning.scenario import (
    CallStep,
    Language,
    OddStep,
    PlanStep,
    RefusalStep,
    RefusalType,
)


@pytest.mark.parametrize("language", Language)
def test_each_has_a_place_and_a_reason(language: Language) -> None:
    corrections = [one for found in corrections_for(language).values() for one in found]
    assert len(corrections) > 30
    assert all(one.why.strip() and one.step > 0 for one in corrections)


def test_data_that_they_were_not_made_for_says_so_and_stays(tmp_path: Path) -> None:
    folder = TinyOrchestration({"85": usual(), "86": usual()}).write(tmp_path)
    [odd, other] = load_release(folder, [Language.EN], corrected=True).scenarios
    assert [(step_of(o), o.check) for o in odd.findings] == [(8, "correction-does-not-fit")]
    assert (odd.fixes, other.findings) == ((), ())
    assert odd.steps == load_release(folder, [Language.EN]).scenarios[0].steps


@pytest.mark.real_data
def test_all_of_them_fit_the_release() -> None:
    release = load_release(real_data_dir() / "orchestrationbench", list(Language), corrected=True)
    assert not [o for s in release.scenarios for o in s.findings]
    for language in Language:
        shipped = {id_: len(found) for id_, found in corrections_for(language).items()}
        applied = {s.id: len(s.fixes) for s in release.scenarios if s.language == language and s.fixes}
        assert applied == shipped


@pytest.mark.real_data
def test_what_they_make_of_the_release() -> None:
    release = load_release(real_data_dir() / "orchestrationbench", list(Language), corrected=True)
    steps = {(s.key, step.id): step for s in release.scenarios for step in s.steps}

    plan = steps["EN/85", 8]
    assert isinstance(plan, PlanStep)
    assert len(plan.plan.workflows) == 3
    supplied = steps["EN/32", 7]
    assert isinstance(supplied, CallStep)
    assert supplied.calls[0].tool == "getAutoTransferList"
    assert set(supplied.calls[0].arguments) == {"refinedQuery", "accountHolderName", "fromAccountNumber"}
    assert supplied.calls[0].result is not None
    mended = steps["EN/195", 6]
    assert isinstance(mended, CallStep)
    assert len(mended.calls[0].arguments) == 6
    split = steps["EN/88", 5]
    assert isinstance(split, CallStep)
    assert all(call.result for call in split.calls)
    refused = steps["EN/70", 7]
    assert isinstance(refused, RefusalStep)
    assert refused.type is RefusalType.TOOL_CONSTRAINT_VIOLATION
    assert steps["EN/108", 3].agent == "entertainment_agent"
    out = [key for key, step in steps.items() if isinstance(step, OddStep)]
    assert out == [("EN/188", 4), ("EN/188", 5), ("EN/188", 6), ("EN/188", 9), ("KO/95", 4)]


@pytest.mark.real_data
def test_corrected_contents_parse_with_plain_yaml() -> None:
    """So that the published scores of corrected gold see the same calls and refusals."""
    release = load_release(real_data_dir() / "orchestrationbench", list(Language), corrected=True)
    for scenario in release.scenarios:
        for step in scenario.steps:
            if isinstance(step, CallStep | RefusalStep | PlanStep):
                value = yaml.load(step.text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
                assert isinstance(value, dict), (scenario.key, step.id)
                usual = {"tool", "tool_call", "status"} if not isinstance(step, PlanStep) else value.keys()
                assert usual & value.keys(), (scenario.key, step.id)
