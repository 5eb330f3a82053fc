"""What a run folder says: its records with their work, and its figures."""

from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace
from tests.support.cli import command

from worktrial.engine.record import SampleRecord
from worktrial.engine.records import Records, WorkReader
from worktrial.statistics import Estimand


def work(folder: Path) -> dict[Any, Any]:
    """The last record of every sample, wherever its work lies, and its trajectory."""
    with WorkReader(folder, dict[str, Any]) as lines:
        return {
            record.key: (
                replace(record, work=None),
                None if record.work is None else lines.at(record.work),
            )
            for record in Records(folder, SampleRecord)
        }


def figures_shown(run: Path, condition: str) -> list[dict[str, Any]]:
    """What `show` says of all samples under a condition, as every export says it."""
    found = msgspec.json.decode(command("show", run, "--json").out)["figures"]
    asked = {"condition": condition, "group": "", "estimand": Estimand.WORK}
    return [one for one in found if {name: one[name] for name in asked} == asked]
