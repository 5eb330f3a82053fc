"""The options that put a run under faults."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from worktrial.cli.option_table import Option

_FAULTS = "Faults"


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
    from worktrial.suites.fault_values import fault_conditions

    return fault_conditions(given)
