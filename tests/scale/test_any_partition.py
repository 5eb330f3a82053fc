"""Any partition of a run into shards, named in any order, with any lines of theirs again, is the same run."""

import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.scale.test_merge import FILES, run, tiny

from worktrial.engine.manifest import Manifest, manifest_text, read_manifest
from worktrial.engine.packing import FrameWriter, line_key
from worktrial.engine.record import Key, SampleLine
from worktrial.engine.shard import read_shard
from worktrial.engine.trajectories import PACKED, TRAJECTORIES, StoredTrajectories
from worktrial.scale.merge import merge

Lines = dict[str, list[bytes]]


@cache
def whole() -> tuple[Manifest, Lines]:
    """Manifest and lines of the run of one process."""
    with tempfile.TemporaryDirectory() as place:
        one = run(Path(place) / "one", tiny(7, 2))
        manifest = read_manifest(one / "manifest.json")
        return manifest, {name: (one / name).read_bytes().splitlines(keepends=True) for name in FILES}


def key_of(line: bytes) -> Key:
    return msgspec.json.decode(line, type=SampleLine).key


def write_shard(folder: Path, shard: str, again: Sequence[int], packed: int) -> Path:
    """The part of the run that a shard's own process writes; before it some lines as a first try left them."""
    manifest, lines = whole()
    holds = read_shard(shard).holds
    folder.mkdir()
    own = {
        name: [line for line in kept if holds(msgspec.json.decode(line, type=SampleLine).key)]
        for name, kept in lines.items()
    }
    count = len(own[FILES[0]])
    for name, kept in own.items():
        earlier = [kept[n % len(kept)].replace(b'"so"', b'"as it was"') for n in again if kept]
        # The tail is torn, as after a kill.
        (folder / name).write_bytes(b"".join([*earlier, *kept, kept[0][:9] if kept and again else b""]))
    if packed and kept:
        # Some in frames, torn as well, and the others after them.
        frames = FrameWriter(folder)
        frames.open()
        lines = [*earlier, *kept]
        for line in lines[:-1]:
            frames.add(line, line_key(line, folder))
            if packed > 1:
                frames.flush()
        frames.flush()
        frames.close()
        with frames.path.open("ab") as file:
            file.write(frames.path.read_bytes()[: packed * 4])
        (folder / TRAJECTORIES).write_bytes(lines[-1] + kept[0][:9])
    [session] = manifest.sessions
    assert session.asked is not None
    asked = msgspec.structs.replace(session.asked, added=count)
    told = msgspec.structs.replace(
        manifest, shard=read_shard(shard), samples=count, sessions=[msgspec.structs.replace(session, asked=asked)]
    )
    (folder / "manifest.json").write_bytes(manifest_text(told))
    return folder


@settings(max_examples=25, deadline=None)
@given(data=st.data(), of=st.integers(1, 20))
def test_any_partition_in_any_order_with_any_lines_again_is_the_same_run(data: st.DataObject, of: int) -> None:
    again = st.lists(st.integers(0, 20), max_size=3)
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        frames = st.integers(0, 2)
        shards = [
            write_shard(place / f"s{n}", f"{n}/{of}", data.draw(again), data.draw(frames)) for n in range(1, of + 1)
        ]
        is_packed = any((shard / PACKED).exists() for shard in shards)
        merged = merge(data.draw(st.permutations(shards)), place / "run")
        assert merged[:2] == (14, 0)
        for file, lines in whole()[1].items():
            if is_packed and file == TRAJECTORIES:
                assert not (place / "run" / file).exists()
                with StoredTrajectories(place / "run") as stored:
                    found = [stored.line(begin) for _, begin, _ in stored.lines(SampleLine)]
                    assert [stored.last(key) for key in map(key_of, lines)] == lines == found
            else:
                assert (place / "run" / file).read_bytes() == b"".join(lines)
        told = read_manifest(place / "run" / "manifest.json")
        assert (told.shard, told.samples, told.settings) == (None, 14, whole()[0].settings)
