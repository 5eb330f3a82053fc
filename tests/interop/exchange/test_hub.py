"""Results for a model's page: as the hub's own client reads them, and nothing that a run does not know."""

from pathlib import Path

import pytest
import yaml
from huggingface_hub import parse_eval_result_entries
from huggingface_hub.repocard_data import model_index_to_eval_results
from tests.support.cli import command
from tests.support.made_runs import make_run
from tests.support.odd_work import odd_run

from worktrial.engine.stored import open_run


def test_the_hubs_client_reads_them(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", tasks=12, conditions=("E0", "E2/3x1"), invalid=0.2, seed=5)
    ran = command("export", run, "--format", "hf", "--dataset", "org/bench", "-o", tmp_path / "out")
    assert ran.code == 0 and "no field for an interval or for invalid samples" in ran.err
    [path] = (tmp_path / "out" / ".eval_results").iterdir()
    entries = yaml.safe_load(path.read_text())
    index = yaml.safe_load((tmp_path / "out" / "model-index.yaml").read_text())["model-index"]
    name, results = model_index_to_eval_results(index)
    assert [(e.dataset_id, e.value) for e in parse_eval_result_entries(entries)] == [
        ("org/bench", entry["value"]) for entry in entries
    ]
    assert name == "agent-a" and len(entries) == len(results) == 2
    for entry, result in zip(entries, results, strict=True):
        condition = entry["dataset"]["task_id"]
        records = [r for r in open_run(run).records if r.condition == condition]
        invalid = sum(r.outcome == "invalid" for r in records)
        rate = round(sum(r.outcome == "pass" for r in records) / len(records), 4)
        assert entry["value"] == result.metric_value == rate
        assert entry["dataset"] == {"id": "org/bench", "task_id": condition}
        assert entry.keys() <= {"dataset", "value", "date", "notes"}
        assert f"{invalid} invalid" in entry["notes"] and "95 % interval" in entry["notes"]
        low, high = result.metric_args["interval_95"]
        assert low < rate < high
        assert (result.metric_args["invalid"], result.metric_args["samples"]) == (invalid, len(records))
        assert (result.dataset_type, result.dataset_config) == ("org/bench", condition)


@pytest.mark.parametrize("words", [(), ("--dataset", "bench"), ("--dataset", "a/b/c")])
def test_a_dataset_is_named_and_not_invented(tmp_path: Path, words: tuple[str, ...]) -> None:
    ran = command("export", odd_run(tmp_path / "run"), "--format", "hf", *words, "-o", tmp_path / "out")
    assert ran.code == 2 and "name it as ORG/NAME" in ran.err
    assert not (tmp_path / "out").exists()


def test_a_page_is_about_one_model(tmp_path: Path) -> None:
    runs = [make_run(tmp_path / name, agent=name, tasks=2) for name in ("first", "second")]
    ran = command("export", *runs, "--format", "hf", "--dataset", "a/b", "-o", tmp_path / "out")
    assert ran.code == 2 and "and these are first, second" in ran.err
