"""Corrections as files hold them, and how they are applied."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

import msgspec

from worktrial.errors import DataError
from worktrial.outside.yaml_nodes import BadYaml
from worktrial.outside.yaml_text import load_yaml
from worktrial.suites.orchestration.planning.corrections.operations import (
    ChangeAgent,
    ChangeWorkflow,
    DoesNotFit,
    DropRepeats,
    LeaveOut,
    Operation,
    RenameKeys,
    ReplaceText,
    SupplyCall,
    Unlist,
    WriteRefusal,
)
from worktrial.suites.orchestration.planning.scenario import Language, RefusalType, StepRecord


@dataclass(frozen=True, slots=True)
class Correction:
    """One change to one step of a scenario."""

    scenario: str
    """`Scenario.id`."""
    step: int
    """`ScenarioStep.id`."""
    reason: str
    operation: Operation


class _Entry(msgspec.Struct, forbid_unknown_fields=True):
    """One correction in an overlay: where, why, and exactly one operation by its name."""

    scenario: int
    step: int
    why: str
    replace: ReplaceText | None = None
    agent: ChangeAgent | None = None
    workflow: ChangeWorkflow | None = None
    rename_keys: dict[str, str] | None = None
    unlist: bool = False
    drop_repeats: bool = False
    refusal: RefusalType | None = None
    call: SupplyCall | None = None
    leave_out: LeaveOut | None = None

    def operations(self) -> list[Operation]:
        """Operations that the entry names."""
        built: list[Operation | None] = [
            self.replace,
            self.agent,
            self.workflow,
            RenameKeys(self.rename_keys) if self.rename_keys else None,
            Unlist() if self.unlist else None,
            DropRepeats() if self.drop_repeats else None,
            WriteRefusal(self.refusal) if self.refusal else None,
            self.call,
            self.leave_out,
        ]
        return [operation for operation in built if operation is not None]


def overlay_bytes(language: Language) -> bytes:
    """The overlay's file, for a fingerprint of what was applied."""
    return _overlay(language).read_bytes()


@cache
def corrections_for(language: Language) -> Mapping[str, Sequence[Correction]]:
    """The corrections of a language by `Scenario.id`, in the order in which to apply them."""
    return read_overlay(overlay_bytes(language).decode(), where=str(_overlay(language)))


def read_overlay(text: str, *, where: str) -> dict[str, list[Correction]]:
    """The corrections in the YAML of an overlay, by `Scenario.id`.

    Raises:
        DataError: it is no YAML, or an entry is not a place, a reason and one operation.
    """
    try:
        yaml = load_yaml(text, where=where)
        entries = msgspec.convert(yaml.value, list[_Entry])
    except BadYaml as e:
        raise DataError(where, e.why, "Mend the YAML") from None
    except msgspec.ValidationError as e:
        raise DataError(where, str(e), "An entry has scenario, step, why and one operation") from None
    if yaml.duplicates:
        raise DataError(where, f"{yaml.duplicates[0]} is there twice", "Keep one")
    found: dict[str, list[Correction]] = {}
    for n, entry in enumerate(entries):
        operations = entry.operations()
        if len(operations) != 1:
            raise DataError(where, f"entry {n + 1} has {len(operations)} operations", "Give each entry exactly one")
        corrections = found.setdefault(str(entry.scenario), [])
        corrections.append(Correction(str(entry.scenario), entry.step, entry.why, operations[0]))
    return found


def _overlay(language: Language) -> Traversable:
    return files("worktrial.suites.orchestration.planning.corrections") / f"{language.lower()}.yaml"


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
            misfits.append((step, f"there is no such step ({own[0].reason})"))
            continue
        record = steps[step]
        try:
            for correction in own:
                record = correction.operation(record)
                if record.left_out:
                    record = replace(record, left_out=correction.reason)
        except DoesNotFit as e:
            misfits.append((step, f"{e} ({correction.reason})"))
            continue
        steps[step] = record
        applied += [f"{step}: {correction.reason}" for correction in own]
    return Corrected(tuple(steps.values()), tuple(applied), tuple(misfits))
