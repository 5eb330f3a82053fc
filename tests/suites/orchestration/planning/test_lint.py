"""Each check on data of ours."""

from pathlib import Path

import pytest
from tests.support.orchestration import Row, whole
from tests.support.tiny_orchestration import CALL, TinyOrchestration, plan, step, usual

from worktrial.suites.orchestration.planning.findings import step_of
from worktrial.suites.orchestration.planning.lint import lint_release
from worktrial.suites.orchestration.planning.release import load_release
from worktrial.suites.orchestration.planning.scenario import Language


def findings(folder: Path, *steps: Row) -> list[tuple[int | None, str, str]]:
    data = TinyOrchestration({"1": whole(*steps)} if steps else {"1": usual()}).write(folder)
    return [(step_of(o), o.check, o.what) for o in lint_release(load_release(data, [Language.EN]))]


def test_nothing_is_odd_about_a_usual_scenario(tmp_path: Path) -> None:
    assert findings(tmp_path) == []


PLANS: dict[str, tuple[str, str, str]] = {
    "unknown agent": (plan("workflow_1:baker"), "unknown-agent", "'baker'"),
    "odd status": (plan("workflow_1:carter", status="competed"), "odd-status", "'competed'"),
    "no status": ("workflow_1: {steps: [{name: carter, status: pending}]}", "odd-status", "states no status"),
    "unknown dependency": (
        plan("workflow_1:carter", "workflow_2:carter", workflow_2="workflow1"),
        "odd-dependency",
        "'workflow1'",
    ),
    "cycle": (
        plan("workflow_1:carter", "workflow_2:carter", workflow_1="workflow_2", workflow_2="workflow_1"),
        "odd-dependency",
        "workflow_1 < workflow_2",
    ),
    "itself": (plan("workflow_1:carter", workflow_1="workflow_1"), "odd-dependency", "waits for itself"),
}


@pytest.mark.parametrize("name", PLANS)
def test_plans(name: str, tmp_path: Path) -> None:
    text, code, said = PLANS[name]
    [(at, found, reason)] = findings(tmp_path, step("user", "Go."), step("main", text))
    assert (at, found) == (2, code)
    assert said in reason


def call(tool_name: str, arguments: str = "{where: bed 3}") -> str:
    return f"tool: {tool_name}\narguments: {arguments}\ntool_call_result: 1"


WORK: dict[str, tuple[Row, list[str]]] = {
    "as planned": (step("gardener", CALL), []),
    "unknown agent": (step("gardner", CALL), ["unknown-agent"]),
    "foreign tool": (step("gardener", call("haul", "{load: hay}")), ["foreign-tool"]),
    "unknown tool": (step("gardener", call("plough")), ["unknown-tool"]),
    "missing argument": (step("gardener", call("dig", "{}")), ["schema-violation"]),
    "argument of another type": (step("gardener", call("dig", "{where: [bed 3]}")), ["schema-violation"]),
    "argument too many": (step("gardener", call("dig", "{where: bed 3, deep: 'yes'}")), ["schema-violation"]),
}


@pytest.mark.parametrize("name", WORK)
def test_work(name: str, tmp_path: Path) -> None:
    work, codes = WORK[name]
    found = findings(tmp_path, step("user", "Go."), step("main", plan("workflow_1:gardener")), work)
    assert [(at, code) for at, code, _ in found] == [(3, code) for code in codes]


def test_schema_violations_say_which_argument(tmp_path: Path) -> None:
    texts = [call("dig", "{}"), call("dig", "{where: 5}"), call("dig", "{where: a, deep: b}")]
    made = [step("gardener", text) for text in texts]
    found = findings(tmp_path, step("user", "Go."), step("main", plan("workflow_1:gardener")), *made)
    for (_, _, reason), argument in zip(found, ("where", "where", "deep"), strict=True):
        assert reason.startswith("dig: ")
        assert argument in reason


def test_a_schema_that_is_none_finds_nothing(tmp_path: Path) -> None:
    data = TinyOrchestration({"1": usual()})
    data.cards[0]["tools"][0]["parameters"]["properties"]["where"] = {"type": "place"}
    assert lint_release(load_release(data.write(tmp_path), [Language.EN])) == ()


def _asked_twice(first: str, second: str) -> list[Row]:
    both = plan("workflow_1:gardener", "workflow_2:carter")
    refusals = [step("gardener", "status: AWAITING_USER_INPUT"), step("carter", "status: AWAITING_USER_INPUT")]
    again = [step("user", "Bed 3, and hay."), step("gardener", first), step("carter", second)]
    return [step("user", "Go."), step("main", both), *refusals, *again]


def test_agents_asked_again_in_the_same_words(tmp_path: Path) -> None:
    refusal = "status: AWAITING_USER_INPUT\nrequired_info: "
    hay = call("haul", "{load: hay}")
    assert [(at, code) for at, code, _ in findings(tmp_path / "1", *_asked_twice(refusal + "bed", hay))] == [
        (6, "same-prompt"),
        (7, "same-prompt"),
    ]
    assert findings(tmp_path / "2", *_asked_twice(refusal + "x", refusal + "x")) == []
    # The first one's result is shown to the second, so that the words differ.
    assert findings(tmp_path / "3", *_asked_twice(CALL, hay)) == []


def test_in_the_order_of_languages_files_and_steps(tmp_path: Path) -> None:
    odd = whole(step("user", "Go."), step("main", plan("workflow_1:baker")), step("baker", CALL))
    for language in Language:
        TinyOrchestration({"10": odd, "9": odd, "2": "["}).write(tmp_path, language)
    found = lint_release(load_release(tmp_path, [Language.KO, Language.EN]))
    assert [(o.file[:2], o.file.split("/")[-1], step_of(o)) for o in found] == [
        (language, *rest)
        for language in ("KO", "EN")
        for rest in (("2.yaml", None), ("9.yaml", 2), ("9.yaml", 3), ("10.yaml", 2), ("10.yaml", 3))
    ]
