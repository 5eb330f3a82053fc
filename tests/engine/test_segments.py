"""Segments of a run's work: whatever happens while they are written, what a record points at is there."""

import contextlib
import shutil
import struct
import subprocess
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.engine.test_store import manifest, record
from tests.support.run_files import work_of

from worktrial.engine import lines, segments, store
from worktrial.engine.record import Place, SampleRecord
from worktrial.engine.records import SAMPLES, Records, trajectory_lines
from worktrial.engine.segments import MissingWork, Segments, segment_path, segments_in
from worktrial.engine.store import AT_RISK, RunStore
from worktrial.engine.stored import trajectory
from worktrial.errors import DataError
from worktrial.secrets import Redactor

FRAME, SEGMENT = 1 << 10, 5 << 10


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Frames of a KB and segments of five, so that a test fills many."""
    monkeypatch.setattr(segments, "FRAME_BYTES", FRAME)
    monkeypatch.setattr(segments, "SEGMENT_BYTES", SEGMENT)


def opened(folder: Path) -> RunStore:
    return RunStore(folder, manifest(), Redactor())


def line(n: int, length: int = 400) -> dict[str, Any]:
    return {"sample": str(n), "repeat": 0, "condition": "E0", "text": f"{n}é" * (length // 4)}


def filled(folder: Path, count: int, *, first: int = 0, length: int = 400) -> Path:
    with opened(folder) as run:
        for n in range(first, first + count):
            if not run.is_settled((str(n), 0, "E0")):
                run.add(record(n), line(n, length))
    return folder


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Two sealed segments and one that was sealed as the run ended."""
    return filled(tmp_path / "run", 32)


def sealed(folder: Path, number: int = 1) -> Path:
    return segment_path(folder, number, sealed=True)


def test_any_tool_of_the_format_reads_them_and_every_place_names_a_line(run: Path) -> None:
    assert [path.name for path in segments_in(run).values()] == [f"000{n}.jsonl.zst" for n in (1, 2, 3)]
    plain = [
        subprocess.run(["zstd", "-dc", path], capture_output=True, check=True).stdout
        for path in segments_in(run).values()
    ]
    for one in Records(run, SampleRecord):
        assert one.work is not None
        text = plain[one.work.segment - 1][one.work.offset : one.work.offset + one.work.length]
        assert msgspec.json.decode(text) == line(int(one.sample)) == trajectory(run, one.sample, 0)
    assert b"".join(plain).count(b"\n") == 32 and len(plain[0]) <= SEGMENT
    assert sum(path.stat().st_size for path in segments_in(run).values()) < len(b"".join(plain)) / 2


def test_less_than_a_frame_stays_plain_and_is_gone_on_with(tmp_path: Path) -> None:
    run = filled(tmp_path, 1)
    assert [path.name for path in segments_in(run).values()] == ["0001.jsonl"]
    filled(run, 3)
    assert [path.name for path in segments_in(run).values()] == ["0001.jsonl.zst"]
    filled(run, 5)
    assert [path.name for path in segments_in(run).values()] == ["0001.jsonl.zst", "0002.jsonl"]
    assert work_of(run) == [line(n) for n in range(5)]


def test_a_line_longer_than_a_segment_has_one_of_its_own(tmp_path: Path) -> None:
    run = filled(tmp_path, 1)
    filled(run, 2, length=30_000)
    filled(run, 3)
    assert work_of(run) == [line(0), line(1, 30_000), line(2)]


class Killed(BaseException):
    """The end of the process."""


@contextlib.contextmanager
def dying(after: int) -> Iterator[None]:
    """The process ends in the middle of its `after`-th change of a file, or before it."""
    left = [after]

    def torn(change: Callable[[IO[bytes], bytes], None]) -> Callable[[IO[bytes], bytes], None]:
        def made(file: IO[bytes], data: bytes) -> None:
            left[0] -= 1
            if left[0] < 0:
                file.write(data[: len(data) // 2])
                raise Killed
            change(file, data)

        return made

    def gone(change: Callable[..., Any]) -> Callable[..., Any]:
        def made(path: Path, *args: Any, **more: Any) -> Any:
            left[0] -= path.parent.name == segments.WORK
            if left[0] < 0:
                raise Killed
            return change(path, *args, **more)

        return made

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store, "append_line", torn(lines.append_line))
        patch.setattr(segments, "write_all", torn(lines.write_all))
        for name in ("unlink", "replace"):
            patch.setattr(Path, name, gone(getattr(Path, name)))
        yield


def killed(folder: Path, count: int, after: int) -> bool:
    """Whether a process that adds samples was killed meanwhile."""
    filled(folder, 0)
    with dying(after):
        try:
            filled(folder, count)
        except Killed:
            return True
    return False


def test_a_kill_anywhere_loses_no_stored_sample(tmp_path: Path) -> None:
    for after in range(300):
        run = tmp_path / str(after)
        alive = not killed(run, 25, after)
        kept = [one.sample for one in Records(run, SampleRecord)]
        # Before anybody mends it, and after.
        for _ in range(2):
            assert work_of(run) == [line(int(sample)) for sample in kept]
            filled(run, 0)
        assert not killed(run, 25, 1000)
        assert work_of(run) == [line(n) for n in range(25)]
        assert not [*(run / segments.WORK).glob("*.tmp")]
        if alive:
            break
    assert 60 < after < 299


def test_where_both_forms_are_there_the_sealed_one_is_whole(run: Path) -> None:
    segment_path(run, 3).write_bytes(b"half of it")
    assert work_of(run) == [line(n) for n in range(32)]
    filled(run, 33)
    assert not segment_path(run, 3).exists()
    assert work_of(run) == [line(n) for n in range(33)]


def test_work_is_read_while_it_is_sealed(tmp_path: Path) -> None:
    """What was opened before goes on to be read; what is opened in between misses nothing."""
    run, seen = tmp_path / "run", []
    unlink = Path.unlink

    def watched(path: Path, missing_ok: bool = False) -> None:
        seen.append(len(work_of(run)))
        unlink(path, missing_ok)
        seen.append(len(work_of(run)))

    with opened(run) as going, Segments(run) as before:
        going.add(record(0), line(0))
        first = Place(1, 0, len(msgspec.json.encode(line(0))) + 1)
        assert msgspec.json.decode(before.line(first)) == line(0)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Path, "unlink", watched)
            for n in range(1, 30):
                going.add(record(n), line(n))
                assert len(work_of(run)) == n + 1
        assert len(seen) == 4 and msgspec.json.decode(before.line(first)) == line(0)


def lost(folder: Path, size: int) -> None:
    """Let a power cut take what the open segment holds from there on."""
    with segment_path(folder, 1).open("r+b") as file:
        file.truncate(size)


def test_work_that_a_power_cut_took_is_done_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(segments, "FRAME_BYTES", 1 << 20)
    monkeypatch.setattr(segments, "SEGMENT_BYTES", 64 << 20)
    run = filled(tmp_path / "run", 40)
    few = shutil.copytree(run, tmp_path / "few")
    size = segment_path(run, 1).stat().st_size
    lost(few, size - 700)
    assert len(list(Records(few, SampleRecord))) == 40
    with pytest.raises(MissingWork, match=r"0001\.jsonl: is shorter than the records say"):
        work_of(few)
    with opened(few) as going:
        assert [n for n in range(40) if not going.is_settled((str(n), 0, "E0"))] == [38, 39]
    filled(few, 40)
    assert work_of(few) == [line(n) for n in range(40)]
    # More than a power cut can take is no power cut, and nothing is thrown away.
    lost(run, size // 3)
    before = (run / SAMPLES).read_bytes()
    with pytest.raises(DataError, match=r"0001.jsonl: is shorter than the records say. Copy it again"):
        filled(run, 40)
    assert (run / SAMPLES).read_bytes() == before and AT_RISK < 26
    segment_path(run, 1).unlink()
    with pytest.raises(MissingWork, match=r"0001\.jsonl: is missing"):
        trajectory(run, "5", 0)
    # What comes now does not lie where the missing work lay.
    filled(run, 42)
    assert [one.work.segment for one in Records(run, SampleRecord) if one.work][-2:] == [2, 2]


def test_one_frame_is_read_for_a_sample_and_damage_is_named(run: Path) -> None:
    path = sealed(run)
    data = bytearray(path.read_bytes())
    data[20:40] = bytes(20)
    path.write_bytes(data)
    assert trajectory(run, "6", 0) == line(6)
    for act in (lambda: trajectory(run, "0", 0), lambda: list(trajectory_lines(run, dict[str, Any]))):
        with pytest.raises(DataError, match=r"0001.jsonl.zst, byte 0: damaged frame"):
            act()
    path.write_bytes(data[:-1])
    with pytest.raises(DataError, match=r"0001.jsonl.zst: has no table of its frames .*Copy the file again"):
        trajectory(run, "6", 0)


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_any_change_of_a_sealed_segment_is_refused_or_changes_nothing(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("one")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(segments, "FRAME_BYTES", FRAME)
        path = sealed(filled(folder, 6))
        whole = path.read_bytes()
        at, bit = data.draw(st.integers(0, len(whole) - 1)), 1 << data.draw(st.integers(0, 7))
        path.write_bytes(whole[:at] + bytes([whole[at] ^ bit]) + whole[at + 1 :])
        with contextlib.suppress(DataError):
            assert work_of(folder) == [line(n) for n in range(6)]


def table(*entries: tuple[int, int], count: int | None = None) -> bytes:
    rows = b"".join(struct.pack("<II", *entry) for entry in entries)
    footer = struct.pack("<IBI", len(entries) if count is None else count, 0, 0x8F92EAB1)
    return struct.pack("<II", 0x184D2A5E, len(rows) + len(footer)) + rows + footer


LIES = {
    "a content of gigabytes": lambda frame: frame + table((len(frame), 1 << 31)),
    "more frames than there are": lambda frame: frame + table((len(frame), FRAME), count=1 << 31),
    "a frame beyond the file": lambda frame: frame + table((1 << 31, FRAME)),
    "less than there is": lambda frame: frame + table((len(frame), 10)),
    "more than there is": lambda frame: frame + table((len(frame), FRAME)),
    "none": lambda frame: frame + table(),
    "magic numbers alone": lambda _: (b"\x28\xb5\x2f\xfd\x20\x40" + bytes(60)) * 200_000,
}


@pytest.mark.parametrize("lie", LIES)
def test_a_table_that_lies_costs_no_memory(lie: str, tmp_path: Path) -> None:
    bomb = segments.zstd.compress(bytes(300 << 20))
    path = sealed(tmp_path)
    path.parent.mkdir()
    path.write_bytes(LIES[lie](bomb))
    tracemalloc.start()
    try:
        with Segments(tmp_path) as reader, pytest.raises(DataError, match=r"0001\.jsonl\.zst"):
            reader.line(Place(1, 0, 10))
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("place", [Place(1, 0, 10), Place(1, 3, 572), Place(1, 575, 600), Place(3, 10**15, 10**9)])
def test_a_place_where_no_line_lies_is_named(run: Path, place: Place) -> None:
    with Segments(run) as reader, pytest.raises(DataError, match=rf"000{place.segment}\.jsonl\.zst"):
        reader.line(place)


def test_a_link_out_of_the_folder_is_refused(run: Path, tmp_path: Path) -> None:
    sealed(run).rename(tmp_path / "elsewhere")
    sealed(run).symlink_to(tmp_path / "elsewhere")
    for act in (lambda: work_of(run), lambda: filled(run, 25)):
        with pytest.raises(DataError, match="symbolic link out of the folder"):
            act()
