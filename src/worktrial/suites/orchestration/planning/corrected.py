"""Corrections of gold steps: how the shipped ones (`corrections/*.yaml`) are read and applied."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Literal

import msgspec

from worktrial.errors import DataError
from worktrial.outside.yaml_nodes import BadYaml
from worktrial.outside.yaml_text import load_yaml
from worktrial.suites.orchestration.planning.scenario import Language, StepRecord

_SHIPPED = Path(__file__).with_name("corrections")


class Correction(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One change to one step of a scenario."""

    scenario: int
    step: int
    """`ScenarioStep.id`."""
    why: str
    find: str
    """Regular expression; `^` is the beginning of a line."""
    put: str = ""
    """Text in its place, with the groups of `find` as `\\1`."""
    times: int = 1
    """Number of places at which it has to be found; 0 for any but none."""
    field: Literal["text", "agent", "workflow"] = "text"
    leave_out: bool = False
    """Ask no model for the step, and leave it as it is."""


def overlay_bytes(language: Language) -> bytes:
    """The overlay's file, for a fingerprint of what was applied."""
    return (_SHIPPED / f"{language.lower()}.yaml").read_bytes()


@cache
def corrections_for(language: Language) -> Mapping[str, Sequence[Correction]]:
    """The corrections of a language by `Scenario.id`, in the order in which to apply them."""
    return read_overlay(overlay_bytes(language).decode(), where=f"{_SHIPPED.name}/{language.lower()}.yaml")


def read_overlay(text: str, *, where: str) -> dict[str, list[Correction]]:
    """The corrections in the YAML of an overlay, by `Scenario.id`.

    Raises:
        DataError: it is no YAML, or an entry is no correction.
    """
    try:
        yaml = load_yaml(text, where=where)
        entries = msgspec.convert(yaml.value, list[Correction])
    except BadYaml as e:
        raise DataError(where, e.why, "Mend the YAML") from None
    except msgspec.ValidationError as e:
        raise DataError(where, str(e), "An entry has scenario, step, why, find and put, or leave_out") from None
    if yaml.duplicates:
        raise DataError(where, f"{yaml.duplicates[0]} is there twice", "Keep one")
    found: dict[str, list[Correction]] = {}
    for entry in entries:
        found.setdefault(str(entry.scenario), []).append(entry)
    return found


@dataclass(frozen=True, slots=True)
class Corrected:
    """Steps after their corrections."""

    records: tuple[StepRecord, ...]
    applied: tuple[str, ...] = ()
    """Corrections that were made, each as `STEP: REASON`."""
    misfits: tuple[tuple[int, str], ...] = ()
    """Corrections that do not fit this data, each as (step, why); their steps are as they were."""


def correct(records: Sequence[StepRecord], corrections: Sequence[Correction]) -> Corrected:
    """`records` with `corrections` applied, in the order given.

    A step takes all of its corrections or none, so that it is never half mended.
    """
    steps = {record.id: record for record in records}
    applied: list[str] = []
    misfits: list[tuple[int, str]] = []
    for step in dict.fromkeys(correction.step for correction in corrections):
        own = [correction for correction in corrections if correction.step == step]
        if step not in steps:
            misfits.append((step, f"there is no such step ({own[0].why})"))
            continue
        record = steps[step]
        for correction in own:
            written = getattr(record, correction.field) or ""
            changed, found = re.subn(correction.find, correction.put, written, flags=re.MULTILINE)
            if not found or found != (correction.times or found):
                wanted = correction.times or "once or more"
                told = f"{correction.find!r} is there {found} times, not {wanted} ({correction.why})"
                misfits.append((step, told))
                break
            change: dict[str, Any] = (
                {"left_out": correction.why} if correction.leave_out else {correction.field: changed}
            )
            record = replace(record, **change)
        else:
            steps[step] = record
            applied += [f"{step}: {correction.why}" for correction in own]
    return Corrected(tuple(steps.values()), tuple(applied), tuple(misfits))
