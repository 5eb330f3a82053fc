"""How an archive is built."""

import hashlib
import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple

from worktrial.archive.build.versions import reading_version
from worktrial.archive.pipeline import ocr_version
from worktrial.archive.producers import ReadSettings
from worktrial.archive.words import Route
from worktrial.errors import SettingError

Ocr = Literal["auto", "never", "force"]
_MODES = ("auto", "never", "force")


@dataclass(frozen=True, slots=True)
class BuildSettings:
    """What a build may use and how it reads."""

    workers: int = 0
    """Processes; 0 for one per core."""
    ocr: Ocr = "auto"
    page_seconds: float = 180.0
    """A page that takes longer is given up."""
    memory: int = 4_000_000_000
    """Bytes that one worker may allocate; a page that needs more crashes it and is given up."""
    tired: int = 2_500_000_000
    """Bytes allocated after which a worker is replaced: libraries for recognition keep what they once needed."""

    def __post_init__(self) -> None:
        """Refuse what makes no sense.

        Raises:
            SettingError: a value is out of range.
        """
        if self.ocr not in _MODES:
            raise SettingError(f"ocr {self.ocr!r}: must be one of {', '.join(_MODES)}")
        if not 0 <= self.workers <= 256:
            raise SettingError(f"workers {self.workers}: must be 1 to 256, or 0 for one per core")
        if self.page_seconds <= 0:
            raise SettingError(f"page_seconds {self.page_seconds:g}: must be more than 0")

    @property
    def processes(self) -> int:
        """Workers in number."""
        return self.workers or cores()

    @property
    def reading(self) -> ReadSettings:
        """What a worker needs to know."""
        # Workers share the cores: recognition with more threads than its share only waits.
        return ReadSettings(self.ocr, max(1, cores() // self.processes))

    @property
    def versions(self) -> "Versions":
        """What decides, with the content of the file, whether a page is still good."""
        plain = f"{reading_version()}/{self.ocr}"
        return Versions(plain, f"{plain}/{hashlib.sha256(ocr_version().encode()).hexdigest()[:8]}")


class Versions(NamedTuple):
    """Code and settings that pages are read with. Asked for once a build: workers are told."""

    plain: str
    """For documents whose pages all have usable characters."""
    recognised: str
    """For documents with scanned pages, which also depend on the recogniser."""

    def of(self, routes: Iterable[str]) -> str:
        """What pages read by these routes depend on."""
        scanned = any(route in (Route.OCR, Route.FAILED) for route in routes)
        return self.recognised if scanned else self.plain


def cores() -> int:
    """Processor cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
