"""The wall between documents and this machine: where their parsers run, and what they are given."""

import os
import shutil
from pathlib import Path

from worktrial.errors import SettingError
from worktrial.sandbox.bubblewrap import SandboxUnavailable
from worktrial.sandbox.parsers import Needs, Wall, best_wall, why_no_sandbox

_TESSERACT_DATA = ("/usr/share/tesseract-ocr", "/usr/share/tessdata", "/usr/local/share/tessdata")
_APART = {"MALLOC_MMAP_THRESHOLD_": str(1 << 20)}
"""Pictures get blocks of their own, which go back to the system when freed. By itself the GNU C library takes to
keeping such blocks, up to 32 MB each, among the small ones, where they leave holes; others ignore the setting."""


def wall_for(unsafe: bool) -> Wall:
    """The best wall that there is for parsers.

    Args:
        unsafe: Go on without any where there is none.

    Raises:
        SettingError: There is none.
    """
    try:
        return best_wall()
    except SandboxUnavailable as none:
        if unsafe:
            return Wall.NONE
        raise SettingError(
            f"PDFs and pictures cannot be read behind a wall here: {none.why} To read documents that you trust "
            "without one, give --unsafe-parsers (unsafe_parsers=True)"
        ) from None


def notice_of(wall: Wall) -> str:
    """Limits of a wall that is not the best, in one line; blank for the best."""
    if wall is Wall.LANDLOCK:
        return (
            "Parsers of documents run without namespaces: they have no network, no keys and no files but the "
            f"documents and installed software, yet see which processes there are. {why_no_sandbox()}"
        )
    if wall is Wall.NONE:
        return (
            "Parsers of documents run with your rights, bounded in memory and without your environment: read only "
            "documents that you trust."
        )
    return ""


def needs_of(documents: Path) -> Needs:
    """All that our parsers need of this machine."""
    files = [*_TESSERACT_DATA, os.environ.get("TESSDATA_PREFIX", ""), shutil.which("tesseract") or ""]
    environment = {name: os.environ[name] for name in ("TESSDATA_PREFIX",) if name in os.environ}
    return Needs(documents, tuple(name for name in files if name), {**_APART, **environment})
