"""From the values that a user gave to the conditions of a run."""

from collections.abc import Mapping
from typing import Any

from worktrial.errors import SettingError
from worktrial.workplaces.faults import Conditions, FaultMode, FaultUnit

_MODES = ("E0", "E1", "E2", "E3")
_ALL = "all"
_PROMPTED = "prompted"


def fault_conditions(given: Mapping[str, Any]) -> Conditions:
    """The conditions that a user's values describe.

    Args:
        given: `faults`, `fault_count`, `fault_duration`, `fault_seed` and `fault_unit`, as on the command line;
            missing or None is not given.

    Raises:
        SettingError: a value cannot be read, or says something about faults where there are none.
    """
    names, prompted = _modes("E0" if given.get("faults") is None else given["faults"])
    if names == ["E0"]:
        _refuse_any(
            given, ("fault_count", "fault_duration", "fault_seed", "fault_unit"), "--faults E0 has no faults"
        )
        if prompted:
            raise SettingError("--faults prompted,E0: E0 has no faults that a prompt could ask for")
    if prompted:
        _refuse_any(given, ("fault_seed",), "--faults prompted: a request in a prompt has no seed")
    return Conditions.sweep(
        [FaultMode(name) for name in names],
        _numbers("--fault-count", given.get("fault_count")),
        _numbers("--fault-duration", given.get("fault_duration")),
        seed=given.get("fault_seed") or 0,
        unit=FaultUnit(given.get("fault_unit") or FaultUnit.CALL),
        prompted=prompted,
    )


def _modes(text: str) -> tuple[list[str], bool]:
    words = [word.strip() for word in text.split(",") if word.strip()]
    modes: dict[str, None] = {}
    for word in words:
        if word.lower() in (_ALL, _PROMPTED):
            continue
        if word.upper() not in _MODES:
            raise SettingError(f"--faults {text}: {word!r} is none of {', '.join(_MODES)}, {_ALL}, {_PROMPTED}")
        modes[word.upper()] = None
    lower = [word.lower() for word in words]
    if not words:
        raise SettingError(f"--faults: names no mode; choose from {', '.join(_MODES)}, {_ALL}, {_PROMPTED}")
    return ([*modes] if modes and _ALL not in lower else [*_MODES]), _PROMPTED in lower


def _numbers(flag: str, text: str | None) -> list[int]:
    if text is None:
        return [2]
    try:
        numbers = [int(part) for part in text.split(",")]
    except ValueError:
        raise SettingError(f"{flag} {text!r}: write a whole number, or several as 1,2,4") from None
    if min(numbers) < 1:
        raise SettingError(f"{flag} {text}: must be at least 1; for no faults use --faults E0")
    return list(dict.fromkeys(numbers))


def _refuse_any(given: Mapping[str, Any], names: tuple[str, ...], why: str) -> None:
    for name in names:
        if given.get(name) is not None:
            raise SettingError(f"--{name.replace('_', '-')}: {why}")
