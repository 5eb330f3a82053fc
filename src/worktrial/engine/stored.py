"""A run folder opened for reading."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from worktrial.engine.manifest import MANIFEST, Manifest, read_manifest
from worktrial.engine.record import CLEAN, SampleRecord, projected
from worktrial.engine.records import SAMPLES, Records, WorkReader
from worktrial.errors import DataError, option
from worktrial.language import JsonObject

_NAMED = 4  # runs in an error


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A run as it lies on disk, finished or not."""

    folder: Path
    manifest: Manifest
    records: list[SampleRecord]
    """The last record of every sample, in the order in which these were written."""

    @property
    def missing(self) -> int:
        """Samples that have not finished yet."""
        return max(0, self.manifest.samples - len(self.records))


def manifest_in(folder: Path) -> Manifest:
    """The manifest of the run in `folder`.

    Raises:
        DataError: there is no such folder, or it holds no run, or several.
    """
    if not folder.is_dir():
        raise DataError(folder, "no such folder", "Name the folder that `worktrial run -o` wrote")
    if not (folder / MANIFEST).exists() and (inside := _runs_in(folder.iterdir())):
        names = ", ".join(run.name for run in inside[:_NAMED])
        more = f" and {len(inside) - _NAMED} more" if len(inside) > _NAMED else ""
        what = f"is no run itself, and holds the runs {names}{more}"
        raise DataError(folder, what, f"Name one, such as {inside[0]}; `worktrial report` and `view` take all")
    return read_manifest(folder / MANIFEST)


def runs_below(place: Path) -> list[Path]:
    """Run folders at or below a place, by name."""
    if (place / MANIFEST).exists():
        return [place]
    return _runs_in(path.parent for path in place.rglob(MANIFEST))


def _runs_in(folders: Iterable[Path]) -> list[Path]:
    # Archives have manifests, too; only runs have samples.
    return sorted(folder for folder in folders if (folder / MANIFEST).exists() and (folder / SAMPLES).exists())


_GROUNDS = {"votes", "checks", "fault_ledger", "fault_misses", "simulation"}
_FIGURES = {*SampleRecord.__struct_fields__} - _GROUNDS


def open_run(folder: Path, *, grounds: bool = True) -> StoredRun:
    """The run in `folder`.

    Args:
        folder: Where it was stored.
        grounds: Whether to read what verdicts and fault metrics rest on (`votes`, `checks`, `fault_ledger`,
            `fault_misses`, `simulation`). Without it these are empty, and a large run takes half the memory.

    Raises:
        DataError: there is no such folder, it holds no run, or a record is damaged.
    """
    manifest = manifest_in(folder)
    kind = SampleRecord if grounds else projected(_FIGURES)
    return StoredRun(folder, manifest, Records(folder, kind).listed())


def model_of(manifest: Manifest, role: str) -> str | None:
    """Model in a role; where several share it, all of them with commas; None where nobody plays it."""
    roles = manifest.roles
    names = [name for name in roles if name == role or name.startswith(f"{role}-")]
    return ", ".join(str(roles[name].get("model", "?")) for name in names) or None


def agent_of(manifest: Manifest) -> str | None:
    """Agent of a run: its model, or the name of the plan or callable; None in an audit."""
    named = manifest.settings.get("agent")
    return str(named) if named else model_of(manifest, "agent")


def name_of(run: Path, manifest: Manifest) -> str:
    """Name of a run for people: its agent; of an audit the model that is audited; else that of its folder."""
    found = (agent_of(manifest), model_of(manifest, "simulator"), model_of(manifest, "judge"))
    return next(filter(None, found), run.name)


def trajectory(
    folder: Path, sample: str, repeat: int, condition: str = CLEAN, record: SampleRecord | None = None
) -> JsonObject:
    """The trajectory of one sample.

    Args:
        folder: The run's folder.
        sample: The task's id.
        repeat: 0-based.
        condition: Under which faults.
        record: The sample's record, where it is at hand; else it is looked for among all.

    Raises:
        DataError: there is none.
    """
    key, known = (sample, repeat, condition), dict[tuple[str, str], None]()
    if record is None:
        for one in Records(folder, projected(("work",))):
            record = one if one.key == key else record
            known[one.sample, one.condition] = None
    if record is not None and record.work is not None:
        with WorkReader(folder, JsonObject) as work:
            return work.at(record.work)
    what = f"no trajectory of sample {sample!r}, repeat {repeat}, condition {condition}"
    if record is not None:
        raise DataError(folder, what, f"The sample did not get so far: {record.reason}")
    elsewhere = [under for name, under in known if name == sample]
    if elsewhere and condition not in elsewhere:
        raise DataError(folder, what, f"It ran under {', '.join(elsewhere)}: choose one with {option('condition')}")
    names = list(dict.fromkeys(name for name, _ in known))
    some = ", ".join(names[:12])
    raise DataError(folder, what, f"There is: {some or 'none'}" + (", …" if len(names) > 12 else ""))
