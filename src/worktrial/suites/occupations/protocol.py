"""The published way to run OccuBench, as far as its paper and reference code tell it.

Source: arXiv 2604.10866v2 and the repository that it names. `docs/explanation/published-protocol.md` has the
differences that are left.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, TypeVar

from worktrial.errors import SettingError, option
from worktrial.suites.simulated import SimulatedOptions

_SETTLED: Mapping[str, tuple[Any, str]] = MappingProxyType(
    {
        "memory": ("history", "its simulator sees all calls and observations so far"),
        "simulator_prompt": ("full", "its simulator is told the workplace's whole rules"),
        "max_turns": (200, "its agents have 200 turns"),
        "votes": (3, "three votes decide"),
        "parallel_votes": (True, "all three votes are always cast"),
        "judge_method": ("votes", "three votes decide"),
    }
)
_NOT_THERE = ("fault_seed", "fault_unit")
_CLEAN = "E0"
_PROMPTED = "prompted"

_Chosen = TypeVar("_Chosen", bound=SimulatedOptions)


def as_published(options: _Chosen) -> _Chosen:
    """`options` with what the published protocol settles; its faults are those that a simulator is asked for.

    Raises:
        SettingError: the user chose something else of what it settles.
    """
    flag = f"{option('protocol')} published"
    for name, (value, why) in _SETTLED.items():
        if name in options.model_fields_set and getattr(options, name) != value:
            raise SettingError(
                f"{option(name)} {getattr(options, name)}: {flag} says otherwise ({why}). Leave it out"
            )
    for name in _NOT_THERE:
        if name in options.model_fields_set:
            raise SettingError(
                f"{option(name)}: faults of {flag} are asked for in a prompt and have none. Leave it out"
            )
    words = [word.strip() for word in options.faults.split(",")]
    faults = options.faults
    if _PROMPTED not in words and words != [_CLEAN]:
        faults = ",".join([_PROMPTED, *words])
    settled = {name: value for name, (value, _) in _SETTLED.items()}
    return options.model_copy(update={**settled, "faults": faults})
