"""The run folder: what it refuses, what it repairs, what survives."""

import contextlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worktrial.engine.lines import read_lines
from worktrial.engine.manifest import FORMAT, Manifest, SessionRecord, read_manifest
from worktrial.engine.record import SampleRecord
from worktrial.engine.segments import segment_path
from worktrial.engine.store import AT_RISK, RunStore
from worktrial.errors import DataError, SettingError, StopRun
from worktrial.grading import Outcome
from worktrial.secrets import Redactor

ROOT = Path(__file__).parents[2]


def manifest(**more: Any) -> Manifest:
    session = SessionRecord(started="now", command=["worktrial"], endpoints=more.pop("endpoints", {}))
    fields = {"suite": "tiny", "data": {"fingerprint": "f"}, "settings": {"level": 1}, "samples": 3, **more}
    return Manifest(**fields, sessions=[session])


def opened(folder: Path, **more: Any) -> RunStore:
    return RunStore(folder, manifest(**more), Redactor())


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def record(sample: object, outcome: Outcome = Outcome.PASS, **more: Any) -> SampleRecord:
    return SampleRecord(suite="tiny", sample=str(sample), repeat=0, outcome=outcome, reason="so", **more)


def filled(folder: Path, count: int = 3, **more: Any) -> Path:
    with opened(folder, **more) as store:
        for n in range(count):
            store.add(record(n, tags={"text": "é\n" * n}), {"sample": str(n), "repeat": 0})
    return folder


def test_records_come_back(tmp_path: Path) -> None:
    filled(tmp_path / "deep" / "run")
    with opened(tmp_path / "deep" / "run") as store:
        assert [r.sample for r in store.finished.values()] == ["0", "1", "2"]
        stored = store.finished["2", 0, "E0"]
        assert msgspec.structs.replace(stored, work=None) == record(2, tags={"text": "é\né\n"})
        assert len(store.manifest.sessions) == 2
    line = json.loads((tmp_path / "deep" / "run" / "samples.jsonl").read_text().splitlines()[0])
    public = (
        "work suite sample repeat outcome reason votes usage cost seconds calls stop_reason fault_plan fault_ledger"
    )
    assert set(public.split()) <= line.keys()


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_a_file_cut_anywhere_keeps_its_complete_lines(data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as temporary:
        folder = filled(Path(temporary) / "run")
        path = folder / "samples.jsonl"
        whole = path.read_bytes()
        cut = data.draw(st.integers(0, len(whole)))
        path.write_bytes(whole[:cut])
        complete = whole[: whole[:cut].rfind(b"\n") + 1]
        with opened(folder) as store:
            assert path.read_bytes() == complete
            store.add(record("new"), {"sample": "new"})
        lines = path.read_bytes()
        assert lines.startswith(complete)
        assert lines.count(b"\n") == complete.count(b"\n") + 1
        assert all(msgspec.json.decode(line) for line in lines.splitlines())


def test_a_torn_tail_longer_than_a_block(tmp_path: Path) -> None:
    path = filled(tmp_path) / "samples.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole + b"x" * 200_000)
    with opened(tmp_path) as store:
        assert len(store.finished) == 3
    assert path.read_bytes() == whole


def test_a_run_can_be_read_while_it_is_written(tmp_path: Path) -> None:
    path = filled(tmp_path) / "samples.jsonl"
    path.write_bytes(path.read_bytes()[:-5])
    assert [r.sample for r in read_lines(path, SampleRecord)] == ["0", "1"]
    assert list(read_lines(tmp_path / "none.jsonl", SampleRecord)) == []


@pytest.mark.parametrize("damage", [b"{not json}\n", b"\n", b'{"suite": "tiny"}\n', b'"caf\xe9"\n', b"\0\0\0\n"])
def test_a_damaged_line_in_the_middle_is_named(tmp_path: Path, damage: bytes) -> None:
    path = filled(tmp_path) / "samples.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + damage + lines[2])
    with pytest.raises(DataError, match=r"samples\.jsonl:2: damaged record"), opened(tmp_path):
        pass
    # The folder is not left locked.
    path.write_bytes(lines[0] + lines[2])
    with opened(tmp_path) as store:
        assert len(store.finished) == 2


def test_a_trajectory_without_its_sample_is_harmless(tmp_path: Path) -> None:
    filled(tmp_path)
    with segment_path(tmp_path, 1).open("ab") as file:
        file.write(b'{"sample": "9"}\n')
    with opened(tmp_path) as store:
        assert len(store.finished) == 3


def test_the_last_record_of_a_sample_counts(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.add(record(0, Outcome.INVALID), None)
        assert not store.is_settled(("0", 0, "E0"))
        store.add(record(1, Outcome.FAIL), None)
    with opened(tmp_path) as store:
        assert not store.is_settled(("0", 0, "E0"))
        assert store.is_settled(("1", 0, "E0"))
        assert not store.is_settled(("1", 1, "E0"))
        store.add(record(0), None)
        assert store.is_settled(("0", 0, "E0"))
    with opened(tmp_path) as store:
        assert store.is_settled(("0", 0, "E0"))


HOLDER = """
import sys
from pathlib import Path
from tests.engine.test_store import opened
with opened(Path(sys.argv[1])):
    print("open", flush=True)
    sys.stdin.read()
"""


def test_a_second_process_is_refused(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HOLDER, str(tmp_path)]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"open\n"
        before = (tmp_path / "manifest.json").read_bytes()
        with pytest.raises(SettingError, match="another process"), opened(tmp_path):
            pass
        assert (tmp_path / "manifest.json").read_bytes() == before
        holder.kill()
    # A lock dies with its process.
    with opened(tmp_path):
        pass


@pytest.mark.parametrize(
    ("change", "shown"),
    [
        ({"settings": {"level": 2}}, "trial.level: 1 -> 2"),
        ({"settings": {"level": 1, "roles": {"agent": {"model": "m"}}}}, 'agent.model: null -> {"model":"m"}'),
        ({"settings": {}}, "trial.level: 1 -> null"),
        ({"data": {"fingerprint": "g"}}, 'data: "f" -> "g"'),
    ],
)
def test_changed_settings_are_refused_with_the_difference(tmp_path: Path, change: Any, shown: str) -> None:
    before = (filled(tmp_path) / "manifest.json").read_bytes()
    with pytest.raises(SettingError, match="other settings") as caught, opened(tmp_path, **change):
        pass
    assert f"  {shown}" in str(caught.value)
    assert (tmp_path / "manifest.json").read_bytes() == before


def test_the_folder_of_another_suites_run_is_refused_in_a_sentence(tmp_path: Path) -> None:
    before = (filled(tmp_path) / "manifest.json").read_bytes()
    with pytest.raises(SettingError) as caught, opened(tmp_path, suite="other", settings={"level": 2}):
        pass
    assert str(caught.value).startswith(f"{tmp_path} holds a tiny run. Name another folder")
    assert "\n" not in str(caught.value)
    assert (tmp_path / "manifest.json").read_bytes() == before


def test_other_settings_are_fine_while_there_is_no_sample(tmp_path: Path) -> None:
    with opened(tmp_path):
        pass
    with opened(tmp_path, settings={"votes": 5}) as store:
        assert store.manifest.settings == {"votes": 5}


def test_what_cannot_change_a_result_may_change(tmp_path: Path) -> None:
    filled(tmp_path, settings={"tasks": ("a", "b")}, endpoints={"agent": "http://one/v1"})
    changed = {"data": {"fingerprint": "f", "folder": "elsewhere"}, "settings": {"tasks": ["a", "b"]}}
    with opened(tmp_path, **changed, endpoints={"agent": "http://two/v1"}):
        pass
    sessions = read_manifest(tmp_path / "manifest.json").sessions
    assert [s.endpoints["agent"] for s in sessions] == ["http://one/v1", "http://two/v1"]


def test_a_foreign_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("ten years of work")
    with pytest.raises(DataError, match=r"not the folder of a run .*thesis\.tex"), opened(tmp_path):
        pass
    assert names(tmp_path) == ["thesis.tex"]
    with pytest.raises(DataError, match="is a file"), opened(tmp_path / "thesis.tex"):
        pass
    with pytest.raises(DataError, match="cannot be written"), opened(tmp_path / "thesis.tex" / "run"):
        pass


def test_an_empty_or_just_begun_folder_is_taken(tmp_path: Path) -> None:
    for name in (".lock", "manifest.json.tmp"):
        (tmp_path / name).write_text("")
    filled(tmp_path)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (b"", "not a run's manifest"),
        (b'{"format": 2, "suite"', "not a run's manifest"),
        (b'{"format": 2}', "not a run's manifest"),
        (b'{"format": 1, "suite": "s"}', "has format 1, and this version reads 2"),
        (b'"caf\xe9"', "not a run's manifest"),
        (b'{"format": 99, "all": "different"}', rf"format 99, and this version reads {FORMAT}.*newer"),
    ],
)
def test_a_manifest_of_another_kind(tmp_path: Path, text: bytes, shown: str) -> None:
    (tmp_path / "manifest.json").write_bytes(text)
    with pytest.raises(DataError, match=shown), opened(tmp_path):
        pass
    assert (tmp_path / "manifest.json").read_bytes() == text


def test_a_manifest_is_never_half_written(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        for n in range(50):
            store.manifest.settings["text"] = "x" * 1000 * n
            descriptor = os.open(tmp_path / "manifest.json", os.O_RDONLY)
            store.save_manifest()
            # Whoever had it open still reads the whole old one.
            assert msgspec.json.decode(os.read(descriptor, 1_000_000))
            os.close(descriptor)
    assert names(tmp_path) == [".lock", "manifest.json", "samples.jsonl"]


def test_what_is_no_json_stores_nothing(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        for odd in ("\ud800", object()):
            with pytest.raises((TypeError, ValueError)):
                store.add(record(0), {"sample": "0", "odd": odd})
        with pytest.raises(ValueError, match="surrogates"):
            store.add(record(0, tags={"odd": "\ud800"}), {"sample": "0"})
        assert store.finished == {}
    assert (tmp_path / "samples.jsonl").read_bytes() == b""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_stops_the_run(tmp_path: Path) -> None:
    filled(tmp_path, 0)
    store = opened(tmp_path)
    with pytest.raises(StopRun, match="cannot be stored"), store:
        (tmp_path / "work").mkdir()
        segment_path(tmp_path, 1).symlink_to("/dev/full")
        store.add(record(0), {"sample": "0"})
    assert store.finished == {}


@contextlib.contextmanager
def syncs() -> Iterator[list[int]]:
    """The number of times that the disk is told to keep a file; the calls are made, and counted."""
    made = [0]

    def saw(frame: object, event: str, called: object) -> None:
        made[0] += event == "c_call" and called is os.fsync

    sys.setprofile(saw)
    try:
        yield made
    finally:
        sys.setprofile(None)


def test_so_many_samples_are_at_risk(tmp_path: Path) -> None:
    with syncs() as made:
        with opened(tmp_path / "usual") as store:
            before = made[0]
            for n in range(2 * AT_RISK + 5):
                store.add(record(n), {"sample": str(n)})
                assert store.at_risk == (n + 1) % AT_RISK
            # Two files after so many samples, both folders once, and the files again when the run is over.
            assert made[0] - before == 6
        assert (store.at_risk, made[0] - before) == (0, 8)
    with RunStore(tmp_path / "durable", manifest(), Redactor(), durable=True) as store:
        with syncs() as made:
            for n in range(3):
                store.add(record(n), {"sample": str(n)})
                # The trajectory before its sample, which cannot be there without it.
                assert (store.at_risk, made) == (0, [4 * (n + 1) + 2])
    assert len(list(read_lines(tmp_path / "durable" / "samples.jsonl", SampleRecord))) == 3
