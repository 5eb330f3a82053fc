"""Writers of shards in an object store: how one claims a shard, takes it over, lets it go."""

import contextlib

import msgspec

from worktrial.engine.growth import grow
from worktrial.engine.manifest import MANIFEST, Manifest
from worktrial.engine.objects.parts import RUN_MANIFEST, RunState, ShardState
from worktrial.engine.objects.shards import StoredShard, read_parts, read_run, read_shard_state
from worktrial.errors import SettingError, WorktrialError, option
from worktrial.places import check_address
from worktrial.stores.bucket import Bucket, ObjectEntry, StoreFailed
from worktrial.stores.writers import StoreWriter

_TRIES = 20


def join_run(bucket: Bucket, manifest: Manifest, of: int) -> bool:
    """Begin the run at the address, or see that this is a part of it, or adds to it; returns whether it was begun.

    Args:
        bucket: Of the run.
        manifest: Of the run, or of one of its shards; holds no key.
        of: Number of shards.

    Raises:
        SettingError: the run there has other settings or another number of shards.
        DataError: something else is there.
    """
    for _ in range(_TRIES):
        found = read_run(bucket)
        if found is None:
            _refuse_within(bucket.address)
            first = RunState(of=of, manifest=msgspec.structs.replace(manifest, shard=None))
            if bucket.create(RUN_MANIFEST, msgspec.json.encode(first)) is not None:
                return True
            continue
        state, tag = found
        if state.of != of:
            what = f"{state.of} shards" if state.of > 1 else "one shard, the whole"
            raise SettingError(
                f"{bucket.address}: holds a run of {what}; this is one of {of} (see {option('shard')})"
            )
        grown = _grown(state.manifest, manifest, bucket.address)
        if grown is None or bucket.swap(RUN_MANIFEST, msgspec.json.encode(RunState(of=of, manifest=grown)), tag):
            return False
    raise SettingError(f"{bucket.address}: too many processes begin this run at once; start this one again")


def _refuse_within(address: str) -> None:
    """Refuse an address inside another run, as several agents' would be inside one agent's."""
    around = address.rpartition("/")[0]
    try:
        check_address(around)
        holds_run = Bucket(around).get(RUN_MANIFEST) is not None
    except (SettingError, StoreFailed):
        # There is nothing around it, or nothing that may be read.
        return
    if holds_run:
        raise SettingError(f"{address}: lies within the run at {around}. Name another with {option('output')}")


def _grown(stored: Manifest, manifest: Manifest, where: str) -> Manifest | None:
    """Manifest of the run with the samples that the sessions of `manifest` add; None where they add none."""
    is_new = False
    asking = [session for session in manifest.sessions if session.asked is not None] or manifest.sessions[-1:]
    for session in asking:
        # Not the ones that are written elsewhere.
        now = msgspec.json.decode(
            msgspec.json.encode(msgspec.structs.replace(manifest, shard=None, sessions=[session])), type=Manifest
        )
        grow(stored, now, where)
        is_new |= now.sessions[-1].asked is not None
        stored = now
    return stored if is_new else None


def claim(
    bucket: Bucket, shard: str, writer: StoreWriter, manifest: Manifest, *, take_over: bool
) -> tuple[StoredShard, dict[str, ObjectEntry]]:
    """A shard with `writer` as the one who writes it, and its objects by name.

    Args:
        bucket: Of the run.
        shard: Name of the shard's folder.
        writer: Whoever claims it.
        manifest: Of the shard, where it is begun; holds no key.
        take_over: Whether it may be claimed from another writer.

    Raises:
        SettingError: another writer has it.
        DataError: what is there is damaged.
    """
    found = read_shard_state(bucket, shard)
    if found is None:
        state = ShardState(parts=0, writer=writer, manifest=manifest)
        tag = bucket.create(_path(shard), msgspec.json.encode(state))
        if tag is None:
            raise _refused(bucket, shard)
        return StoredShard(bucket, shard, state, tag, []), {}
    other = found.state.writer
    if other is not None and other.token != writer.token and not take_over:
        raise _refused(bucket, shard)
    state = msgspec.structs.replace(found.state, writer=writer)
    tag = bucket.swap(_path(shard), msgspec.json.encode(state), found.tag)
    if tag is None:
        raise _refused(bucket, shard)
    claimed = StoredShard(bucket, shard, state, tag, [])
    # After the claim: nobody else adds parts from now on.
    try:
        objects = bucket.names(f"parts/{shard}")
        claimed.parts.extend(read_parts(bucket, shard, objects, state, None))
    except BaseException:
        let_go(claimed)
        raise
    return claimed, objects


def let_go(shard: StoredShard) -> None:
    """Leave a shard as it was before it was claimed; nothing has been written to it."""
    with contextlib.suppress(WorktrialError):
        before = msgspec.structs.replace(shard.state, writer=None)
        shard.bucket.swap(_path(shard.name), msgspec.json.encode(before), shard.tag)


def remove_begun(shard: StoredShard, *, run: bool) -> None:
    """Remove a shard that was begun just now, and that nothing was written to.

    Args:
        shard: As it was claimed.
        run: Whether the run was begun with it.
    """
    with contextlib.suppress(WorktrialError):
        shard.bucket.remove(_path(shard.name))
        if run:
            shard.bucket.remove(RUN_MANIFEST)


def _path(shard: str) -> str:
    return f"parts/{shard}/{MANIFEST}"


def _refused(bucket: Bucket, shard: str) -> SettingError:
    found = read_shard_state(bucket, shard)
    writer = None if found is None else found.state.writer
    who = f"{writer.host} since {writer.since}" if writer is not None else "another process"
    return SettingError(
        f"{bucket.address}: shard {shard} is being written by {who}. Where that has died, go on with "
        f"{option('take_over')}"
    )
