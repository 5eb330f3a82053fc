"""Estimate of the time that trials by the embedded model will take on this machine.

Assumptions, measured on two cores with the embedded runtime: a trial is eight steps of the agent; all three roles
together take 65 s with the 1.5B model and 50 s with the 0.5B model. A single slot serves all samples in turn, so
concurrency changes nothing. Times scale with the speed of the machine: half of a trial is reading prompts, which
gains from cores, half is writing, which is bound by memory and gains half as much. Trials differ a lot (an agent
that gives up early is quick, one that runs into its turn limit is slow): expect a factor of two either way.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from worktrial.engine.local.catalogue import CATALOGUE, resolve
from worktrial.engine.local.cores import physical_cores
from worktrial.errors import SettingError

# The part of a three-role trial that each role takes; the agent's was seen in starter trials, where it is alone.
# The synthesizer works once a workplace, not once a trial; counted as a whole trial's time.
_SHARE = {"agent": 0.55, "simulator": 0.3, "judge": 0.15, "synthesizer": 1.0}
_REFERENCE_CORES = 2
_CORES_THAT_HELP = 16


@dataclass(frozen=True, slots=True)
class Speed:
    """Tokens a second: of prompts read, of answers written."""

    reading: float
    writing: float


@dataclass(frozen=True, slots=True)
class _Measured:
    speed: Speed
    seconds: float
    """One trial, all three roles."""


_MEASURED = {
    "qwen2.5-coder-1.5b": _Measured(Speed(60, 14), 65),
    "qwen2.5-coder-0.5b": _Measured(Speed(130, 24), 50),
}


def estimate(samples: int, roles: Iterable[str], *, model: str | None = None, speed: Speed | None = None) -> float:
    """Seconds that `samples` trials will take.

    Args:
        samples: Trials to run.
        roles: Roles that the embedded model plays (`agent`, `simulator`, `judge`, `synthesizer`).
        model: A catalogue name; None means the one that `local` stands for. A file of the user's own counts as
            the largest model of the catalogue.
        speed: What this machine was seen to do; None guesses from its cores.
    """
    measured = _MEASURED.get(model or _local_name(), _MEASURED[CATALOGUE[0].name])
    share = sum(_SHARE[str(role)] for role in set(roles))
    here = speed or _guess(measured.speed)
    slowdown = 0.5 * measured.speed.reading / here.reading + 0.5 * measured.speed.writing / here.writing
    return samples * measured.seconds * share * slowdown


def estimate_text(
    samples: int, roles: Iterable[str], *, model: str | None = None, speed: Speed | None = None
) -> str:
    """The estimate as a sentence for the user."""
    seconds = estimate(samples, roles, model=model, speed=speed)
    return (
        f"The embedded model runs on this machine's processor: about {in_words(seconds)} in all. "
        "It shows how things work; its scores mean nothing about agents."
    )


def in_words(seconds: float) -> str:
    """A duration with the precision that an estimate has: `40 s`, `12 min`, `2 h 10 min`, `3 days 4 h`."""
    if seconds < 55:
        return f"{max(5, 5 * math.ceil(seconds / 5))} s"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"{minutes} min"
    if minutes < 24 * 60 - 5:
        tens = round(minutes / 10) * 10
        return _pair(tens // 60, "h", tens % 60, "min")
    hours = round(minutes / 60)
    return _pair(hours // 24, "day" if hours // 24 == 1 else "days", hours % 24, "h")


def _pair(large: int, large_unit: str, small: int, small_unit: str) -> str:
    return f"{large} {large_unit}" + (f" {small} {small_unit}" if small else "")


def _local_name() -> str:
    try:
        return resolve().name
    except SettingError:
        return CATALOGUE[0].name


def _guess(reference: Speed) -> Speed:
    gain = min(physical_cores(), _CORES_THAT_HELP) / _REFERENCE_CORES
    writing_gain = 1 + (gain - 1) / 2 if gain > 1 else gain
    return Speed(reference.reading * gain, reference.writing * writing_gain)
