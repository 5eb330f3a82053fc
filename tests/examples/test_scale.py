"""The examples for other launchers: each starts every shard once, and merges them."""

import importlib.util
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator
from tests.support.cli import count_lines

from worktrial.engine.shard import read_shard

SCALE = Path(__file__).parents[2] / "examples" / "scale"


def program(folder: Path, name: str, text: str) -> dict[str, str]:
    """Environment in which `name` is a program of ours."""
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"#!/usr/bin/env bash\n{text}\n")
    (folder / name).chmod(0o755)
    return {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}


def commands(tmp_path: Path, script: str, **names: str) -> list[list[str]]:
    """Words of each `worktrial` that a script starts."""
    said = tmp_path / "said"
    said.unlink(missing_ok=True)
    environment = program(tmp_path / "bin", "worktrial", f'printf "%q " "$@" >> {said}; echo >> {said}')
    subprocess.run(["bash", "-euc", script], env={**environment, **names}, cwd=tmp_path, check=True, timeout=60)
    return [shlex.split(line) for line in said.read_text().splitlines()]


def are_every_shard(runs: Iterable[list[str]], of: int) -> None:
    """The runs are of different shards, in folders that tell them apart, and of nothing else."""
    shards, folders = set(), set()
    for words in runs:
        assert words[:4] == ["run", "starter", "--agent", "plan"]
        shard = read_shard(words[words.index("--shard") + 1])
        assert shard.of == of
        shards.add(shard.number)
        folders.add(words[words.index("-o") + 1])
    assert shards == {*range(1, of + 1)}
    assert len(folders) == of


@pytest.mark.slow
def test_slurm(tmp_path: Path) -> None:
    """By an `sbatch` that does at once what it is told."""
    fake = """
    for word in "$@"; do case $word in --array=*) array=${word#*=};; --wrap=*) wrap=${word#*=};; esac; done
    for number in $(if [ -n "${array:-}" ]; then seq ${array/-/ }; else echo 0; fi); do
      SLURM_ARRAY_TASK_ID=$number bash -c "${wrap#exec }" >&2 || exit 1
    done
    echo 1234"""
    program(tmp_path / "bin", "worktrial", f'exec {shlex.quote(sys.executable)} -m worktrial "$@"')
    environment = program(tmp_path / "bin", "sbatch", fake)
    trial = ["starter", "--agent", "plan", "--tasks", "lab-01,lab-02,lab-03"]
    words = ["bash", SCALE / "slurm.sh", "2", "runs/a big one", *trial]
    done = subprocess.run(words, check=False, env=environment, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "3 samples of 2 shards -> runs/a big one" in done.stderr
    assert count_lines(tmp_path / "runs" / "a big one" / "samples.jsonl") == 3


def strictly(**fields: Any) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": False, "properties": fields}


TEXT, COUNT, ANY = {"type": "string"}, {"type": "integer", "minimum": 0}, {"type": "object"}
QUANTITIES = {
    "type": "object",
    "additionalProperties": {"type": "string", "pattern": r"^\d+(\.\d+)?(m|[KMGT]i?)?$"},
}
CONTAINER = {
    **strictly(
        name=TEXT,
        image=TEXT,
        command={"type": "array", "items": TEXT},
        args={"type": "array", "items": TEXT},
        env={"type": "array", "items": strictly(name=TEXT, value=TEXT, valueFrom=ANY)},
        envFrom={"type": "array", "items": strictly(secretRef=strictly(name=TEXT, optional={"type": "boolean"}))},
        resources=strictly(requests=QUANTITIES, limits=QUANTITIES),
        volumeMounts={
            "type": "array",
            "items": {**strictly(name=TEXT, mountPath=TEXT), "required": ["name", "mountPath"]},
        },
    ),
    "required": ["name", "image"],
}
POD = {
    **strictly(
        restartPolicy={"enum": ["Never", "OnFailure"]},  # of pods of jobs
        terminationGracePeriodSeconds=COUNT,
        containers={"type": "array", "minItems": 1, "items": CONTAINER},
        volumes={"type": "array", "items": strictly(name=TEXT, persistentVolumeClaim=strictly(claimName=TEXT))},
    ),
    "required": ["restartPolicy", "containers"],
}
# What the reference of the API says of `batch/v1` Job (Kubernetes 1.33), as far as the example goes.
JOB = {
    **strictly(
        apiVersion={"const": "batch/v1"},
        kind={"const": "Job"},
        metadata=strictly(name={"type": "string", "pattern": r"^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$"}),
        spec={
            **strictly(
                completionMode={"enum": ["Indexed", "NonIndexed"]},
                completions=COUNT,
                parallelism=COUNT,
                backoffLimit=COUNT,
                backoffLimitPerIndex=COUNT,
                suspend={"type": "boolean"},
                template={**strictly(metadata=ANY, spec=POD), "required": ["spec"]},
            ),
            "required": ["template"],
            # A limit for each index is for indexed jobs, whose pods are not restarted in place.
            "dependentSchemas": {
                "backoffLimitPerIndex": {
                    "properties": {
                        "completionMode": {"const": "Indexed"},
                        "template": {"properties": {"spec": {"properties": {"restartPolicy": {"const": "Never"}}}}},
                    },
                    "required": ["completionMode"],
                }
            },
        },
    ),
    "required": ["apiVersion", "kind", "metadata", "spec"],
}


def test_kubernetes(tmp_path: Path) -> None:
    shards, merge = jobs = [*yaml.safe_load_all((SCALE / "kubernetes.yaml").read_text("utf-8"))]
    for job in jobs:
        assert [*Draft202012Validator(JOB).iter_errors(job)] == []
        pod = job["spec"]["template"]["spec"]
        mounted = {mount["name"] for container in pod["containers"] for mount in container["volumeMounts"]}
        assert mounted == {volume["name"] for volume in pod["volumes"]}
    broken = yaml.safe_load(yaml.safe_dump(shards))
    del broken["spec"]["completionMode"]
    assert [*Draft202012Validator(JOB).iter_errors(broken)]
    [container] = shards["spec"]["template"]["spec"]["containers"]
    assert container["command"] == ["bash", "-euc"]
    of = shards["spec"]["completions"]
    script = container["args"][0]
    runs = [words for n in range(of) for words in commands(tmp_path, script, JOB_COMPLETION_INDEX=str(n))]
    are_every_shard(runs, of)
    [last] = merge["spec"]["template"]["spec"]["containers"]
    assert commands(tmp_path, last["args"][0]) == [["merge", "/runs/big.shards/shard-*", "-o", "/runs/big"]]
    assert all(Path(words[-1]).match("/runs/big.shards/shard-*") for words in runs)


def test_github() -> None:
    file = yaml.safe_load((SCALE / "github-matrix.yml").read_text("utf-8"))
    shard, merge = file["jobs"]["shard"], file["jobs"]["merge"]
    numbers = shard["strategy"]["matrix"]["number"]
    [run] = [step["run"] for step in shard["steps"] if "--shard" in step.get("run", "")]
    filled = [shlex.split(re.sub(r"\$\{\{ *matrix\.number *\}\}", str(n), run))[1:] for n in numbers]
    are_every_shard(filled, len(numbers))
    assert (merge["needs"], shard["strategy"]["fail-fast"]) == ("shard", False)
    assert "worktrial merge shard-* -o run" in [step.get("run") for step in merge["steps"]]


def test_skypilot(tmp_path: Path) -> None:
    task = yaml.safe_load((SCALE / "skypilot.yaml").read_text("utf-8"))
    of = task["num_nodes"]
    runs: list[list[str]] = []
    for rank in range(of):
        runs += commands(tmp_path, task["run"], SKYPILOT_NODE_RANK=str(rank), SKYPILOT_NUM_NODES=str(of))
    are_every_shard(runs, of)


def test_modal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a stand-in for the library: functions are called here, one after the other."""

    class Called:
        def __init__(self, work: Callable[..., None]) -> None:
            self.map = lambda numbers: [work(n) for n in numbers]
            self.remote = work

    class Nothing:
        def __getattr__(self, name: str) -> Any:
            return lambda *words, **named: self

    class App(Nothing):
        def function(self, **named: object) -> Any:
            return Called

        def local_entrypoint(self) -> Any:
            return lambda work: work

    stand_in: Any = ModuleType("modal")
    stand_in.App, stand_in.Image, stand_in.Volume = lambda name: App(), Nothing(), Nothing()
    monkeypatch.setitem(sys.modules, "modal", stand_in)
    ran: list[list[str]] = []
    monkeypatch.setattr(subprocess, "run", lambda words, check: ran.append(words))
    spec = importlib.util.spec_from_file_location("modal_app", SCALE / "modal_app.py")
    assert spec and spec.loader
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    example.main()
    *runs, merge = (words[1:] for words in ran)
    are_every_shard(runs, example.SHARDS)
    assert merge == ["merge", *(words[-1] for words in runs), "-o", "/runs/big"]
