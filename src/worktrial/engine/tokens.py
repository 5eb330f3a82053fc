"""Tokens beside a run, for training: `tokens.jsonl.zst`, one compressed line for each sample.

Each line is a zstd frame of its own (RFC 8878), so that the file can be written on after a crash, and any zstd tool
reads it as a whole.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, NamedTuple, TypeVar

import msgspec

from worktrial.engine.record import Key, SampleLine
from worktrial.engine.roles import RoleName, RoleSettings
from worktrial.errors import DataError, SettingError, extra, option
from worktrial.language import JsonObject, TurnTokens

TOKENS = "tokens.jsonl.zst"
_MAGIC = (0xFD2FB528).to_bytes(4, "little")
_LONGEST_HEADER = 18  # bytes, magic number and all
_HAS_CHECKSUM = 0b100
_CHECKSUM = 4  # bytes

_T = TypeVar("_T")


class SampleTokens(SampleLine, kw_only=True):
    """A line of the file: the tokens of one sample."""

    turns: list[TurnTokens]
    """Tokens of each of the agent's messages, in order."""
    tools: list[JsonObject]
    """Tools that the agent was offered, in the chat-completions form."""


def refuse_without_tokens(roles: Mapping[RoleName, RoleSettings]) -> None:
    """Refuse roles whose endpoints cannot be asked for tokens, before anything is spent.

    Raises:
        SettingError: some cannot; the message says why.
    """
    flag = option("keep_tokens")
    for settings in roles.values():
        if not settings.keep_tokens:
            continue
        if settings.is_local:
            raise SettingError(f"{flag}: the embedded model gives no token ids; serve the model with vLLM")
        if settings.wire is not None:
            raise SettingError(f"{flag}: is for chat completions; endpoints of {settings.wire} give no token ids")
        if settings.stream == "on":
            raise SettingError(f"{flag}: streamed answers lose tokens of calls; leave out {option('stream')} on")
        if settings.batch:
            raise SettingError(f"{flag}: answers of a batch hold no token ids; leave out {option('batch')}")
        with extra("analysis", "Keeping tokens"):
            import pyarrow  # noqa: F401 - what compresses them


def encoded(line: SampleTokens) -> bytes:
    """The frame of one line."""
    import pyarrow

    frame: bytes = pyarrow.Codec("zstd").compress(msgspec.json.encode(line) + b"\n", asbytes=True)
    return frame


def cut_torn_frame(path: Path) -> None:
    """Remove an incomplete last frame, left by a process that was killed while writing."""
    if not path.exists():
        return
    with path.open("r+b") as file:
        end = 0
        for frame in _frames(file):
            end = frame.end
        file.truncate(end)


def read_tokens(path: Path) -> Iterator[SampleTokens]:
    """Every line of the file in order; a torn last one is passed over.

    Raises:
        DataError: a line is damaged.
        SettingError: the extra `analysis` is not installed.
    """
    for line, _, _ in token_spans(path, SampleTokens):
        yield line


def token_spans(path: Path, kind: type[_T]) -> Iterator[tuple[_T, int, int]]:
    """Lines decoded as `kind`, each with the bytes at which its frame begins and ends."""
    if not path.exists():
        return
    decoder = msgspec.json.Decoder(kind)
    with path.open("rb") as file:
        for frame in _frames(file):
            yield _decoded(file, frame, decoder, path), frame.start, frame.end


def tokens_at(path: Path, place: int) -> SampleTokens:
    """The line whose frame begins at the byte `place`."""
    with path.open("rb") as file:
        frame = next(_frames(file, place))
        return _decoded(file, frame, msgspec.json.Decoder(SampleTokens), path)


def token_places(path: Path) -> dict[Key, int]:
    """Every sample to where its last line's frame begins."""
    return {line.key: place for line, place, _ in token_spans(path, SampleLine)}


class _Frame(NamedTuple):
    start: int
    end: int


def _frames(file: IO[bytes], place: int = 0) -> Iterator[_Frame]:
    """Whole frames from `place` on; what comes after is torn."""
    while (end := _end_of(file, place)) is not None:
        yield _Frame(place, end)
        place = end


def _end_of(file: IO[bytes], place: int) -> int | None:
    """End of the frame at `place`; None where there is no whole one."""
    size = file.seek(0, 2)
    file.seek(place)
    header = file.read(_LONGEST_HEADER)
    if len(header) < 5 or not header.startswith(_MAGIC):
        return None
    about = header[4]
    is_single = bool(about & 0b10_0000)
    dictionary = (0, 1, 2, 4)[about & 0b11]
    content = (1 if is_single else 0, 2, 4, 8)[about >> 6]
    at = place + 5 + (0 if is_single else 1) + dictionary + content
    while True:
        file.seek(at)
        block = file.read(3)
        if len(block) < 3:
            return None
        told = int.from_bytes(block, "little")
        is_last, kind, length = told & 1, told >> 1 & 0b11, told >> 3
        # A block that repeats one byte holds only that.
        at += 3 + (1 if kind == 1 else length)
        if is_last:
            break
    at += _CHECKSUM if about & _HAS_CHECKSUM else 0
    return at if at <= size else None


def _decoded(file: IO[bytes], frame: _Frame, decoder: msgspec.json.Decoder[_T], path: Path) -> _T:
    with extra("analysis", "Reading tokens"):
        import pyarrow

    file.seek(frame.start)
    data = file.read(frame.end - frame.start)
    try:
        with pyarrow.CompressedInputStream(pyarrow.BufferReader(data), "zstd") as stream:
            return decoder.decode(stream.read())
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError) as e:
        raise DataError(f"{path}, byte {frame.start}", f"damaged record: {e}", "Run the sample again") from None


def sample_tokens(key: Key, turns: Sequence[TurnTokens], tools: Sequence[JsonObject]) -> SampleTokens:
    """The line of one sample."""
    sample, repeat, condition = key
    return SampleTokens(sample=sample, repeat=repeat, condition=condition, turns=[*turns], tools=[*tools])
