"""Runs on S3: a stand-in on loopback, behind a proxy that fails as real stores do."""

import os
import signal
import socket
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.scale.test_merge import FILES, STARTER, run, same_work, texts, tiny
from tests.scale.test_objects import Machine, at, machine
from tests.support.cli import command, count_lines, holding
from tests.support.object_server import ObjectServer, object_server
from tests.support.run_files import work_of

from worktrial.engine.record import SampleResult
from worktrial.engine.records import SAMPLES
from worktrial.engine.remote import push
from worktrial.engine.trial import Job, SampleContext
from worktrial.errors import DataError, StopRun, WorktrialError
from worktrial.grading import Outcome
from worktrial.scale.objects import local_run
from worktrial.stores.bucket import Bucket, StoreFailed
from worktrial.stores.writers import spool_folder

__all__ = ["machine"]
BUCKET = "trials-of-ours"
SECRET = "planted/SECRET+7f3a9c1e55"


@pytest.fixture(scope="module")
def one_server() -> Iterator[ObjectServer]:
    with object_server(BUCKET) as server:
        yield server


@pytest.fixture
def server(one_server: ObjectServer, monkeypatch: pytest.MonkeyPatch) -> ObjectServer:
    one_server.calm()
    for name, value in {
        "AWS_ACCESS_KEY_ID": "AKIAPLANTED000",
        "AWS_SECRET_ACCESS_KEY": SECRET,
        "AWS_ENDPOINT_URL": one_server.url,
        "AWS_ALLOW_HTTP": "true",
        "AWS_REGION": "us-east-1",
    }.items():
        monkeypatch.setenv(name, value)
    return one_server


def test_a_run_on_s3_is_the_run_of_one_process_whatever_the_store_does(
    server: ObjectServer, machine: Machine, tmp_path: Path
) -> None:
    address, one = f"s3://{BUCKET}/deep/run", run(tmp_path / "one", tiny())
    # A first answer is lost, so that the second try meets its own object; some are torn; some are too many.
    server.fail(r"PUT .*run/manifest\.json", "lost", 2)
    server.fail("PUT .*packs", "torn", 2)
    server.fail("PUT .*packs", 503, 2)
    server.fail("GET .*list-type", 500)
    folder = at(address, tiny())
    for name in FILES:
        assert texts(folder, name) == texts(one, name)
    machine("second")
    server.fail("GET .*packs", 500, 3)
    same_work(one, local_run(Path(address)))
    assert server._rules == []
    # Gone on with from here: what is there is brought, and nothing is sent again.
    server.calm()
    server.fail(r"PUT .*run/manifest\.json", "lost", 2)
    grown = at(address, tiny(14))
    same_work(run(one, tiny(14)), grown)
    machine("third")
    same_work(one, local_run(Path(address)))
    machine("fourth")
    server.fail("GET .*packs", "altered")
    with pytest.raises(DataError, match="was altered: the block at byte"):
        local_run(Path(address))


def test_a_thousand_samples_take_few_requests(server: ObjectServer, machine: Machine, tmp_path: Path) -> None:
    address = f"s3://{BUCKET}/thousand"
    folder = at(address, tiny(500))
    assert count_lines(folder / SAMPLES) == 1000
    assert server.requests.total() <= 20, server.requests
    machine("second")
    server.calm()
    same_work(folder, local_run(Path(address)))
    assert server.requests.total() <= 20, server.requests
    # Then only what may have changed is asked for.
    server.calm()
    local_run(Path(address))
    assert server.requests == {"GET": 2}


def test_a_store_that_is_gone_for_good_costs_no_sample(
    server: ObjectServer, machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address, one = f"s3://{BUCKET}/outage", run(tmp_path / "one", tiny())
    server.fail("PUT .*packs", 403, 99)
    with pytest.raises(StopRun, match=r"denied \(AccessDenied: no, AccessDenied\).* is not there yet is in"):
        at(address, tiny())
    folder = spool_folder(address, "1-of-1")
    assert count_lines(folder / SAMPLES) == 24
    server.calm()
    before = (folder / SAMPLES).read_bytes()
    at(address, tiny())
    assert (folder / SAMPLES).read_bytes() == before
    same_work(one, local_run(Path(address)))


def test_stores_that_cannot_be_used_say_so_in_a_line_without_keys(
    server: ObjectServer, machine: Machine, tmp_path: Path
) -> None:
    words = [*STARTER[:-4], "--limit", "2"]
    there = f"s3://{BUCKET}/read-only"
    ran = command("run", *words[1:], "-o", "s3://no-such-bucket/run")
    assert (ran.code, "s3://no-such-bucket/run/manifest.json: there is no such" in ran.err) == (2, True), ran.err
    with pytest.MonkeyPatch.context() as patch:
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            patch.delenv(name)
        patch.setenv("AWS_METADATA_ENDPOINT", f"{server.url}/metadata")
        server.fail("metadata", 403, 9)
        with pytest.raises(StoreFailed, match=r"no keys in the environment\. Set AWS_ACCESS_KEY_ID and"):
            Bucket(there).names()
    server.fail("PUT .*read-only", 403, 9)
    ran = command("run", *words[1:], "-o", there)
    assert (ran.code, "manifest.json: access is denied (AccessDenied: no, AccessDenied)" in ran.err) == (2, True)
    assert len(ran.err.splitlines()) == 3 and SECRET not in ran.err
    server.calm()
    assert Bucket(there).names() == {}
    with pytest.raises(WorktrialError, match="no run is there"):
        local_run(Path(there))
    bucket = Bucket(f"s3://{BUCKET}/letters")
    bucket.put("letter.txt", b"Dear")
    ran = command("run", *words[1:], "-o", f"s3://{BUCKET}/letters")
    assert (ran.code, "is not the address of a run (it holds letter.txt)" in ran.err) == (2, True), ran.err
    ran = command("push", run(tmp_path / "one", tiny(2)), f"s3://{BUCKET}/letters")
    assert (ran.code, len(ran.err.splitlines())) == (2, 1)
    # The store's own words are not passed on with a key in them.
    assert SECRET not in bucket.redacted(f"signed with {SECRET}") and "signed" in bucket.redacted("signed with x")


def test_keys_of_a_store_are_in_nothing_that_is_stored(
    server: ObjectServer, machine: Machine, tmp_path: Path
) -> None:
    async def work(job: Job, context: SampleContext) -> SampleResult:
        del job, context
        return SampleResult(outcome=Outcome.PASS, reason=SECRET, trajectory={"text": f"env: {SECRET}"})

    address = f"s3://{BUCKET}/planted"
    folder = at(address, replace(tiny(), do=work))
    machine("second")
    there = local_run(Path(address))
    for place in (folder, there):
        assert all(line["text"] == "env: [key]" for line in work_of(place))
        assert holding(place, [SECRET]) == []
    manifests = [Bucket(address).get(name) for name in Bucket(address).names() if name.endswith(".json")]
    assert len(manifests) == 1 and not any(SECRET.encode() in found.data for found in manifests if found)


def test_two_who_begin_or_swap_at_once_do_not_both_win(server: ObjectServer) -> None:
    bucket = Bucket(f"s3://{BUCKET}/race")
    tag = bucket.create("a.json", b"1")
    assert tag is not None and bucket.create("a.json", b"2") is None
    # The same again is what a lost answer looks like.
    assert bucket.create("a.json", b"1") == tag
    other = bucket.swap("a.json", b"3", tag)
    assert other is not None and bucket.swap("a.json", b"4", tag) is None
    found = bucket.get("a.json")
    assert found is not None and (found.data, found.tag) == (b"3", other)
    server.fail("PUT .*race", 412)
    assert bucket.swap("a.json", b"5", other) is None
    server.fail("PUT .*race", 403)
    with pytest.raises(StoreFailed, match="access is denied"):
        bucket.put("a.json", b"6")
    assert bucket.get_ranges("a.json", [(0, 1)]) == [b"3"]
    bucket.remove("a.json")
    assert bucket.get("a.json") is None


def test_waiting_for_a_store_that_hangs_can_be_interrupted(
    server: ObjectServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        # With few tries, so that the request that is left behind comes to its end.
        monkeypatch.setattr("worktrial.stores.bucket._has_keys", lambda address: False)
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{silent.getsockname()[1]}")
        bucket = Bucket(f"s3://{BUCKET}/hung")

        def interrupt_once_asked() -> None:
            silent.accept()[0].recv(1)
            os.kill(os.getpid(), signal.SIGINT)

        asking = threading.Thread(target=interrupt_once_asked)
        asking.start()
        with pytest.raises(KeyboardInterrupt):
            bucket.get("a.json")
        asking.join()
    for left in [thread for thread in threading.enumerate() if thread.name == "worktrial-store"]:
        left.join()


def test_pushing_goes_on_where_it_broke_off(server: ObjectServer, machine: Machine, tmp_path: Path) -> None:
    folder, address = run(tmp_path / "one", tiny()), f"s3://{BUCKET}/pushed"
    server.fail("PUT .*packs", 403)
    with pytest.raises(StopRun, match="access is denied"):
        push(folder, address)
    push(folder, address)
    same_work(folder, local_run(Path(address)))
