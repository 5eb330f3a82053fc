"""Tokens beside a run, for training: `tokens.jsonl.zst`, one compressed line for each sample.

Each line is a zstd frame of its own; see `worktrial.engine.frames`.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, TypeVar

import msgspec

from worktrial.engine.frames import Frame, frames, packed, unpacked
from worktrial.engine.record import Key, SampleLine
from worktrial.engine.roles import RoleName, RoleSettings
from worktrial.errors import DataError, SettingError, option
from worktrial.language import JsonObject, TurnTokens
from worktrial.outside.files import open_file

TOKENS = "tokens.jsonl.zst"

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


def encoded(line: SampleTokens) -> bytes:
    """The frame of one line."""
    return packed(msgspec.json.encode(line) + b"\n")


def read_tokens(path: Path) -> Iterator[SampleTokens]:
    """Every line of the file in order; a torn last one is passed over.

    Raises:
        DataError: a line is damaged.
    """
    for line, _, _ in token_spans(path, SampleTokens):
        yield line


def token_spans(path: Path, kind: type[_T]) -> Iterator[tuple[_T, int, int]]:
    """Lines decoded as `kind`, each with the bytes at which its frame begins and ends."""
    if not path.exists():
        return
    decoder = msgspec.json.Decoder(kind)
    with open_file(path) as file:
        for frame in frames(file, path):
            yield _decoded(file, frame, decoder, path), frame.start, frame.end


def tokens_at(path: Path, place: int) -> SampleTokens:
    """The line whose frame begins at the byte `place`."""
    with open_file(path) as file:
        frame = next(frames(file, path, place))
        return _decoded(file, frame, msgspec.json.Decoder(SampleTokens), path)


def token_places(path: Path) -> dict[Key, int]:
    """Every sample to where its last line's frame begins."""
    return {line.key: place for line, place, _ in token_spans(path, SampleLine)}


def _decoded(file: IO[bytes], frame: Frame, decoder: msgspec.json.Decoder[_T], path: Path) -> _T:
    try:
        return decoder.decode(unpacked(file, path, frame))
    except (msgspec.MsgspecError, UnicodeDecodeError) as e:
        raise DataError(f"{path}, byte {frame.start}", f"damaged record: {e}", "Run the sample again") from None


def sample_tokens(key: Key, turns: Sequence[TurnTokens], tools: Sequence[JsonObject]) -> SampleTokens:
    """The line of one sample."""
    sample, repeat, condition = key
    return SampleTokens(sample=sample, repeat=repeat, condition=condition, turns=[*turns], tools=[*tools])
