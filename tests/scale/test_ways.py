"""One run, whichever way it goes, with a kill in each: the run of one process, for all that read runs.

Ray is met in an environment of its own (`make test-interop NAME=ray`), where these tests go that way alone.
"""

import contextlib
import json
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.scale.test_merge import STARTER, same_work, size_of, timeless
from tests.support.cli import Ran, command, count_lines, start_code
from tests.support.plan_model import PlanModel
from tests.support.ray_session import sessions, start_on_ray, until, workers
from tests.support.run_files import work_of
from tests.support.script import Script
from tests.support.scripted_server import ScriptedServer

import worktrial
from worktrial.cli.places import run_folder
from worktrial.engine.records import SAMPLES
from worktrial.interop.view.library import RunLibrary
from worktrial.stores.writers import spool_folder

BUCKET = "killed-and-gone-on"
# No race with the end of a short run: it ends itself, as the kernel would, with so many samples stored.
_KILLED = """
import os, signal, sys
from worktrial.cli.main import main
from worktrial.engine.store import RunStore
add, stored = RunStore.add, []
def add_and_die(self, *words):
    add(self, *words)
    stored.append(words)
    if len(stored) == {samples}:
        os.kill(os.getpid(), signal.SIGKILL)
RunStore.add = add_and_die
sys.argv[0] = "worktrial"
main()
"""


@dataclass(frozen=True)
class Going:
    """A run on its way."""

    place: Path
    """Folder of the test."""
    words: tuple[str, ...]
    """Command of the run, without a place to write to."""
    whole: Path
    """The same by one process."""
    patch: pytest.MonkeyPatch
    open: ExitStack
    """Closed at the end of the test."""

    def at_machine(self, name: str) -> None:
        """Go to the machine of that name, which has a state and a cache of its own."""
        for variable in ("XDG_STATE_HOME", "XDG_CACHE_HOME"):
            self.patch.setenv(variable, str(self.place / name / variable))

    def done(self, *more: object) -> Ran:
        """Come to the end."""
        ran = command(*self.words, *map(str, more))
        assert ran.code == 0, ran.err
        return ran

    def killed(self, *more: object, samples: int) -> None:
        """Be killed with so many samples stored."""
        with start_code(_KILLED.format(samples=samples), *self.words, *map(str, more)) as child:
            out, err = child.communicate()
        assert child.returncode == -signal.SIGKILL, out + err


def in_shards(going: Going) -> str:
    """Four shards, of which one is killed, and merged early, and then all."""
    shards = [going.place / f"shard-{n}" for n in range(1, 5)]
    run, early = going.place / "run", going.place / "early"
    for n, shard in enumerate(shards, 1):
        words = ["--shard", f"{n}/4", "-o", shard]
        if n == 2:
            going.killed(*words, samples=3)
            assert count_lines(shard / SAMPLES) == 3 < size_of(going.whole) // 8
            lacking = command("merge", *shards[:2], "-o", run)
            assert (lacking.code, run.exists()) == (2, False)
            assert "shard 3/4, shard 4/4 are missing" in lacking.err
            merged = command("merge", *shards[:2], "--partial", "-o", early)
            had = 3 + size_of(shards[0])
            assert (merged.code, count_lines(early / SAMPLES)) == (0, had)
            assert f"{48 - had} samples of the run are missing" in merged.err
        going.done(*words)
    assert "48 samples of 4 shards" in command("merge", *shards, "-o", run).err
    # The part that was merged early is an unfinished run.
    going.done("-o", early)
    same_work(going.whole, early)
    refused = command(*going.words, "--shard", "3/4", "-o", shards[0])
    assert (refused.code, 'shard: "1/4" -> "3/4"' in refused.err) == (2, True)
    return str(run)


def in_a_store(going: Going) -> str:
    """Two shards at an address; one is killed, and goes on where it was."""
    address = f"file://{going.place}/store/run"
    second = ("-o", address, "--shard", "2/2")
    going.killed(*second, samples=3)
    assert count_lines(spool_folder(address, "2-of-2") / SAMPLES) == 3
    going.at_machine("second")
    refused = command(*going.words, *second)
    assert (refused.code, len(refused.err.splitlines())) == (2, 3), refused.err
    assert "2-of-2: is being written by" in refused.err and "go on with --take-over" in refused.err
    going.at_machine("first")
    for shard in ("2/2", "1/2"):
        going.done("-o", address, "--shard", shard)
    wrong = command(*going.words, "-o", address, "--shard", "1/4")
    assert (wrong.code, "holds a run of 2 shards; this is one of 4" in wrong.err) == (2, True), wrong.err
    whole = f"file://{going.place}/store/whole"
    assert command("merge", address, "-o", whole).code == 0
    same_work(going.whole, run_folder(whole))
    return address


def on_s3(going: Going) -> str:
    """A run that has grown when its machine dies, and that another one takes over; the store fails now and then."""
    from tests.support.object_server import object_server

    server = going.open.enter_context(object_server(BUCKET))
    for name, value in {
        "AWS_ACCESS_KEY_ID": "AKIAPLANTED000",
        "AWS_SECRET_ACCESS_KEY": "planted",
        "AWS_ENDPOINT_URL": server.url,
        "AWS_ALLOW_HTTP": "true",
        "AWS_REGION": "us-east-1",
    }.items():
        going.patch.setenv(name, value)
    address = f"s3://{BUCKET}/run"
    fewer = list(going.words)
    fewer[fewer.index("--repeats") + 1] = "1"
    server.fail("PUT .*packs", 503, 2)
    server.fail("PUT .*packs", "torn")
    assert command(*fewer, "-o", address).code == 0
    going.killed("-o", address, samples=5)
    going.at_machine("second")
    server.fail("PUT .*packs", "lost")
    going.done("-o", address, "--take-over")
    assert count_lines(spool_folder(address, "1-of-1") / SAMPLES) == 48
    going.at_machine("third")
    return address


def on_ray(going: Going) -> str:
    """Two workers, of which one is killed; then the head is killed, and the same command goes on."""
    words = [*going.words, "--ray", "local", "--shards", "2", "-o", "run"]
    place, home = going.open.enter_context(sessions()), going.place / "run.shards"

    def stored() -> int:
        return sum(map(count_lines, home.glob(f"*/{SAMPLES}")))

    head = start_on_ray(going.place, place, *words)
    until(lambda: stored() >= 2, head)
    os.kill(next(workers(head.pid, "do_shard")), signal.SIGKILL)
    until(lambda: stored() >= 6, head)
    head.kill()
    head.communicate(timeout=60)
    before = stored()
    assert 6 <= before < size_of(going.whole)
    head = start_on_ray(going.place, place, *words)
    out, err = head.communicate(timeout=240)
    assert head.returncode == 0, out + err
    return str(going.place / "run")


# One of them has a model, whose answers take time: who kills a worker of Ray's does it from outside.
WAYS: dict[str, Callable[[Going], str]] = (
    {"on Ray": on_ray}
    if find_spec("ray")
    else {
        "in shards": in_shards,
        "in a store": in_a_store,
        "on S3": on_s3,
    }
)


@pytest.fixture(scope="module")
def model() -> Iterator[ScriptedServer]:
    with ScriptedServer(Script(agent=PlanModel(), latency=0.12)) as server:
        yield server


@pytest.fixture(scope="module")
def words(request: pytest.FixtureRequest) -> tuple[str, ...]:
    if "on Ray" not in WAYS:
        return STARTER
    url = request.getfixturevalue("model").url
    return ("run", "starter", "--agent", "agent-1", "--base-url", url, "--limit", "16", "--concurrency", "4")


@pytest.fixture(scope="module")
def whole(words: tuple[str, ...], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run of one process."""
    run = tmp_path_factory.mktemp("one") / "run"
    assert command(*words, "-o", run).code == 0
    return run


@pytest.mark.parametrize("way", WAYS)
def test_a_run_is_that_of_one_process_whichever_way_it_goes_and_whoever_is_killed(
    way: str, words: tuple[str, ...], whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ExitStack() as stack:
        going = Going(tmp_path, words, whole, monkeypatch, stack)
        going.at_machine("first")
        run = WAYS[way](going)
        going.at_machine("that of a reader")
        read_by_all(whole, run, tmp_path / "report")
        same_work(whole, run_folder(run))


def read_by_all(one: Path, run: str, report: Path) -> None:
    """Both are read, and say the same; `show` first, which leaves the trajectories of a store where they are."""
    assert f"{size_of(one)} passed" in command("show", run).said
    [line] = [line for line in work_of(one) if line["sample"] == "lab-01" and not line["repeat"]]
    assert timeless(json.loads(command("trajectory", run, "lab-01", "--json").out)) == timeless(line)
    unknown = command("trajectory", run, "nothing")
    assert (unknown.code, "no trajectory of sample 'nothing'" in unknown.err) == (2, True)
    sql = "select * exclude (run, seconds) from calls order by all"
    first, second = (command("sql", sql, place, "--format", "csv") for place in (one, run))
    assert (first.code, first.out) == (0, second.out) and len(first.out) > 30_000
    changes = json.loads(command("compare", one, run, "--json").out)["comparison"]["figures"]["listed"]
    rates = {(rate["first"], rate["second"]) for rate in changes if rate["name"] == "completion"}
    assert rates == {(1.0, 1.0)}
    assert command("report", run, "-o", report).code == 0
    assert (report / "trajectory.html").exists()
    # As `view` does.
    folder = run_folder(run)
    library, slices = RunLibrary([folder], "run"), b""
    with contextlib.suppress(KeyError):
        for number in range(size_of(one)):
            slices += library.data(f"{folder.name}/t{number}")
    assert slices.count(b"lab-01") >= 1, "in whichever slice: shards end in any order"
    assert len(worktrial.load(run).run.records) == size_of(one)
    if "://" in run:
        pulled = report.with_name("pulled")
        assert command("pull", run, "-o", pulled).code == 0
        same_work(one, pulled)
