"""Every command that takes a suite or its runs, on a folder that was written by hand: locked in, and trusted."""

import asyncio
import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import yaml
from tests.sandbox.sessions import needs_sandbox
from tests.support.cli import Ran, Word, command, samples_of
from tests.support.scripted_server import ScriptedServer
from tests.support.served import served

import worktrial as wt

EXAMPLE = Path(__file__).parents[2] / "examples" / "parcel-claims-trial"
TASKS = ("claims-01", "claims-02", "claims-03")
FORMATS = ("csv", "parquet", "jsonl", "markdown", "atif", "inspect")


@dataclass
class Trial:
    """A copy of the folder, and two runs of it."""

    place: Path
    trust: bool
    words: list[str] = field(init=False)

    def __post_init__(self) -> None:
        self.words = ["--trust"] if self.trust else []

    @property
    def suite(self) -> Path:
        return self.place / "claims"

    @property
    def plan(self) -> Path:
        return self.place / "plan"

    @property
    def idle(self) -> Path:
        return self.place / "idle"

    def make(self) -> None:
        """Copy the folder with its first tasks alone, and let both agents work."""
        shutil.copytree(EXAMPLE, self.suite)
        tasks = self.suite / "workplaces" / "claims_desk" / "tasks.yaml"
        file = yaml.safe_load(tasks.read_text("utf-8"))
        file["tasks"] = [task for task in file["tasks"] if task["id"] in TASKS]
        tasks.write_text(yaml.safe_dump(file, allow_unicode=True), "utf-8")
        for agent, run in (("plan", self.plan), ("idle", self.idle)):
            ran = command("run", self.suite, "--agent", agent, "--faults", "E0,E2", *self.words, "-o", run)
            assert ran.code == 0, ran.said


@pytest.fixture(
    scope="module",
    params=[pytest.param(False, marks=needs_sandbox, id="locked in"), pytest.param(True, id="trusted")],
)
def trial(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Trial]:
    made = Trial(tmp_path_factory.mktemp("own"), request.param)
    with pytest.MonkeyPatch.context() as patch:
        if made.trust:
            # As on a machine without a sandbox: what asked for one would fail.
            patch.setenv("PATH", str(made.place))
        made.make()
        yield made


Words = Callable[[Trial], list[Word]]
ON_THE_SUITE: dict[str, tuple[Words, str]] = {
    "list": (lambda t: ["list", t.suite, *t.words], "claims-02"),
    "lint": (lambda t: ["lint", t.suite, *t.words], "3 tasks, 1 workplaces"),
    "data check": (lambda t: ["data", "check", t.suite, *t.words], "fit to run"),
    "power": (lambda t: ["power", "--suite", t.suite, *t.words], "3 tasks"),
    "resume": (
        lambda t: ["run", t.suite, "--agent", "plan", "--faults", "E0,E2", *t.words, "-o", t.plan],
        "3 passed · 0 failed · 0 invalid",
    ),
    "help": (lambda t: ["run", t.suite, "--help"], "--trust"),
    "serve's help": (lambda t: ["serve", t.suite, "--help-all"], "--trust"),
}
ON_ITS_RUNS: dict[str, tuple[Words, str]] = {
    "show": (lambda t: ["show", t.plan], "parcel-claims · agent plan"),
    "show --json": (lambda t: ["show", t.plan, "--json"], '"suite": "parcel-claims"'),
    "trajectory": (lambda t: ["trajectory", t.plan, TASKS[0]], "parcel-claims · sample claims-01"),
    "compare": (lambda t: ["compare", t.plan, t.idle], "3 tasks"),
    "gate": (lambda t: ["gate", t.plan, "--min-completion", "0.3"], "gate passed"),
    "baseline": (
        lambda t: ["baseline", "set", "main", t.plan, "--replace", "--store", t.place / "store"],
        "parcel-claims · agent plan",
    ),
    "gate --baseline": (
        lambda t: ["gate", t.idle, "--baseline", t.plan, "--max-regression", "1"],
        "-100.0 points",
    ),
    "power --run": (lambda t: ["power", "--run", t.plan], "3 tasks"),
    "sql": (lambda t: ["sql", "select distinct suite as s from samples", t.plan], "parcel-claims"),
    "report": (lambda t: ["report", t.plan, t.idle, "--force", "-o", t.place / "site"], "index.html"),
    "regrade": (
        lambda t: ["regrade", t.plan, *t.words, "-o", t.place / "again"],
        "0 of 6 outcomes differ",
    ),
    "audit conformance": (lambda t: ["audit", "conformance", t.plan, *t.words], "conformance"),
    **{
        f"export {kind}": (
            lambda t, kind=kind: [
                *("export", t.plan, "--format", kind),
                *("--force", "-o", t.place / f"as-{kind}"),
            ],
            f"as-{kind}" if kind not in ("csv", "parquet") else "samples 6",
        )
        for kind in FORMATS
    },
}


@pytest.mark.parametrize("name", [*ON_THE_SUITE, *ON_ITS_RUNS])
def test_a_command_works(trial: Trial, name: str) -> None:
    words, said = (ON_THE_SUITE | ON_ITS_RUNS)[name]
    ran = command(*words(trial))
    assert ran.code == 0, ran.said
    assert said in ran.said, ran.said


def test_the_runs_are_on_record_under_the_suites_own_name(trial: Trial) -> None:
    manifest = json.loads((trial.plan / "manifest.json").read_text("utf-8"))
    assert manifest["suite"] == "parcel-claims"
    assert manifest["data"].pop("fingerprint")
    named = {"title": "parcel-claims", "kind": "executable", "folder": str(trial.suite)}
    assert manifest["data"] == {**named, **({"trusted": True} if trial.trust else {})}
    clean = {row["sample"]: row["outcome"] for row in samples_of(trial.plan) if row["condition"] == "E0"}
    assert clean == dict.fromkeys(TASKS, "pass")
    assert {row["outcome"] for row in samples_of(trial.idle)} == {"fail"}


@pytest.mark.slow
def test_it_is_validated(trial: Trial) -> None:
    ran = command("validate", trial.suite, *trial.words, "--json")
    found = json.loads(ran.out)
    assert ran.code in (0, 1) and "Traceback" not in ran.err, ran.said
    assert {row["agent"] for row in found["agents"]} >= {"plan", "idle"}, found.keys()


def test_simulators_are_measured_by_it(trial: Trial) -> None:
    audit = trial.place / "audit"
    with ScriptedServer() as server:
        words = ["--simulator", "m", "--base-url", server.url, "--suite-folder", trial.suite, "--from", trial.plan]
        ran = command("audit", "simulator", *words, *trial.words, "-o", audit)
    assert ran.code == 0 and "fidelity" in ran.said, ran.said
    for words in (["show", audit], ["audit", "show", audit], ["report", audit, "-o", trial.place / "audits"]):
        again = command(*words)
        assert again.code == 0, again.said


def test_it_is_served(trial: Trial) -> None:
    run = trial.place / "served"
    with served(run, "--tasks", TASKS[0], *trial.words, suite=str(trial.suite)) as server:
        episode = server.open(sample=TASKS[0])
        names = {tool["function"]["name"] for tool in episode["tools"]}
        assert {"find_claims", "search_handbook"} <= names, names
    assert command("show", run).code == 0


def test_python_takes_it(trial: Trial) -> None:
    trusted = {"trust": True} if trial.trust else {}
    assert [row.id for row in wt.tasks(trial.suite, **trusted)] == [*TASKS]
    run = wt.run(trial.suite, agent="plan", out=trial.place / "python", **trusted)
    assert run.completion == 1.0 and run.figures()[0].value == 1.0
    assert wt.compare(run, trial.plan).headline == "E0"

    async def drive() -> str:
        async with wt.episode(trial.suite, TASKS[0], out=trial.place / "driven", **trusted) as episode:
            await episode.call("search_handbook", {"query": "deadline"})
            return str(await episode.finish("Nothing."))

    assert "fail" in asyncio.run(drive()).lower()


def test_pytest_takes_it(trial: Trial, pytester: pytest.Pytester) -> None:
    trusted = ", trust=True" if trial.trust else ""
    pytester.makepyfile(f"""
        import pytest

        @pytest.mark.worktrial({str(trial.suite)!r}, agent="plan", limit=1{trusted})
        def test_agent(worktrial):
            assert worktrial.completion == 1.0
    """)
    ran = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    ran.assert_outcomes(passed=1)


def test_with_the_folder_gone_its_runs_are_still_read(trial: Trial) -> None:
    moved = trial.place / "moved"
    trial.suite.rename(moved)
    try:
        for name, (words, said) in ON_ITS_RUNS.items():
            if name not in ("regrade", "audit conformance"):
                ran = command(*words(trial))
                assert ran.code == 0 and said in ran.said, (name, ran.said)
        for words in (["regrade", trial.plan, "-o", trial.place / "third"], ["audit", "conformance", trial.plan]):
            lost: Ran = command(*words, *trial.words)
            assert lost.code == 2 and "is not there any more" in lost.said and "--data" in lost.said
            found = command(*words, "--data", moved, *trial.words)
            assert found.code == 0, found.said
        # Not the data of the run any more.
        tasks = moved / "workplaces" / "claims_desk" / "tasks.yaml"
        tasks.write_text(tasks.read_text("utf-8") + "\n# Another.\n", "utf-8")
        for words in (["regrade", trial.plan, "-o", trial.place / "fourth"], ["audit", "conformance", trial.plan]):
            other = command(*words, "--data", moved, *trial.words)
            assert other.code == 2 and "fingerprint" in other.said, other.said
    finally:
        moved.rename(trial.suite)
