"""Any partition of a run into shards, named in any order, with any lines of theirs again, is the same run."""

import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.scale.test_merge import run, tiny
from tests.support.run_files import raw_work, records_in, store_work

from worktrial.engine import segments
from worktrial.engine.manifest import Manifest, manifest_text, read_manifest
from worktrial.engine.segments import SegmentWriter, segment_path
from worktrial.engine.shard import read_shard
from worktrial.scale.merge import merge

Sample = tuple[dict[str, Any], bytes | None]


@cache
def whole() -> tuple[Manifest, list[Sample]]:
    """Manifest, and records with their work, of the run of one process."""
    with tempfile.TemporaryDirectory() as place:
        one = run(Path(place) / "one", tiny(7, 2))
        manifest = read_manifest(one / "manifest.json")
        return manifest, list(zip(records_in(one), raw_work(one), strict=True))


def write_shard(folder: Path, shard: str, again: Sequence[int], frame: int) -> Path:
    """The part of the run that a shard's own process writes; before it some samples as a first try left them."""
    manifest, samples = whole()
    holds = read_shard(shard).holds
    folder.mkdir()
    own = [(one, line) for one, line in samples if holds((one["sample"], one["repeat"], one["condition"]))]
    count = len(own)
    earlier = [({**own[n % count][0], "reason": "as it was"}, own[n % count][1]) for n in again if own]
    store_work(folder, [*earlier, *own])
    if frame:
        # Sealed, in frames of so many bytes.
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(segments, "FRAME_BYTES", frame)
            writer = SegmentWriter(folder)
            writer.open({})
            writer.close(seal=True)
    for path in (folder / "samples.jsonl", segment_path(folder, 1)):
        # The tail is torn, as after a kill.
        if path.exists() and again:
            with path.open("ab") as file:
                file.write(b'{"suite": "t')
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
        frames = st.sampled_from([0, segments.FRAME_BYTES])
        shards = [
            write_shard(place / f"s{n}", f"{n}/{of}", data.draw(again), data.draw(frames)) for n in range(1, of + 1)
        ]
        merged = merge(data.draw(st.permutations(shards)), place / "run")
        assert merged[:2] == (14, 0)
        found = zip(records_in(place / "run"), raw_work(place / "run"), strict=True)
        by_key = [
            {(one["sample"], one["repeat"]): ({**one, "work": None}, line) for one, line in each}
            for each in (found, whole()[1])
        ]
        assert by_key[0] == by_key[1] and len(by_key[0]) == 14
        told = read_manifest(place / "run" / "manifest.json")
        assert (told.shard, told.samples, told.settings) == (None, 14, whole()[0].settings)
