"""Runs in object stores, here in folders that are treated as such: the same run, whoever wrote it from wherever."""

import asyncio
import json
import shutil
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from tests.engine.rig import TinyTrial
from tests.scale.test_merge import FILES, by_key, run, same_work, texts, tiny
from tests.support.cli import command, count_lines

import worktrial
from worktrial.engine.record import SampleResult
from worktrial.engine.records import SAMPLES
from worktrial.engine.remote import push
from worktrial.engine.run import run_trial
from worktrial.engine.run_plan import RemoteRun, RunSettings
from worktrial.engine.shard import read_shard, shard_folder
from worktrial.engine.store import RunStore
from worktrial.engine.trial import Job, SampleContext, ShardedTrial
from worktrial.errors import SettingError, StopRun, WorktrialError
from worktrial.grading import Outcome
from worktrial.scale.objects import local_run, pull
from worktrial.stores import shipping
from worktrial.stores.bucket import Bucket
from worktrial.stores.writers import spool_folder

Machine = Callable[[str], Path]


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """Goes to the machine of that name, which has a state and a cache of its own; returns the place of both."""

    def go(name: str) -> Path:
        home = tmp_path / "machines" / name
        monkeypatch.setenv("XDG_STATE_HOME", str(home / "state"))
        monkeypatch.setenv("XDG_CACHE_HOME", str(home / "cache"))
        return home

    go("first")
    return go


def at(address: str, trial: TinyTrial, shard: str | None = None, *, take_over: bool = False) -> Path:
    """Run `trial`, or a shard of it, at an address; returns the folder that it was written from."""
    part = None if shard is None else read_shard(shard)
    whole = trial if part is None else ShardedTrial(trial, part)
    folder = spool_folder(address, shard_folder(part))
    settings = RunSettings(folder=folder, concurrency=1, command=("tiny",), remote=RemoteRun(address, take_over))
    run_trial(whole, {}, settings)
    return folder


def killed(address: str, monkeypatch: pytest.MonkeyPatch, *, often: bool) -> None:
    """A run whose process dies after so many samples; where it sends often, what it did is in the store."""

    async def work(job: Job, context: SampleContext) -> SampleResult:
        if job.sample == "7":
            raise StopRun("the machine is gone")
        done = await tiny().run(job, context)
        # What nobody else has seen may be something else.
        return done if often else msgspec.structs.replace(done, reason="alone")

    class Dying(TinyTrial):
        @property
        def jobs(self) -> list[Job]:
            return [Job(str(n), r, {}) for n in range(self.count) for r in range(self.repeats)]

    add = RunStore.add

    def add_and_ship(self: RunStore, *words: object) -> None:
        add(self, *words)  # type: ignore[arg-type]
        [own] = shipments
        own.look()
        own.wait()

    shipments: list[shipping.Shipping] = []
    make = shipping.Shipping.__init__

    def made(self: shipping.Shipping, *words: object) -> None:
        make(self, *words)  # type: ignore[arg-type]
        shipments.append(self)

    plan = {"tasks": [str(n) for n in range(12)], "repeats": 2}
    with monkeypatch.context() as patch:
        patch.setattr(shipping.Shipping, "finish", lambda self: None)
        patch.setattr(shipping.Shipping, "__init__", made)
        patch.setattr(shipping, "AGE_SECONDS", 0.0)
        if often:
            patch.setattr(RunStore, "add", add_and_ship)
        with pytest.raises(StopRun, match="the machine is gone"):
            at(address, Dying(12, work, 2, {"seed": 1, **plan}))


@pytest.mark.parametrize("often", [True, False])
def test_another_machine_goes_on_with_what_has_come_to_the_store(
    often: bool, machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = f"file://{tmp_path}/run"
    one = run(tmp_path / "one", tiny())
    killed(address, monkeypatch, often=often)
    first = spool_folder(address, "1-of-1")
    assert count_lines(first / SAMPLES) == 14
    assert bool(Bucket(address).names("packs")) is often
    machine("second")
    with pytest.raises(SettingError, match="is being written by"):
        at(address, tiny())
    folder = at(address, tiny(), take_over=True)
    for name in FILES:
        assert texts(folder, name) == by_key_order(one, name)
    same_work(one, local_run(Path(address)))
    # The first machine is back: what it had alone stays, aside.
    machine("first")
    back = at(address, tiny())
    same_work(one, back)
    aside = first.with_name("run-aside-1")
    assert aside.exists() is not often
    again = at(address, tiny())
    assert count_lines(again / SAMPLES) == 24


def by_key_order(one: Path, name: str) -> list[str]:
    return texts(one, name)


def test_a_run_that_is_stopped_lets_go_and_any_machine_goes_on(machine: Machine, tmp_path: Path) -> None:
    async def work(job: Job, context: SampleContext) -> SampleResult:
        if job.sample == "5":
            raise StopRun("that is enough")
        return await tiny().run(job, context)

    address, one = f"file://{tmp_path}/run", run(tmp_path / "one", tiny())
    with pytest.raises(StopRun, match="that is enough"):
        at(address, replace(tiny(), do=work))
    machine("second")
    told = json.loads(command("show", address, "--json").out)
    assert told["missing"] == 14
    same_work(one, at(address, tiny()))
    sessions = local_run(Path(address)) / "manifest.json"
    ends = [session["end"] for session in json.loads(sessions.read_bytes())["sessions"]]
    assert ends == ["stopped: that is enough", "done"]


def test_of_two_processes_on_one_machine_the_second_is_refused(machine: Machine, tmp_path: Path) -> None:
    address = f"file://{tmp_path}/run"
    said: list[str] = []

    async def work(job: Job, context: SampleContext) -> SampleResult:
        if not said:
            for again in (lambda: at(address, tiny(), take_over=True), lambda: push(tmp_path / "one", address)):
                with pytest.raises(SettingError) as refused:
                    await asyncio.to_thread(again)
                said.append(str(refused.value))
        return await tiny().run(job, context)

    one = run(tmp_path / "one", tiny())
    at(address, replace(tiny(), do=work))
    assert said[0] == f"{address}: another process is working on this run"
    assert f"{address}: is being written by" in said[1]
    same_work(one, local_run(Path(address)))


def test_who_was_taken_over_stops_and_spoils_nothing(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address, one = f"file://{tmp_path}/run", run(tmp_path / "one", tiny())
    monkeypatch.setattr(shipping, "AGE_SECONDS", 0.0)
    taken = False

    async def work(job: Job, context: SampleContext) -> SampleResult:
        nonlocal taken
        if int(job.sample) == 5 and not taken:
            taken = True
            machine("second")
            await asyncio.to_thread(at, address, tiny(), take_over=True)
            machine("first")
        return SampleResult(outcome=Outcome.FAIL, reason="late", trajectory={"text": "late"})

    trial = tiny()
    with pytest.raises(StopRun, match="another process has taken over; what this one did is in"):
        at(address, replace(trial, do=work))
    same_work(one, local_run(Path(address)))


BAD: dict[str, tuple[Callable[[Path], object], str]] = {
    "cut": (lambda place: _data(place).write_bytes(_data(place).read_bytes()[:-9]), "packs/"),
    "renamed": (lambda place: _data(place).rename(place / "x"), "is missing. Open it again"),
    "altered": (lambda place: _alter(_data(place)), "was altered: the block at byte"),
    "state cut": (
        lambda place: (place / "manifest.json").write_bytes(b'{"format":1'),
        "was not written by worktrial",
    ),
    "newer": (
        lambda place: (place / "manifest.json").write_bytes(b'{"format":9,"holds":"run"}'),
        "has format 9, and this version",
    ),
    "not adding up": (
        lambda place: _edit(place / "manifest.json", b'"samples.jsonl":[', b'"samples.jsonl":[99,'),
        "manifest.json: does not add up",
    ),
    "no state": (lambda place: (place / "manifest.json").unlink(), "is not the address of a run (it holds packs/"),
    "nothing": (shutil.rmtree, "no such folder"),
}


def _data(place: Path) -> Path:
    return min((place / "packs").iterdir(), key=lambda path: path.stat().st_mtime_ns)


def _edit(path: Path, old: bytes, new: bytes) -> None:
    assert old in path.read_bytes()
    path.write_bytes(path.read_bytes().replace(old, new))


def _alter(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


@pytest.fixture(scope="module")
def stored_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store that holds a run."""
    place = tmp_path_factory.mktemp("stored")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(place / "state"))
        for count in (4, 12):
            at(f"file://{place}/run", tiny(count))
    return place / "run"


@pytest.mark.parametrize("bad", BAD)
def test_what_is_not_as_it_was_written_is_refused(
    bad: str, stored_run: Path, machine: Machine, tmp_path: Path
) -> None:
    spoil, said = BAD[bad]
    run_at = tmp_path / "run"
    shutil.copytree(stored_run, run_at)
    spoil(run_at)
    ran = command("show", f"file://{run_at}")
    assert (ran.code, len(ran.err.splitlines())) == (2, 1), ran.err
    assert said in ran.err and f"file://{run_at}" in ran.err
    if bad in ("cut", "renamed", "altered"):
        machine("second")
        with pytest.raises(WorktrialError):
            at(f"file://{run_at}", tiny(12))
        # Nobody is left as its writer.
        assert json.loads((run_at / "manifest.json").read_bytes())["busy"] is False


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["-o", "s3://bucket"], "-o s3://bucket: is not s3://BUCKET/NAME"),
        (
            ["-o", "s3://user:secret-word@bucket/run"],
            "-o s3://…: an address has no user, query or fragment",
        ),
        (["-o", "file:///"], "names no folder; write file:///PATH/NAME"),
        (["-o", "file:///nowhere/run", "--batch", "--agent", "m", "--base-url", "http://127.0.0.1:9"], "--batch: "),
        (["-o", "file:///a/../b"], "has a step that is empty, . or ..; leave it out"),
        (["-o", "runs/x", "--take-over"], "--take-over: is about runs in an object store"),
    ],
)
def test_an_address_that_cannot_be_is_refused(words: list[str], said: str, machine: Machine) -> None:
    agent = [] if "--agent" in words else ["--agent", "plan"]
    ran = command("run", "starter", *agent, "--limit", "2", *words)
    assert ran.code == 2 and said in ran.err and "secret-word" not in ran.err, ran.err
    assert "Traceback" not in ran.err


def test_several_agents_and_python_have_places_there_and_reports_none(machine: Machine, tmp_path: Path) -> None:
    address = f"file://{tmp_path}/several"
    several = ("run", "starter", "--agent", "plan", "--agent", "idle", "--limit", "2", "-o")
    ran = command(*several, address)
    assert ran.code == 0 and f"worktrial report {address}/plan {address}/idle" in ran.said, ran.said
    machine("second")
    assert "2 passed" in command("show", f"{address}/plan").said
    assert f"agent plan · {address}/plan" in command("show", f"{address}/plan").said
    assert f"idle · {address}/idle" in command("compare", f"{address}/plan", f"{address}/idle").said
    # One agent's run is no place for another, nor that of several.
    assert "(it holds idle/manifest.json)" in command(*several[:4], "--limit", "2", "-o", address).err
    ran = command(*several, f"{address}/plan")
    assert (ran.code, f"lies within the run at {address}/plan" in ran.err) == (2, True), ran.err
    done = worktrial.run("starter", "plan", out=f"file://{tmp_path}/python", limit=2, progress=False)
    assert len(done.run.records) == 2
    assert len(worktrial.load(f"file://{tmp_path}/python").run.records) == 2
    for words in (("report", done.run.folder, "-o", address), ("pull", address, "-o", address)):
        ran = command(*words)
        assert (ran.code, f"-o {address}: is an address; this is written to a folder" in ran.err) == (2, True)


def test_without_its_library_an_address_names_the_extra(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "obstore", None)
    address = f"file://{tmp_path}/run"
    for words in (("run", "starter", "--agent", "plan", "--limit", "2", "-o", address), ("show", address)):
        ran = command(*words)
        said = "worktrial: An object store needs obstore: pip install 'worktrial[store]'"
        assert (ran.code, ran.err.splitlines()[-1]) == (2, said)
    assert not (tmp_path / "run").exists()


def test_a_folder_of_something_else_and_other_settings_are_refused(machine: Machine, tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "letter.txt").write_text("Dear")
    address = f"file://{tmp_path}/run"
    with pytest.raises(WorktrialError, match=r"is not the address of a run \(it holds letter.txt\)"):
        at(address, tiny())
    (tmp_path / "run" / "letter.txt").unlink()
    at(address, tiny())
    with pytest.raises(SettingError, match=r"trial\.seed: 1 -> 2"):
        at(address, tiny(seed=2))
    with pytest.raises(SettingError, match="holds a run of one shard, the whole; this is one of 3"):
        at(address, tiny(), "1/3")
    at(address, tiny(14))
    one = run(tmp_path / "one", tiny())
    same_work(run(one, tiny(14)), local_run(Path(address)))


def test_shards_that_are_begun_or_added_to_one_by_one_are_read_at_any_time(
    machine: Machine, tmp_path: Path
) -> None:
    address, one = f"file://{tmp_path}/store/run", run(tmp_path / "one", tiny(4))
    at(address, tiny(4), "2/3")
    told = json.loads(command("show", address, "--json").out)
    assert told["missing"] == 8 - len(worktrial.load(address).run.records) > 0
    for shard in ("1/3", "3/3"):
        at(address, tiny(4), shard)
    same_work(one, local_run(Path(address)))
    at(address, tiny(6, 3), "1/3")
    with pytest.raises(SettingError, match=r"do not go together: .*Run the others with the same command"):
        local_run(Path(address))
    for shard in ("2/3", "3/3"):
        at(address, tiny(6, 3), shard)
    same_work(run(one, tiny(6, 3)), local_run(Path(address)))


def test_a_run_is_pushed_and_pulled_as_it_grows(machine: Machine, tmp_path: Path) -> None:
    address, folder, there = f"file://{tmp_path}/store/run", tmp_path / "here", tmp_path / "there"
    run(folder, tiny(4))
    (folder / "tracebacks.txt").write_text("it was so\n")
    push(folder, address)
    assert pull(address, there) == 0
    same_work(folder, there)
    assert (there / "tracebacks.txt").read_text() == "it was so\n"
    names = Bucket(address).names()
    push(folder, address)
    assert Bucket(address).names().keys() == names.keys()
    run(folder, tiny(6))
    push(folder, address)
    pull(address, there)
    for name in (FILES[0], "work/0001.jsonl"):
        assert (folder / name).read_bytes() == (there / name).read_bytes()
    # A folder that is another run, or behind, puts nothing there.
    changed = run(tmp_path / "other", tiny(6)) / FILES[0]
    changed.write_bytes(changed.read_bytes().replace(b'"so"', b'"no"'))
    for other in (tmp_path / "other", run(tmp_path / "fewer", tiny(4))):
        with pytest.raises(SettingError, match=r"holds samples that .* does not"):
            push(other, address)
        with pytest.raises(WorktrialError, match="is not a beginning of"):
            pull(address, tmp_path / "other")
    with pytest.raises(SettingError, match=r"trial\.seed"):
        push(run(tmp_path / "seed", tiny(6, seed=2)), address)
    shutil.rmtree(tmp_path / "store")
    # Another run at the same address is not taken for what was brought here before.
    local_address = Path(address)
    push(run(tmp_path / "new", tiny(6, text=2)), address)
    first = local_run(local_address)
    before = by_key(first, FILES[0])
    shutil.rmtree(tmp_path / "store")
    push(tmp_path / "fewer", address)
    assert by_key(local_run(local_address), FILES[0]) != before


def test_only_what_is_new_travels_and_records_come_without_the_rest(machine: Machine, tmp_path: Path) -> None:
    folder, address = run(tmp_path / "one", tiny(30)), f"file://{tmp_path}/store/run"
    push(folder, address)
    before = Bucket(address).names("packs")
    sizes = sum((folder / name).stat().st_size for name in (FILES[0], "work/0001.jsonl"))
    assert sum(found.size for found in before.values()) < sizes / 2
    light = local_run(Path(address), records=True)
    assert {path.name for path in light.iterdir()} == {"manifest.json", SAMPLES}
    same_work(folder, local_run(Path(address)))
    machine("second")
    here = local_run(Path(address), segment=1)
    assert [path.name for path in here.glob("work/*")] == [path.name for path in folder.glob("work/*")]
