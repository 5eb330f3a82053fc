"""Archives in object stores, on a stand-in for S3 that fails as stores do: what is there is what a folder is."""

import hashlib
import json
import shutil
from pathlib import Path
from random import Random

import pytest
from tests.scale.test_merge import run, tiny
from tests.scale.test_objects import Machine, machine
from tests.scale.test_s3 import BUCKET, SECRET, one_server, server
from tests.support.cli import command, samples_of
from tests.support.object_server import ObjectServer
from tests.support.page_readers import Fates
from tests.support.pdfs import lines, pdf, table_page
from tests.support.tiny_archive import build_archive, write_questions

from worktrial.archive.building.messages import BuildEvent
from worktrial.errors import DataError, SettingError, StopRun, WorktrialError
from worktrial.stores import archives as remote
from worktrial.stores import folders, shipping
from worktrial.stores.archives import build, open_archive
from worktrial.stores.bucket import Bucket
from worktrial.stores.cache import VARIABLE
from worktrial.stores.sending import TakenOver
from worktrial.stores.writers import spool_folder

__all__ = ["machine", "one_server", "server"]
PAGES = 70


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("documents")
    rows = ("1936|1,100|200|1,300", "1937|1,250|250|1,500")
    sheets = [table_page(f"Table {n}", *rows) if n % 3 else lines(f"page {n} é") for n in range(1, PAGES + 1)]
    (folder / "long_1939_02.pdf").write_bytes(pdf(*sheets))
    (folder / "torn.pdf").write_bytes(pdf(lines("torn"))[:90])
    (folder / "words.txt").write_text("A note of May 1951.\n")
    return folder


@pytest.fixture(scope="module")
def alone(documents: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The archive in a folder."""
    folder = tmp_path_factory.mktemp("alone") / "archive"
    build([documents], folder, workers=1)
    return folder


def files(folder: Path) -> dict[str, str]:
    """SHA-256 of every file, by name; of the lists of documents, without times."""
    found = {}
    for path in sorted(p for p in folder.rglob("*") if p.is_file() and p.suffix != ".lock" and p.name != ".lock"):
        data = path.read_bytes()
        if path.suffix == ".json" and path.name in ("manifest.json", "record.json"):
            plain = json.loads(data, object_hook=lambda o: {k: v for k, v in o.items() if k != "seconds"})
            data = json.dumps(plain).encode()
        found[str(path.relative_to(folder))] = hashlib.sha256(data).hexdigest()
    return found


def parts(found: dict[str, str]) -> dict[str, str]:
    """Files that are the same whenever they are made: not those of the database and the index."""
    return {name: digest for name, digest in found.items() if name.startswith(("parts", "manifest"))}


def test_what_is_built_at_an_address_is_the_archive_of_a_folder_whatever_the_store_does(
    server: ObjectServer, machine: Machine, documents: Path, alone: Path, tmp_path: Path
) -> None:
    address = f"s3://{BUCKET}/deep/archive"
    # A first answer is lost, so that the second try meets its own object; some are torn; some are too many.
    server.fail(r"PUT .*archive/manifest\.json", "lost", 2)
    server.fail("PUT .*packs", "torn", 2)
    server.fail("PUT .*packs", 503, 2)
    server.fail("GET .*list-type", 500)
    ran = command("archive", "build", documents, "-o", address, "--workers", 1)
    assert (ran.code, f"-> {address} in" in ran.said) == (0, True), ran.err
    machine("second")
    server.fail("GET .*packs", 500, 3)
    assert command("pull", address, "-o", tmp_path / "pulled").code == 0
    assert server._rules == []
    pulled = files(tmp_path / "pulled")
    assert parts(pulled) == parts(files(alone))
    machine("first")
    assert pulled == files(spool_folder(address, "archive"))
    # Nothing to do, here or elsewhere: nothing is read or sent again.
    for name in ("first", "third"):
        machine(name)
        server.calm()
        ran = command("archive", "build", documents, "-o", address)
        assert ran.code == 0 and "3 documents, 2 of them stored already" in ran.err
        assert server.requests["PUT"] == 2 and server.requests["DELETE"] == 0
    assert command("pull", address, "-o", tmp_path / "pulled").code == 0
    assert files(tmp_path / "pulled") == pulled


def test_reading_asks_for_no_more_than_is_read(
    server: ObjectServer, machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address, folder = f"s3://{BUCKET}/read", tmp_path / "archive"
    words = Random(1)
    pages = [f"good page {n} of {words.randbytes(2000).hex()}" for n in range(1, 201)]
    (tmp_path / "long.txt").write_text("\n".join(pages))
    (tmp_path / "words.txt").write_text("good note of May")
    build(Fates(tmp_path / "long.txt", tmp_path / "words.txt"), folder, workers=1)
    here = open_archive(folder)
    monkeypatch.setattr("worktrial.stores.sending.BLOCK", 1 << 16)
    remote.push(folder, address)
    home = machine("second")
    server.calm()
    there = open_archive(address)
    assert there.documents == here.documents and server.requests == {"GET": 2}
    server.calm()
    assert there.page("long", 70) == here.page("long", 70)
    assert server.requests.total() <= 2
    size = sum(path.stat().st_size for path in home.rglob("*") if path.is_file())
    [part] = folder.glob("parts/long*/pages.parquet")
    assert size < part.stat().st_size / 2
    server.calm()
    assert there.page("long", 71) == here.page("long", 71) and server.requests == {}
    assert [*there.pages("long")] == [*here.pages("long")]
    # What was asked for once is here; a look at where it lies is all.
    server.calm()
    assert open_archive(address).page("words", 1) == here.page("words", 1)
    assert server.requests.total() <= 3
    server.calm()
    assert there.search("note") == here.search("note")
    assert there.grep("note of May") == here.grep("note of May")
    with there.connection() as one, here.connection() as other:
        rows = "SELECT * FROM pages ORDER BY ALL"
        assert one.execute(rows).fetchall() == other.execute(rows).fetchall()
    assert server.requests.total() <= 4
    with pytest.raises(DataError, match=r"^s3://.*read: has no document 'lang'\. Did you mean long"):
        there.page("lang", 1)


def test_every_command_that_reads_archives_takes_an_address(
    server: ObjectServer, machine: Machine, alone: Path, tmp_path: Path
) -> None:
    address = f"s3://{BUCKET}/commands"
    assert command("push", alone, address).err == f"{alone} -> {address}\n"
    machine("second")
    for words in (
        ("inspect",),
        ("search", "receipts 1937"),
        ("show", "long_1939_02:40"),
        ("look", "-o", tmp_path / "look.html", "--below", 1),
    ):
        name, *more = words
        near, far = (command("archive", name, place, *more) for place in (alone, address))
        assert (far.code, far.out, far.err) == (0, near.out, near.err), far.err
    assert "<title>" in (tmp_path / "look.html").read_text()


PLAN = {
    "steps": [
        {"call": "search", "with": {"query": "receipts"}},
        {
            "call": "sql",
            "as": "figures",
            "with": {"query": "SELECT text FROM cells WHERE value > 1000 ORDER BY ALL"},
        },
    ],
    "answer": "{{ figures.rows | map('first') | join(' ') or 'nothing' }}",
}


def test_the_documents_suite_reads_an_archive_where_it_lies(
    server: ObjectServer, machine: Machine, tmp_path: Path
) -> None:
    address, folder = f"s3://{BUCKET}/suite", build_archive(tmp_path)
    remote.push(folder, address)
    machine("second")
    questions = write_questions(tmp_path)
    rows = [json.loads(line) for line in questions.read_text().splitlines()]
    questions.write_text("".join(json.dumps({**row, "plan": PLAN}) + "\n" for row in rows))
    outcomes = []
    for number, (place, setup) in enumerate((p, s) for p in (folder, address) for s in ("archive", "oracle-docs")):
        out = tmp_path / f"run-{number}"
        words = ["--archive", place, "--setup", setup, "--agent", "reference", "--python", "none", "-o", out]
        ran = command("run", "documents", "--questions", questions, *words)
        assert ran.code == 0, ran.err
        outcomes.append(sorted((line["sample"], line["outcome"], line["reason"]) for line in samples_of(out)))
        named = json.loads((out / "manifest.json").read_bytes())["data"]["archive"]
        assert named == str(place)
    assert outcomes[:2] == outcomes[2:] and len(outcomes[0]) == 3


def test_another_machine_reads_only_pages_that_are_missing(
    server: ObjectServer, machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = f"s3://{BUCKET}/broken-off"
    for name, count in (("done", 3), ("long", 9)):
        (tmp_path / f"{name}.txt").write_text("\n".join(f"good {name} {n}" for n in range(1, count + 1)))
    producer = Fates(tmp_path / "done.txt", tmp_path / "long.txt")
    monkeypatch.setattr(shipping, "AGE_SECONDS", 0.0)
    read: list[BuildEvent] = []

    def breaks_off(event: BuildEvent) -> None:
        read.extend([event] if event.kind == "page" else [])
        if len(read) == 8:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build(producer, address, workers=1, progress=breaks_off)
    machine("second")
    assert [d.name for d in open_archive(address).documents if d.readable] == ["done"]
    assert open_archive(address).search("done")[0].document == "done"
    events: list[BuildEvent] = []
    build(producer, address, workers=1, progress=events.append)
    assert [e.kept for e in events if e.kind == "plan"] == [1]
    [kept] = [e.kept for e in events if e.kind == "document"]
    assert 1 <= kept <= 5 and len([e for e in events if e.kind == "page"]) == 9 - kept
    build(producer, tmp_path / "alone", workers=1)
    remote.pull(address, tmp_path / "pulled")
    assert parts(files(tmp_path / "pulled")) == parts(files(tmp_path / "alone"))
    # The first one is back, and takes what the other did.
    machine("first")
    assert build(producer, address, workers=1).kept == 2
    # Packs that held pages of a document under way are gone.
    state = remote.open_stored(address).state
    assert {f"packs/{pack.name}" for pack in state.packs} == {*Bucket(address).names("packs")}
    assert not [name for name in state.files if name.startswith("staging")]


def test_two_builders_of_one_archive_do_not_mix(
    server: ObjectServer, machine: Machine, documents: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address, words = f"s3://{BUCKET}/two", documents / "words.txt"
    monkeypatch.setattr(shipping, "AGE_SECONDS", 0.0)
    said: list[str] = []

    def second(event: BuildEvent) -> None:
        if event.kind == "document" and not said:
            with pytest.raises(SettingError, match="another process is working on this archive"):
                build([words], address)
            machine("second")
            ran = command("archive", "build", words, "-o", address)
            said.append(ran.err)
            assert ran.code == 2
            ran = command("archive", "build", words, "-o", address, "--take-over")
            assert ran.code == 0, ran.err
            machine("first")

    with pytest.raises(TakenOver, match=r"another process has taken over; what this one did is in .*two$"):
        build([documents / "long_1939_02.pdf"], address, workers=1, progress=second)
    assert f"{address}: is being written by " in said[0] and "go on with --take-over" in said[0]
    assert len(said[0].splitlines()) == 1
    assert [d.name for d in open_archive(address).documents] == ["words"]
    # It goes on with what it had read, beside what the other one did.
    events: list[BuildEvent] = []
    build([documents / "long_1939_02.pdf"], address, workers=1, progress=events.append)
    assert [e.kept for e in events if e.kind in ("plan", "document")][-1] > 0
    assert [d.name for d in open_archive(address).documents] == ["long_1939_02", "words"]


def test_a_store_that_fails_costs_no_page(
    server: ObjectServer, machine: Machine, documents: Path, alone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = f"s3://{BUCKET}/outage"
    monkeypatch.setattr(shipping, "AGE_SECONDS", 0.0)
    server.fail("PUT .*packs", 403, 99)
    events: list[BuildEvent] = []
    with pytest.raises(StopRun, match=r"denied \(AccessDenied: no, .* What is not there yet is in"):
        build([documents], address, workers=1, progress=events.append)
    assert any("the work goes on" in e.what for e in events if e.kind == "notice")
    server.calm()
    events.clear()
    build([documents], address, workers=1, progress=events.append)
    assert not [e for e in events if e.kind == "page"]
    assert open_archive(address).documents == open_archive(spool_folder(address, "archive")).documents


def test_a_thousand_pages_take_few_requests(server: ObjectServer, machine: Machine, tmp_path: Path) -> None:
    address = f"s3://{BUCKET}/thousand"
    for name in range(40):
        (tmp_path / f"{name:02}.txt").write_text("\n".join(f"good {name} {n}" for n in range(1, 26)))
    server.calm()
    build(Fates(*sorted(tmp_path.glob("*.txt"))), address, workers=1)
    assert server.requests.total() <= 20, server.requests
    machine("second")
    server.calm()
    remote.pull(address, tmp_path / "pulled")
    assert server.requests.total() <= 20, server.requests


def test_what_is_pushed_and_pulled(server: ObjectServer, machine: Machine, documents: Path, tmp_path: Path) -> None:
    address, folder = f"s3://{BUCKET}/pushed", tmp_path / "archive"
    build([documents / "words.txt"], folder, workers=1)
    server.fail("PUT .*packs", 403)
    ran = command("push", folder, address)
    assert (ran.code, "What is not there yet is in" in ran.err) == (2, True), ran.err
    assert command("push", folder, address).code == 0
    pulled = tmp_path / "pulled"
    assert command("pull", address, "-o", pulled).code == 0
    assert files(pulled) == files(folder)
    # Only what is new travels, both ways; what nobody needs any more is gone.
    build([documents / "long_1939_02.pdf"], folder, workers=1)
    remote.push(folder, address)
    (pulled / "letter.txt").write_text("of mine")
    remote.pull(address, pulled)
    assert files(pulled) == files(folder) | {"letter.txt": hashlib.sha256(b"of mine").hexdigest()}
    assert {*Bucket(address).names("packs")} == {f"packs/{p.name}" for p in remote.open_stored(address).state.packs}
    other = tmp_path / "other"
    build([documents / "words.txt"], other, workers=1)
    ran = command("push", other, address)
    said = f"{address}: holds long_1939_02, which {other} does not. Bring it here with `worktrial pull`"
    assert (ran.code, said in ran.err, len(ran.err.splitlines())) == (2, True, 1), ran.err
    # That one has let it go again.
    machine("second")
    remote.push(folder, address)


def altered(state: folders.FolderState, bucket: Bucket) -> None:
    name = f"packs/{state.packs[-1].name}"
    found = bucket.get(name)
    assert found is not None
    bucket.put(name, found.data[:-1] + bytes([found.data[-1] ^ 1]))


def test_stores_that_hold_something_else_say_so_in_a_line(
    server: ObjectServer, machine: Machine, documents: Path, alone: Path, tmp_path: Path
) -> None:
    words = documents / "words.txt"

    def refused(said: str, *command_words: str | Path) -> None:
        ran = command(*command_words)
        assert (ran.code, said in ran.err, len(ran.err.splitlines())) == (2, True, 1), ran.err
        assert SECRET not in ran.err

    refused(
        "s3://no-such-bucket/a/manifest.json: there is no such",
        "archive",
        "build",
        words,
        "-o",
        "s3://no-such-bucket/a",
    )
    refused("s3://no-such-bucket/a/manifest.json: there is no such", "archive", "inspect", "s3://no-such-bucket/a")
    server.fail("PUT .*read-only", 403, 9)
    refused("access is denied (AccessDenied", "archive", "build", words, "-o", f"s3://{BUCKET}/read-only")
    server.calm()
    refused("no archive is there", "archive", "search", f"s3://{BUCKET}/read-only", "word")
    refused("is not s3://BUCKET/NAME", "archive", "build", words, "-o", "s3://bucket")
    # A run where an archive is wanted, and the other way round.
    trial, mine = f"s3://{BUCKET}/a-run", f"s3://{BUCKET}/an-archive"
    assert command("push", run(tmp_path / "one", tiny(2)), trial).code == 0
    assert command("push", alone, mine).code == 0
    for one in (
        ("archive", "build", words, "-o", trial),
        ("archive", "show", trial, "a:1"),
        ("push", alone, trial),
    ):
        refused(f"{trial}: holds no archive, but something else (run)", *one)
    for other in (("show", mine), ("push", tmp_path / "one", mine)):
        refused(f"{mine}: holds no run, but something else (archive)", *other)
    bucket = Bucket(f"s3://{BUCKET}/letters")
    bucket.put("letter.txt", b"Dear")
    refused("is not empty (it holds letter.txt)", "archive", "build", words, "-o", bucket.address)
    refused("is not the address of a run (it holds letter.txt)", "pull", bucket.address, "-o", tmp_path / "l")
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "letter.txt").write_text("Dear")
    refused("letters: holds no archive", "pull", mine, "-o", tmp_path / "letters")
    # A build that is refused leaves nothing behind.
    refused("no such file", "archive", "build", tmp_path / "absent.pdf", "-o", f"s3://{BUCKET}/nothing")
    assert Bucket(f"s3://{BUCKET}/nothing").names() == {}


def test_parts_that_are_not_what_they_were_are_refused(
    server: ObjectServer, machine: Machine, alone: Path, tmp_path: Path
) -> None:
    address = f"s3://{BUCKET}/altered"
    remote.push(alone, address)
    bucket, state = Bucket(address), remote.open_stored(address).state
    whole = {name: found.data for name in bucket.names() if (found := bucket.get(name)) is not None}
    machine("second")
    server.fail("GET .*packs", "altered", 9)
    with pytest.raises(DataError, match=r"packs/\w+: was altered: the block at byte [\d,]+ is not the one"):
        open_archive(address)
    server.calm()
    altered(state, bucket)
    with pytest.raises(DataError, match="was altered"):
        open_archive(address).search("receipts")
    with pytest.raises(DataError, match="was altered"):
        remote.pull(address, tmp_path / "pulled")
    assert not (tmp_path / "pulled" / "manifest.json").exists()
    for pack in state.packs:
        bucket.put(f"packs/{pack.name}", b"cut")
    with pytest.raises(WorktrialError, match=r"packs/\w+: "):
        open_archive(address).page("long_1939_02", 3)
    for pack in state.packs:
        bucket.remove(f"packs/{pack.name}")
    machine("third")
    with pytest.raises(DataError, match=r"packs/\w+: is missing\. Open it again"):
        open_archive(address)
    for told, said in {
        b"{": "was not written by worktrial",
        b'{"format": 1}': "was not written by worktrial",
        b'{"format": 2, "holds": "archive"}': "has format 2, and this version reads 1. Use a newer worktrial",
        b'{"format": 1, "holds": "archive"}': "is damaged: ",
        whole["manifest.json"].replace(b'"manifest.json"', b'"../../manifest.json"'): "does not add up",
        whole["manifest.json"].replace(state.packs[0].blocks[0][0].encode(), b"../../.profile"): "is damaged: ",
        whole["manifest.json"].replace(b'"manifest.json":[0', b'"manifest.json":[999'): "does not add up",
    }.items():
        assert told != whole["manifest.json"]
        bucket.put("manifest.json", told)
        with pytest.raises(DataError, match=said):
            open_archive(address)


def test_the_cache_is_bounded_and_goes_by_content(
    server: ObjectServer, machine: Machine, alone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address, here = f"s3://{BUCKET}/cached", open_archive(alone)
    monkeypatch.setattr("worktrial.stores.sending.BLOCK", 4096)
    remote.push(alone, address)
    remote.push(alone, f"{address}-again")
    home = machine("second") / "cache"
    monkeypatch.setenv(VARIABLE, "20000")
    there = open_archive(address)
    for number in range(1, PAGES + 1):
        assert there.page("long_1939_02", number) == here.page("long_1939_02", number)
        assert sum(path.stat().st_size for path in home.rglob("*") if path.is_file()) <= 20000
    # What is in use stays, whatever its size, and goes when nobody uses it.
    assert there.search("receipts 1937") == here.search("receipts 1937")
    assert there.page("long_1939_02", 1).number == 1
    assert there.search("receipts 1936") == here.search("receipts 1936")
    del there
    other = open_archive(address)
    assert [other.page("long_1939_02", n).number for n in range(1, PAGES, 32)] == [1, 33, 65]
    assert sum(path.stat().st_size for path in home.rglob("*") if path.is_file()) <= 20000
    # The same content from another place is asked for no more; what was spoiled here is.
    machine("third")
    monkeypatch.delenv(VARIABLE)
    open_archive(address).page("words", 1)
    server.calm()
    open_archive(f"{address}-again").page("words", 1)
    assert server.requests == {"GET": 1}
    for path in (tmp_path / "machines" / "third" / "cache").rglob("blocks/*"):
        path.write_bytes(b"spoiled")
    assert open_archive(address).page("words", 1) == here.page("words", 1)
    monkeypatch.setenv(VARIABLE, "much")
    with pytest.raises(SettingError, match="WORKTRIAL_CACHE_BYTES=much: is no number of bytes"):
        open_archive(address)


def test_a_folder_of_a_disk_that_machines_share(machine: Machine, documents: Path, tmp_path: Path) -> None:
    address = f"file://{tmp_path}/store"
    with pytest.raises(DataError, match=r"no such folder\. Name the address that it was written to"):
        open_archive(address)
    build([documents / "words.txt"], address, workers=1)
    machine("second")
    assert open_archive(address).page("words", 1).text == "A note of May 1951.\n"
    build([documents / "long_1939_02.pdf"], address, workers=1)
    assert len(open_archive(address).documents) == 2
    shutil.rmtree(tmp_path / "machines")
    assert open_archive(address).search("note of May")[0].document == "words"
