"""Where a session stops for a person to look: after drafts, and after runs and repairs.

What was shown is on record, so that the next session goes on.
"""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from worktrial.synthesis.files import hash_of, write_text
from worktrial.synthesis.folder import SuiteFolder
from worktrial.synthesis.pipeline import SlotEnd
from worktrial.synthesis.provenance import Ledger


class _Shown(msgspec.Struct, kw_only=True):
    """`work/review/shown.json`: hash by file, and content by slot."""

    drafts: dict[str, str] = {}
    ends: dict[str, str] = {}


class Stops:
    """Knows what a person has been shown."""

    def __init__(self, folder: SuiteFolder) -> None:
        self._folder = folder
        self._path: Path = folder.review / "shown.json"
        self._shown = msgspec.json.decode(self._path.read_bytes(), type=_Shown) if self._path.exists() else _Shown()

    def has_new_drafts(self, ends: Sequence[SlotEnd], ledger: Ledger) -> bool:
        """Whether some draft was written by its author since the last stop; a person's edits, and repairs, are
        no reason to stop again."""
        new = {}
        for end in ends:
            for path in (self._folder.workplace(end.slot), self._folder.task(end.slot)):
                record = ledger.last(path)
                if record is not None and not record.edited and not record.repair:
                    new[record.file] = record.hash
        unseen = new.items() - self._shown.drafts.items()
        self._shown.drafts |= new
        return bool(unseen)

    def has_new_ends(self, ends: Sequence[SlotEnd]) -> bool:
        """Whether some slot came to another end than was shown."""
        new = {
            end.slot.id: hash_of([end.calibration.content, end.calibration.verdict])
            for end in ends
            if end.calibration is not None
        }
        unseen = new.items() - self._shown.ends.items()
        self._shown.ends |= new
        return bool(unseen)

    def save(self) -> None:
        """Put on record what has been shown now."""
        write_text(self._path, msgspec.json.encode(self._shown).decode())
