"""Every Eval Ever: aggregates and instances by the store's schema, at the place where the store looks for them."""

import json
import re
from hashlib import sha256
from pathlib import Path
from typing import Any

import jsonschema
from tests.support.cli import command
from tests.support.made_runs import make_run
from tests.support.odd_work import odd_run

from worktrial.engine.stored import open_run

DATA = Path(__file__).parents[2] / "data"
PLACE = re.compile(
    r"data/worktrial-[\w-]+/[^/]+/[^/]+/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
)


def schema(name: str) -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(json.loads((DATA / "schemas" / f"eee-0.3-{name}.json").read_text()))


def check(out: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The one aggregate below `out` and its instances."""
    [path] = out.rglob("*.json")
    aggregate = json.loads(path.read_text())
    schema("aggregate").validate(aggregate)
    assert PLACE.fullmatch(str(path.relative_to(out).with_suffix("")))
    assert path.parts[-3:-1] == tuple(aggregate["model_info"]["id"].split("/"))
    detailed = aggregate["detailed_evaluation_results"]
    data = (out / detailed["file_path"]).read_bytes()
    assert sha256(data).hexdigest() == detailed["checksum"]
    # Its reader splits lines wherever Unicode does.
    instances = [json.loads(line) for line in data.decode().splitlines()]
    assert len(instances) == detailed["total_rows"]
    known = {result["evaluation_result_id"] for result in aggregate["evaluation_results"]}
    for instance in instances:
        schema("instance").validate(instance)
        assert instance["evaluation_id"] == aggregate["evaluation_id"]
        assert instance["model_id"] == aggregate["model_info"]["id"]
        assert instance["evaluation_result_id"] in known
        assert [m["turn_idx"] for m in instance["messages"]] == [*range(len(instance["messages"]))]
    return aggregate, instances


def test_every_kind_of_run_has_the_form(tmp_path: Path) -> None:
    runs = [
        odd_run(tmp_path / "odd"),
        make_run(tmp_path / "made", tasks=6, hostile=True, seed=2, conditions=("E0", "E2"), invalid=0.3),
        *(DATA / "runs" / name for name in ("starter", "occupations", "documents")),
    ]
    for run in runs:
        out = tmp_path / "out" / run.name
        ran = command("export", run, "--format", "eee", "--model-id", "org/model-1", "-o", out)
        assert ran.code == 0, ran.err
        _, instances = check(out)
        records = {(r.sample, r.condition, str(r.repeat)): r for r in open_run(run).records}
        assert len(instances) == len(records)
        for instance in instances:
            about = instance["metadata"]
            record = records[instance["sample_id"], about["condition"], about["repeat"]]
            assert instance["evaluation"]["is_correct"] is (record.outcome == "pass")
            assert ("error" in instance) == (record.outcome == "invalid")
            assert about["outcome"] == record.outcome and about["reason"] == record.reason
            called = sum(len(m.get("tool_calls", [])) for m in instance["messages"])
            assert called >= record.calls


def test_each_condition_has_its_rate_with_interval_and_invalid_samples(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", tasks=12, conditions=("E0", "E2/3x1"), repeats=2, invalid=0.2, seed=5)
    assert command("export", run, "--format", "eee", "--model-id", "a/b", "-o", tmp_path / "out").code == 0
    aggregate, _ = check(tmp_path / "out")
    found = {r["metric_config"]["additional_details"]["condition"]: r for r in aggregate["evaluation_results"]}
    assert found.keys() == {"E0", "E2/3x1"}
    for condition, result in found.items():
        records = [r for r in open_run(run).records if r.condition == condition]
        score = result["score_details"]
        assert score["score"] == sum(r.outcome == "pass" for r in records) / len(records)
        interval = score["uncertainty"]["confidence_interval"]
        assert interval["lower"] < score["score"] < interval["upper"] and interval["confidence_level"] == 0.95
        assert score["details"]["invalid"] == str(sum(r.outcome == "invalid" for r in records)) != "0"
        assert score["uncertainty"]["num_samples"] == len(records)


def test_a_model_is_somebodys_and_a_reference_agent_ours(tmp_path: Path) -> None:
    run = odd_run(tmp_path / "run", roles={"agent": {"model": "my-model"}})
    refused = command("export", run, "--format", "eee", "-o", tmp_path / "out")
    assert refused.code == 2 and "my-model does not say whose model it is; name it as ORG/NAME" in refused.err
    assert "--model-id" in refused.err and not (tmp_path / "out").exists()
    own = ("--model-id", "me/my-model", "--organization", "Me")
    assert command("export", run, "--format", "eee", *own, "-o", tmp_path / "out").code == 0
    aggregate, _ = check(tmp_path / "out")
    assert aggregate["source_metadata"]["source_organization_name"] == "Me"
    plan = tmp_path / "plan"
    assert command("run", "starter", "--agent", "plan", "--limit", 1, "-o", plan).code == 0
    assert command("export", plan, "--format", "eee", "-o", tmp_path / "of-plan").code == 0
    aggregate, _ = check(tmp_path / "of-plan")
    assert aggregate["model_info"]["id"] == "worktrial/plan"


def test_the_same_run_has_the_same_files(tmp_path: Path) -> None:
    run = odd_run(tmp_path / "run")
    for name in ("a", "b"):
        command("export", run, "--format", "eee", "--model-id", "x/y", "-o", tmp_path / name)
    first, second = (
        {p.relative_to(tmp_path / n): p.read_bytes() for p in (tmp_path / n).rglob("*.json*")} for n in "ab"
    )
    assert first == second


def test_what_is_lost_is_said(tmp_path: Path) -> None:
    ran = command(
        "export", odd_run(tmp_path / "run"), "--format", "eee", "--model-id", "x/y", "-o", tmp_path / "out"
    )
    assert "calls have arguments that are no texts" in ran.err
    assert "2 calls have arguments that are no object" in ran.err
