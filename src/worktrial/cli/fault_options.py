"""The options that put a run under faults."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from worktrial.cli.option_table import Option
from worktrial.errors import SettingError

_FAULTS = "Faults"
_MODES = ("E0", "E1", "E2", "E3")
_ALL = "all"
_PROMPTED = "prompted"


class Unit(StrEnum):
    """What fault events are counted in."""

    CALL = "call"
    TURN = "turn"


def fault_options() -> list[Option]:
    """What goes wrong on purpose, how often, how long."""
    return [
        Option(
            "--faults",
            str,
            "E0 none; E1 calls that fail with an error; E2 answers that silently lack or lag; E3 half and half; "
            "all; or several, as E0,E2: each runs every task. prompted: ask the simulator's model to degrade "
            "(alone: all modes; or with modes, as prompted,E2).",
            "E0",
            _FAULTS,
            metavar="MODES",
        ),
        Option(
            "--fault-count", str | None, "Events of a sample; 1,2,4 sweeps. Default: 2.", None, _FAULTS, metavar="N"
        ),
        Option(
            "--fault-duration",
            str | None,
            "Calls in a row that an event lasts; 1,2,4 sweeps. Default: 2.",
            None,
            _FAULTS,
            metavar="N",
        ),
        Option("--fault-seed", int | None, "Draws another schedule. Default: 0.", None, _FAULTS),
        Option("--fault-unit", Unit | None, "call, or turn: all calls of a message. Default: call.", None, _FAULTS),
    ]


def fault_conditions(given: Mapping[str, Any]) -> Any:
    """The `Conditions` of the command line's values.

    Raises:
        SettingError: a value cannot be read, or says something about faults where there are none.
    """
    from worktrial.workplaces.faults import Conditions, FaultMode, FaultUnit

    names, prompted = _modes(given["faults"])
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
        _numbers("--fault-count", given["fault_count"]),
        _numbers("--fault-duration", given["fault_duration"]),
        seed=given["fault_seed"] or 0,
        unit=FaultUnit((given["fault_unit"] or Unit.CALL).value),
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
        if given[name] is not None:
            raise SettingError(f"--{name.replace('_', '-')}: {why}")
