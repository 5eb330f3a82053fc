"""What makes two runs differ, which of it makes them not comparable, and how it is told."""

import copy
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from worktrial.engine.identity import TrialIdentity, comparable
from worktrial.engine.manifest import Manifest, read_manifest
from worktrial.engine.shard import Shard
from worktrial.grading.prompt import prompt_fingerprint
from worktrial.options import FaultOptions, JudgingOptions
from worktrial.suite import suites
from worktrial.suites.orchestration.run.judges import judge_prompts_fingerprint

BY_CODE = "decided_by", "code"
E2 = {"mode": "E2", "count": 2, "duration": 2, "seed": 0, "unit": "call"}
E0 = {"mode": "E0", "count": 2, "duration": 2, "seed": 0, "unit": "call"}
BASE: dict[str, Any] = {
    "agent": "agent-1",
    "tasks": ["1", "2"],
    "limits": {"turns": 60},
    "memory": "history",
    "simulator_prompt": "full",
    "votes": 3,
    "parallel_votes": False,
    "judge_method": "votes",
    "judge_record": 120_000,
    "roles": {
        "agent": {"model": "agent-1", "temperature": None},
        "simulator": {"model": "sim", "temperature": None},
        "judge": {"model": "judge", "temperature": 0.0},
    },
}


def _manifest(*changes: tuple[str, Any], suite: str = "occupations", data: str = "abc") -> Manifest:
    settings = copy.deepcopy(BASE)
    for path, value in changes:
        *folders, name = path.split(".")
        place = settings
        for folder in folders:
            place = place[folder]
        place[name] = value
    return Manifest(suite=suite, data={"folder": "x", "fingerprint": data}, settings=settings, samples=2)


def _differences(first: Manifest, second: Manifest) -> list[Any]:
    return TrialIdentity.of(first).differences(TrialIdentity.of(second))


def _faults(*conditions: dict[str, Any], prompted: bool = False) -> tuple[str, Any]:
    return "faults", {"settings": list(conditions), "prompted": prompted, "generator": 1}


@pytest.mark.parametrize(
    "changes",
    [
        [],
        [("agent", "agent-2"), ("roles.agent.model", "agent-2"), ("limits.turns", 9), ("tasks", ["1"])],
        [("parallel_votes", True), ("repeats", 3)],
        [_faults(E0)],
        [_faults({**E0, "seed": 7})],
        [("faults", None)],
        # Each condition is compared by itself.
        [_faults(E0, E2)],
    ],
)
def test_what_does_not_matter(changes: list[tuple[str, Any]]) -> None:
    assert comparable(_manifest(), _manifest(*changes)) == []
    assert comparable(_manifest(*changes), _manifest()) == []


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ([("roles.simulator.model", "other")], "simulator.model"),
        ([("roles.simulator.temperature", 1.0)], "simulator.temperature"),
        ([("memory", "ledger")], "simulator.memory"),
        ([("simulator_prompt", "compact")], "simulator.simulator_prompt"),
        ([("simulator_version", 2)], "simulator.simulator_version"),
        ([("simulator_facts", 500)], "simulator.simulator_facts"),
        ([("roles.judge.model", "other")], "judge.model"),
        ([("votes", 5)], "judge.votes"),
        ([("judge_method", "logprob")], "judge.judge_method"),
        ([("regraded", {"source": "x", "rubrics": "y"})], "judge.rubrics"),
    ],
)
def test_what_matters(changes: list[tuple[str, Any]], what: str) -> None:
    for pair in ((_manifest(), _manifest(*changes)), (_manifest(*changes), _manifest())):
        assert [d.what for d in comparable(*pair)] == [what]


@pytest.mark.parametrize(
    ("suite", "before", "after", "what"),
    [
        ("occupations", {}, {"with_plan": True}, "trial.with_plan"),
        ("documents", {"setup": "archive"}, {"setup": "closed-book"}, "trial.setup"),
        ("documents", {"tolerance": 0.0}, {"tolerance": 0.01}, "trial.tolerance"),
        ("documents", {"scorer_version": "aa"}, {"scorer_version": "bb"}, "trial.scorer_version"),
        ("orchestration", {"mode": "turns"}, {"mode": "free"}, "trial.mode"),
        (
            "orchestration",
            {"roles.judge-2": {"model": "j"}},
            {"roles.judge-2": {"model": "k"}},
            "judge.judge-2.model",
        ),
    ],
)
def test_what_was_given_and_scored_matters(
    suite: str, before: dict[str, Any], after: dict[str, Any], what: str
) -> None:
    first, second = (_manifest(*changes.items(), suite=suite) for changes in (before, after))
    assert [d.what for d in comparable(first, second)] == [what]
    assert comparable(first, first) == []


def test_faults_of_another_generator_are_other_faults() -> None:
    earlier, (_, now) = _faults(E0, E2), _faults(E0, E2)
    later = ("faults", {**now, "generator": 2})
    assert [d.what for d in comparable(_manifest(earlier), _manifest(later))] == ["faults.generator"]
    assert comparable(_manifest(later), _manifest(later)) == []
    assert [d.what for d in _differences(_manifest(), _manifest(later))] == ["faults.conditions.E2"]
    asked = [("faults", {**now, "prompted": True, "generator": n}) for n in (1, 2)]
    assert [d.what for d in comparable(*map(_manifest, asked))] == ["faults.generator"]


def test_what_the_judge_was_told_counts() -> None:
    now = ("judge_prompt", prompt_fingerprint("votes"))
    assert comparable(_manifest(now), _manifest(now)) == []
    other = ("judge_prompt", "0" * 64)
    for earlier, later in ((now, other), (None, other)):
        pair = (_manifest(*[earlier] if earlier else []), _manifest(later))
        assert [d.what for d in comparable(*pair)] == ["judge.judge_prompt"]
    by_code = [_manifest(one, BY_CODE, suite="starter") for one in (now, other)]
    assert comparable(*by_code) == []


def test_the_fingerprint_is_that_of_what_the_judge_is_told() -> None:
    assert prompt_fingerprint("votes") != prompt_fingerprint("logprob")
    assert re.fullmatch("[0-9a-f]{64}", judge_prompts_fingerprint())


def test_runs_that_name_their_options_are_compared_by_these() -> None:
    options = {"depth": 2, "votes": 3, "memory": "history", "faults": "E0,E2"}

    def named(**changes: Any) -> Manifest:
        return _manifest(("options", {**options, **changes}), suite="of one's own")

    assert comparable(named(), named()) == []
    assert [str(d) for d in comparable(named(), named(depth=3))] == ["trial.depth: 2 -> 3"]
    # Judge, simulator and faults are compared by what came of these options.
    assert comparable(named(), named(faults="E0", votes=5)) == []
    # Nobody knows how deep a run went that names none.
    assert [str(d) for d in comparable(_manifest(suite="of one's own"), named())] == ["trial.depth: null -> 2"]


def test_other_suites_and_data() -> None:
    found = comparable(_manifest(), _manifest(suite="starter", data="def"))
    assert {d.what for d in found} >= {"suite", "data"}
    assert str(found[0]) == 'suite: "occupations" -> "starter"'


def test_faults_are_compared_by_what_they_do() -> None:
    first, same = _manifest(_faults(E0, E2)), _manifest(_faults(E2, {**E0, "count": 9}))
    assert comparable(first, same) == []
    other = _manifest(_faults(E0, {**E2, "seed": 1}))
    assert [d.what for d in comparable(first, other)] == ["faults.conditions.E2"]
    # No mode in common is nothing to compare.
    found = comparable(_manifest(), _manifest(_faults(E2)))
    assert [d.what for d in found] == ["faults.conditions.E0", "faults.conditions.E2"]
    assert [d.what for d in comparable(first, _manifest(_faults(E0, E2, prompted=True)))] == ["faults.prompted"]


def test_judging_again_carries_the_roles_of_the_work() -> None:
    again = _manifest(
        ("roles", {"judge": BASE["roles"]["judge"]}),
        ("carried_roles", {k: v for k, v in BASE["roles"].items() if k != "judge"}),
        ("regraded", {"source": "x", "rubrics": None}),
    )
    assert comparable(_manifest(), again) == []


def test_where_code_decides_a_judge_makes_no_difference() -> None:
    first, second = _manifest(BY_CODE), _manifest(BY_CODE, ("roles.judge.model", "other"))
    assert comparable(first, second) == []
    assert TrialIdentity.of(first).judge is None
    # But the run itself is not gone on with by another judge.
    assert [d.what for d in _differences(first, second)] == ["judge.model"]


RUNS = Path(__file__).parents[1] / "data" / "runs"
STORED = sorted(path.parent.name for path in RUNS.glob("*/manifest.json"))


@pytest.mark.parametrize("name", STORED)
def test_whatever_changes_in_a_manifest_counts_but_for_a_short_list(name: str) -> None:
    """Each setting of each stored run in turn, and one that nobody has heard of."""
    before = read_manifest(RUNS / name / "manifest.json")
    assert comparable(before, before) == []
    neutral = {"agent", "sub_agent", "limits", "tasks", "repeats", "parallel_votes", "context_tokens"}
    if before.settings.get("decided_by") == "code":
        neutral |= {"votes", "judge_method", "judge_record", "judge_prompt"}
    for key in {*before.settings, "a-key-of-tomorrow"} - {"roles", "carried_roles", "regraded", "faults"}:
        changed = copy.deepcopy(before)
        changed.settings[key] = "something else"
        found = comparable(before, changed)
        assert bool(found) is (key not in neutral), key
        assert bool(comparable(changed, before)) is bool(found)
        # A run itself goes on with nothing but the same.
        assert bool(_differences(before, changed)) is (key != "parallel_votes"), key
    for key in [*before.data, "a-key-of-tomorrow"]:
        changed = copy.deepcopy(before)
        changed.data[key] = "something else"
        places = {"folder", "archive", "source_run", "trusted", "title", "kind"}
        assert bool(comparable(before, changed)) is (key not in places), key


@pytest.mark.parametrize(
    ("name", "change", "said"),
    [
        ("documents", {"images": True}, "trial.images: false -> true"),
        ("documents", {"python": "sandboxed"}, 'trial.python: "none" -> "sandboxed"'),
        ("orchestration", {"bounds": {"published": 10.0, "ours": 0.001}}, "trial.bounds.ours: 1.0 -> 0.001"),
    ],
)
def test_what_the_agent_was_given_and_how_far_scoring_looked_count(
    name: str, change: dict[str, Any], said: str
) -> None:
    before = read_manifest(RUNS / name / "manifest.json")
    after = msgspec.structs.replace(before, settings={**before.settings, **change})
    assert [str(d) for d in comparable(before, after)] == [said]


def test_a_model_in_a_part_of_its_own_counts() -> None:
    before, after = (_manifest(("roles.oracle", {"model": model})) for model in ("a", "b"))
    assert [str(d) for d in comparable(before, after)] == ['roles.oracle.model: "a" -> "b"']


def test_options_count_unless_they_say_otherwise() -> None:
    """Every option that a manifest of every suite names."""
    for suite in suites.all():
        measured = suite.every_option.model_fields.keys() - suite.every_option.neutral()
        for name in measured:
            one, other = (
                Manifest(suite=suite.name, data={}, settings={"options": {name: value}}, samples=1)
                for value in "ab"
            )
            settled = name in (*FaultOptions.model_fields, *JudgingOptions.model_fields)
            # Those of the simulator are read where they were settled, a shift's clock as `wall`.
            known = settled or name.startswith("simulator_") or name in ("memory", "expected_calls", "clock")
            assert bool(comparable(one, other)) is not known, (suite.name, name)


TRIM = {"keeping": "trim", "tokens": None, "version": 1}


@pytest.mark.parametrize(
    ("one", "other", "what"),
    [
        ({}, TRIM, {"agent.context.keeping", "agent.context.version"}),
        (TRIM, {**TRIM, "keeping": "summarise"}, {"agent.context.keeping"}),
        (TRIM, {**TRIM, "tokens": 9_000}, {"agent.context.tokens"}),
        (TRIM, {**TRIM, "version": 2}, {"agent.context.version"}),
        (TRIM, TRIM, set()),
    ],
)
def test_models_that_keep_their_conversations_otherwise_do_not_compare(
    one: Any, other: Any, what: set[str]
) -> None:
    def kept(rule: Any, held: int) -> Manifest:
        # What the model was known to hold is a matter of who worked.
        return _manifest(*([("context", rule), ("context_tokens", held)] if rule else []))

    assert {d.what for d in comparable(kept(one, 9_000), kept(other, 128_000))} == what
    assert {d.what for d in comparable(kept(other, 128_000), kept(one, 9_000))} == what


def test_an_agent_that_is_no_model_compares_with_any_context() -> None:
    plan = _manifest(("agent", "plan"))
    del plan.settings["roles"]["agent"]
    assert comparable(plan, _manifest(("context", TRIM), ("context_tokens", 9_000))) == []


def test_folders_of_ones_own_that_hold_the_same_are_one_suite() -> None:
    one, other = (_manifest(suite=name) for name in ("mine", "renamed"))
    assert [d.what for d in comparable(one, other)] == ["suite"]
    for manifest in (one, other):
        manifest.data["kind"] = "simulated"
    assert comparable(one, other) == _differences(one, other) == []
    other.data["fingerprint"] = "other"
    assert [d.what for d in comparable(one, other)] == ["suite", "data"]


def test_what_says_who_worked_on_what_differs_and_compares() -> None:
    first = _manifest()
    changes = [("agent", "x"), ("roles.agent.model", "x"), ("tasks", ["1"]), ("regraded", {"source": "s"})]
    second = _manifest(*changes)
    second.shard = Shard(1, 2)
    told = ["agent.agent", "agent.model.model", "samples.tasks", "work.source", "shard"]
    assert [d.what for d in _differences(first, second)] == told
    assert comparable(first, second) == []


def test_the_digest_is_that_of_what_counts() -> None:
    first, moved, other = _manifest(), _manifest(("parallel_votes", True)), _manifest(("votes", 5))
    moved.data["folder"] = "elsewhere"
    digests = [TrialIdentity.of(manifest).digest for manifest in (first, moved, other)]
    assert digests[0] == digests[1] != digests[2]
