"""Trajectories, plain or in frames: whatever happens while they are written, every line is there, once."""

import contextlib
import io
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.engine.test_store import manifest, record

from worktrial.engine import packing
from worktrial.engine.frames import frames
from worktrial.engine.lines import read_lines
from worktrial.engine.record import SampleLine
from worktrial.engine.store import RunStore
from worktrial.engine.stored import trajectory
from worktrial.engine.trajectories import (
    HEADER,
    PACKED,
    PACKED_INDEX,
    ROW,
    TRAJECTORIES,
    FrameTable,
    StoredTrajectories,
    trajectory_lines,
    trajectory_places,
)
from worktrial.errors import DataError, SettingError
from worktrial.secrets import Redactor


class Line(SampleLine):
    text: str = ""


def opened(folder: Path, compress: bool | None = True) -> RunStore:
    return RunStore(folder, manifest(), Redactor(), compress=compress)


def line(n: int, length: int = 1000) -> dict[str, Any]:
    return {"sample": str(n % 300), "repeat": 0, "condition": "E0", "text": f"{n}é" * (length // 4)}


def filled(folder: Path, count: int, *, first: int = 0, compress: bool | None = True, length: int = 1000) -> Path:
    with opened(folder, compress) as store:
        for n in range(first, first + count):
            store.add(record(n % 300), line(n, length))
    return folder


def texts(folder: Path) -> list[str]:
    return [one.text for one in trajectory_lines(folder, Line)]


def asked(*numbers: int, length: int = 1000) -> list[str]:
    return [line(n, length)["text"] for n in numbers]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three frames: full of lines, full of bytes, and the last of the run."""
    run = filled(tmp_path_factory.mktemp("made") / "run", 256, length=8)
    filled(run, 350, first=256)
    return run


def expected() -> list[str]:
    return asked(*range(256), length=8) + asked(*range(256, 606))


@pytest.fixture
def run(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "run"))


def test_any_tool_of_the_format_reads_them(made: Path) -> None:
    plain = subprocess.run(["zstd", "-dc", made / PACKED], capture_output=True, check=True).stdout
    assert [msgspec.json.decode(one, type=Line).text for one in plain.splitlines()] == expected() == texts(made)
    assert not (made / TRAJECTORIES).exists()
    assert (made / PACKED).stat().st_size < len(plain) / 4
    assert (made / PACKED_INDEX).stat().st_size == len(HEADER) + 606 * ROW.size
    whole, reads = [0], trajectory_places(made)
    with StoredTrajectories(made, kept=1, table=FrameTable()) as stored:
        for found, begin, end in stored.lines(Line):
            assert begin == whole[-1]
            whole.append(end)
            assert plain[begin:end] == stored.line(begin)
            assert found.key not in reads or reads[found.key] >= begin
        assert stored.line(whole[-1]) == b""


@pytest.mark.parametrize("index", ["whole", "none", "short", "foreign", "lies"])
def test_one_is_found_with_an_index_and_without(run: Path, index: str) -> None:
    path = run / PACKED_INDEX
    rows = path.read_bytes()
    if index == "none":
        path.unlink()
    elif index == "short":
        path.write_bytes(rows[: len(HEADER) + 256 * ROW.size])
    elif index == "foreign":
        path.write_bytes(b"x" * len(rows))
    elif index == "lies":
        # All rows but the last are of the first line.
        first = rows[len(HEADER) + 12 : len(HEADER) + ROW.size]
        digests = [rows[at : at + 12] for at in range(len(HEADER), len(rows) - ROW.size, ROW.size)]
        path.write_bytes(HEADER + b"".join(one + first for one in digests) + rows[-ROW.size :])
    # 300 samples, of which the last lines are those from 306 on.
    for n in (306, 400, 556, 605):
        assert trajectory(run, str(n % 300), 0)["text"] == line(n)["text"]
    with pytest.raises(DataError, match="no trajectory of sample '7000'"):
        trajectory(run, "7000", 0)
    # Whoever writes mends it.
    filled(run, 0)
    assert (path.read_bytes() == rows) or index == "lies"


def frame_ends(folder: Path) -> list[int]:
    with (folder / PACKED).open("rb") as file:
        return [frame.end for frame in frames(file, folder / PACKED)]


def test_with_an_index_one_frame_is_read(run: Path) -> None:
    """The others may be damaged: nobody looks."""
    first, second, _ = frame_ends(run)
    with (run / PACKED).open("r+b") as file:
        file.seek(first - 40)
        file.write(b"\0" * 30)
    assert trajectory(run, "5", 0)["text"] == line(605)["text"]
    with pytest.raises(DataError, match=rf"{PACKED}, byte 0: damaged frame"):
        texts(run)
    (run / PACKED_INDEX).unlink()
    with (run / PACKED).open("r+b") as file:
        file.seek(first)
        file.write(b"\0" * (second - first))
    before = (run / PACKED).read_bytes()
    # What follows the damage is not taken for torn, and cut off.
    with pytest.raises(DataError, match=rf"{PACKED}, byte {first}: damaged frame"):
        filled(run, 1)
    assert (run / PACKED).read_bytes() == before


@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_a_file_cut_anywhere_keeps_its_whole_frames(made: Path, data: st.DataObject) -> None:
    whole, ends = (made / PACKED).read_bytes(), [0, *frame_ends(made)]
    cut = data.draw(st.one_of(st.sampled_from(ends), st.integers(0, len(whole))))
    run = made.parent / "cut"
    shutil.rmtree(run, ignore_errors=True)
    shutil.copytree(made, run)
    (run / PACKED).write_bytes(whole[:cut])
    with (made / PACKED_INDEX).open("rb") as index:
        rows = [*ROW.iter_unpack(index.read()[len(HEADER) :])]
    last = max(end for end in ends if end <= cut)
    kept = expected()[: sum(row[1] < last for row in rows)]
    assert texts(run) == kept
    filled(run, 3, first=1000)
    assert texts(run) == kept + asked(1000, 1001, 1002)
    assert trajectory(run, str(1001 % 300), 0)["text"] == line(1001)["text"]


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
            left[0] -= path.name.startswith("trajectories")
            if left[0] < 0:
                raise Killed
            return change(path, *args, **more)

        return made

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(packing, "FRAME_LINES", 4)
        patch.setattr(packing, "FRAME_BYTES", 1500)
        patch.setattr(packing, "append_line", torn(packing.append_line))
        patch.setattr(packing, "write_all", torn(packing.write_all))
        for name in ("unlink", "replace"):
            patch.setattr(Path, name, gone(getattr(Path, name)))
        yield


def killed(folder: Path, count: int, after: int) -> bool:
    """Whether a process that adds lines was killed meanwhile."""
    with opened(folder, None):
        pass
    with dying(after):
        try:
            with opened(folder) as store:
                for n in range(count):
                    if not store.is_settled((str(n), 0, "E0")):
                        store.add(record(n), line(n, 400))
        except Killed:
            return True
    return False


def test_a_kill_anywhere_loses_no_stored_sample(tmp_path: Path) -> None:
    for after in range(200):
        run = tmp_path / str(after)
        alive = not killed(run, 14, after)
        kept = [one.sample for one in read_lines(run / "samples.jsonl", SampleLine)]
        # Before anybody mends it, and after. A line whose record was not stored any more is made again.
        for _ in range(2):
            has = [one.text for one in trajectory_lines(run, Line)]
            assert has[: len(kept)] == asked(*range(len(kept)), length=400)
            assert len(has) - len(kept) in (0, 1)
            for sample in kept:
                assert trajectory(run, sample, 0)["text"] == line(int(sample), 400)["text"]
            filled(run, 0, compress=None)
        assert not killed(run, 14, 1000)
        once = list(dict.fromkeys(texts(run)))
        assert once == asked(*range(14), length=400)
        if alive:
            break
    assert 25 < after < 199


def test_a_plain_run_is_packed_when_asked_though_killed(tmp_path: Path) -> None:
    for after in range(100):
        run = filled(tmp_path / str(after), 14, compress=None, length=400)
        before = (run / TRAJECTORIES).read_bytes()
        alive = not killed(run, 14, after)
        assert texts(run) == asked(*range(14), length=400)
        assert not killed(run, 14, 1000)
        with StoredTrajectories(run) as stored:
            places = [begin for _, begin, _ in stored.lines(SampleLine)]
            assert b"".join(map(stored.line, places)) == before
        assert not (run / TRAJECTORIES).exists()
        if alive:
            break
    assert 5 < after < 99
    with pytest.raises(SettingError, match="are compressed and stay so"), opened(run, compress=False):
        pass


def test_a_run_can_be_read_while_lines_are_packed(tmp_path: Path) -> None:
    """What was opened before stays what it was; what is opened in between misses nothing, and has nothing twice."""
    run = tmp_path / "run"
    seen: list[list[str]] = []
    table = FrameTable()

    def looks() -> list[str]:
        with StoredTrajectories(run, table=table) as stored:
            return [one.text for one, _, _ in stored.lines(Line)]

    unlink = Path.unlink

    def watched(path: Path, missing_ok: bool = False) -> None:
        if path.name == TRAJECTORIES:
            seen.append(looks())
        unlink(path, missing_ok)
        if path.name == TRAJECTORIES:
            seen.append(looks())

    with pytest.MonkeyPatch.context() as patch, opened(run) as store:
        patch.setattr(packing, "FRAME_LINES", 4)
        patch.setattr(Path, "unlink", watched)
        for n in range(3):
            store.add(record(n), line(n))
        with StoredTrajectories(run) as before:
            (_, place, _), *_ = before.lines(Line)
            for n in range(3, 11):
                store.add(record(n), line(n))
                assert looks() == asked(*range(n + 1))
            assert [one.text for one, _, _ in before.lines(Line)] == asked(0, 1, 2, 3)
            assert before.line(place) == msgspec.json.encode(line(0)) + b"\n"
    assert seen == [asked(*range(n)) for n in (4, 4, 8, 8, 11, 11)]


def test_foreign_frames_are_read(tmp_path: Path) -> None:
    """Of another tool: without their length, or all lines in one."""
    run = filled(tmp_path / "run", 5, compress=None)
    subprocess.run(["zstd", "-q", "--rm", run / TRAJECTORIES], check=True)
    assert texts(run) == asked(*range(5))
    plain = b"".join(msgspec.json.encode(line(n)) + b"\n" for n in range(5, 8))
    with (run / PACKED).open("ab") as file:
        subprocess.run(["zstd", "-q", "-c"], input=plain, stdout=file, check=True)
    filled(run, 2, first=8)
    assert texts(run) == asked(*range(10))
    assert trajectory(run, "6", 0)["text"] == line(6)["text"]


def test_a_link_out_of_the_folder_is_refused(tmp_path: Path) -> None:
    run = filled(tmp_path / "run", 3)
    (run / PACKED).rename(tmp_path / "elsewhere")
    (run / PACKED).symlink_to(tmp_path / "elsewhere")
    for act in (lambda: texts(run), lambda: filled(run, 1)):
        with pytest.raises(DataError, match="symbolic link out of the folder"):
            act()


class _CountingFile(io.FileIO):
    reads = 0

    def read(self, size: int | None = -1, /) -> bytes:
        type(self).reads += 1
        return super().read(size)


@pytest.mark.parametrize("filler", [bytes(60), b"\x08\x00\x00\x01" * 15], ids=["zeros", "small blocks"])
def test_what_only_begins_like_frames_is_not_followed_for_long(tmp_path: Path, filler: bytes) -> None:
    path = tmp_path / "made.jsonl.zst"
    path.write_bytes((b"\x28\xb5\x2f\xfd\x20\x40" + filler) * 20_000)
    with _CountingFile(path) as file, pytest.raises(DataError, match="damaged frame"):
        list(frames(file, path))
    assert file.reads < 20 * (1 << 15)
