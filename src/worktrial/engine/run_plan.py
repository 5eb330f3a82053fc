"""Plan of a run: the trial, who takes part, how it is carried out, and the manifest that follows from them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from worktrial.engine.batch.policy import BatchPolicy
from worktrial.engine.growth import asked_of, differences
from worktrial.engine.manifest import MANIFEST, Manifest, SessionRecord, read_manifest, utc_now, versions
from worktrial.engine.record import Key
from worktrial.engine.retry import RetryPolicy
from worktrial.engine.roles import RoleName, RoleSettings, public_url
from worktrial.engine.spend import Budget
from worktrial.engine.trial import ShardedTrial, Trial
from worktrial.language import JsonObject
from worktrial.secrets import Redactor


@dataclass(frozen=True, slots=True)
class RemoteRun:
    """Place of a run in an object store."""

    address: str
    """Spelled as `places.address_of` does."""
    take_over: bool = False
    """Whether to go on with a run, or shard, that another writer has not let go."""


@dataclass(frozen=True, kw_only=True)
class RunSettings:
    """Settings that say how a run is carried out; none of them can change a result."""

    folder: Path
    """Folder of the run; of one in an object store, the folder on this machine that it is written from."""
    remote: RemoteRun | None = None
    """Place in an object store that the run is brought to; None leaves it in the folder."""
    concurrency: int = 16
    """Samples in flight."""
    requests: int | None = None
    """Requests in flight, of all roles together; None leaves a little room beside one for each sample."""
    retry: RetryPolicy = field(default_factory=RetryPolicy)
    budget: Budget = field(default_factory=Budget)
    cache: Path | None = None
    cache_only: bool = False
    durable: bool = False
    """Whether each sample is on the disk before the next is stored; see `store.AT_RISK`."""
    batch: BatchPolicy | None = None
    """Patience with batches, where requests go through the providers' batch interfaces; None sends each alone."""
    only: frozenset[Key] | None = None
    """Samples that are run, of those that are open; None for all of them."""
    command: tuple[str, ...] = ()
    otlp: str | None = None
    """Address of a collector that is sent spans of every sample; None sends none."""
    trace_content: bool = False
    """Whether those hold messages, arguments and results."""

    @property
    def place(self) -> str:
        """Folder or address that the user named."""
        return str(self.folder) if self.remote is None else self.remote.address


@dataclass(frozen=True, slots=True)
class RunPlan:
    """One of the runs that are carried out side by side."""

    trial: Trial
    """Suite made ready to run."""
    roles: Mapping[RoleName, RoleSettings]
    """Models by the roles that they play."""
    settings: RunSettings
    """Way in which the run is carried out. Budget and concurrency are those of all runs together."""


def manifest_of(plan: RunPlan, redactor: Redactor) -> Manifest:
    """Manifest of a run that begins now, with one session."""
    trial, roles, settings = plan.trial, plan.roles, plan.settings
    session = SessionRecord(
        started=utc_now(),
        command=[redactor.text(word) for word in settings.command],
        endpoints={str(role): _address(s) for role, s in roles.items()},
        versions=versions(),
        asked=asked_of(trial),
    )
    shard = trial.shard if isinstance(trial, ShardedTrial) else None
    return Manifest(
        suite=trial.suite,
        data=trial.data,
        settings={**trial.settings, "roles": {str(role): _fingerprint(s) for role, s in roles.items()}},
        samples=len(trial.jobs),
        shard=shard,
        sessions=[session],
    )


def stored_like(plan: RunPlan, folder: Path) -> Manifest | None:
    """Manifest of the run in `folder`, where `plan` would go on with it or add to it; else None.

    Raises:
        SettingError: a role has no endpoint.
        DataError: the folder holds a run that cannot be read.
    """
    path = folder / MANIFEST
    if not path.exists():
        return None
    stored = read_manifest(path)
    roles = {role: settings.resolved() for role, settings in plan.roles.items()}
    wanted = manifest_of(RunPlan(plan.trial, roles, plan.settings), Redactor())
    return None if differences(stored, wanted) else stored


def _fingerprint(settings: RoleSettings) -> JsonObject:
    if not settings.is_local:
        return settings.fingerprint()
    # Imported here because most runs have no embedded model. What `local` means can change between sessions.
    from worktrial.engine.local.catalogue import resolve

    return {**settings.fingerprint(), "weights": resolve(settings.model).name}


def _address(settings: RoleSettings) -> str:
    return "local" if settings.is_local else public_url(settings.base_url or "")
