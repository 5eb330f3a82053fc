"""Signs of life of a run: a small file beside its records that says what it is doing now, and one that ends it."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import msgspec

from worktrial.engine.interruption import Interrupted
from worktrial.engine.lines import replace_file
from worktrial.engine.manifest import utc_now
from worktrial.engine.retry import ProviderTrouble
from worktrial.errors import DataError
from worktrial.outside.files import MOST_BYTES, open_file
from worktrial.secrets import Redactor

if TYPE_CHECKING:
    from worktrial.engine.record import Key
    from worktrial.engine.trial import SampleContext

HEARTBEAT = "heartbeat.json"
"""File of a run that is there while somebody works on it: see `Heartbeat`."""
STOP = "stop"
"""File that asks whoever works on a run to end it as Ctrl-C does."""
BEAT_SECONDS = 1.0
SILENCE = 15.0
"""Seconds without a sign of life after which a run counts as killed."""
_NAMED = 100
"""Samples in flight that are named; the others are counted."""


class RunningSample(msgspec.Struct, kw_only=True, frozen=True):
    """One sample in flight."""

    sample: str
    repeat: int
    condition: str
    seconds: float
    """Seconds since its work began."""
    requests: int
    """Requests answered so far, of all roles."""
    tokens: int
    """Tokens so far, in and out, of all roles."""


class Heartbeat(msgspec.Struct, kw_only=True, frozen=True):
    """`heartbeat.json`."""

    written: str
    """Time of the last sign of life, ISO 8601 in UTC."""
    in_flight: int
    """Samples in flight."""
    samples: list[RunningSample] = []
    """The longest of them, the longest first."""
    retries: int = 0
    """Requests that were sent again in this session."""
    troubles: list[ProviderTrouble] = []
    """The last of them, the newest last."""

    def is_alive(self, now: datetime) -> bool:
        """Whether it is young enough for its run to be going on."""
        return (now - datetime.fromisoformat(self.written)).total_seconds() <= SILENCE


def read_heartbeat(folder: Path) -> Heartbeat | None:
    """The last sign of life of the run in `folder`; None where there is none that can be read."""
    try:
        with open_file(folder / HEARTBEAT) as file:
            beat = msgspec.json.decode(file.read(MOST_BYTES), type=Heartbeat)
        datetime.fromisoformat(beat.written).utctimetuple()
    except (OSError, DataError, msgspec.MsgspecError, ValueError):
        return None
    return beat


def ask_to_stop(folder: Path) -> None:
    """Ask whoever works on the run in `folder` to end it, as Ctrl-C does.

    Raises:
        OSError: the folder cannot be written.
    """
    (folder / STOP).write_text(utc_now() + "\n", "utf-8")


class Troubled(Protocol):
    """A client of one role, as far as its troubles go."""

    @property
    def retries(self) -> int:
        """Requests that were sent again."""
        ...

    @property
    def troubles(self) -> Iterable[ProviderTrouble]:
        """The last reasons for that."""
        ...


@dataclass(frozen=True, slots=True)
class Pulse:
    """Everything that one run shows of its work."""

    folder: Path
    running: "Mapping[Key, SampleContext]"
    clients: Iterable[Troubled]
    redactor: Redactor

    def beat(self) -> Heartbeat:
        """The present state."""
        # Lists are taken first: a display asks from another thread.
        now = time.perf_counter()
        longest = sorted(self.running.values(), key=lambda one: one.started)[:_NAMED]
        troubles = sorted((one for client in self.clients for one in list(client.troubles)), key=lambda one: one.at)
        return Heartbeat(
            written=utc_now(),
            in_flight=len(self.running),
            samples=[
                RunningSample(
                    sample=one.job.sample,
                    repeat=one.job.repeat,
                    condition=one.job.condition,
                    seconds=round(now - one.started, 1),
                    requests=sum(usage.requests for usage in list(one.meter.usage.values())),
                    tokens=sum(usage.tokens for usage in list(one.meter.usage.values())),
                )
                for one in longest
            ],
            retries=sum(client.retries for client in self.clients),
            troubles=troubles[-5:],
        )

    def write(self) -> None:
        """Write the present state in the place of the last."""
        # A disk that fails is told where samples are stored.
        with contextlib.suppress(OSError):
            replace_file(self.folder / HEARTBEAT, self.redactor.bytes(msgspec.json.encode(self.beat())) + b"\n")

    @property
    def is_asked_to_stop(self) -> bool:
        """Whether somebody has asked for the run's end."""
        return (self.folder / STOP).exists()

    def clear(self) -> None:
        """Remove both files."""
        for name in (HEARTBEAT, f"{HEARTBEAT}.tmp", STOP):
            with contextlib.suppress(OSError):
                (self.folder / name).unlink()


@contextlib.asynccontextmanager
async def beating(pulses: Sequence[Pulse]) -> AsyncIterator[None]:
    """Show the runs' work once a second for as long as the block lasts; the block ends where somebody asks for it.

    Raises:
        Interrupted: a file `stop` lay in the folder of one of the runs.
    """
    work = asyncio.current_task()
    assert work is not None
    asked = False

    async def beat() -> None:
        nonlocal asked
        while not asked:
            # First: what is over within a second need not be shown.
            await asyncio.sleep(BEAT_SECONDS)
            for pulse in pulses:
                pulse.write()
            asked = any(pulse.is_asked_to_stop for pulse in pulses)
        work.cancel()

    for pulse in pulses:
        # Left by a session that was killed.
        pulse.clear()
    beater = asyncio.create_task(beat())
    try:
        yield
    except asyncio.CancelledError:
        if asked and not work.uncancel():
            raise Interrupted("interrupted: somebody asked for its end") from None
        raise
    finally:
        beater.cancel()
        for pulse in pulses:
            pulse.clear()
