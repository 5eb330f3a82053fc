"""The common part of documents that commands print with `--json`.

A document names its command and the number of the format; the number grows when a field goes away or changes its
meaning, and stays when one is added.
"""

import msgspec

from worktrial.version import __version__

FORMAT = 4


class MachineOutput(msgspec.Struct, kw_only=True, frozen=True, tag_field="command"):
    """Common part of all documents. Shares lie between 0 and 1, money is in US dollars, time in seconds."""

    format: int = FORMAT
    """Number of the format."""
    worktrial: str = __version__
    """Version of Worktrial that made the document."""

    def text(self) -> str:
        """The document as indented JSON."""
        return msgspec.json.format(msgspec.json.encode(self), indent=2).decode()
