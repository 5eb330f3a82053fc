"""Where a cell stands in an archive."""

from typing import NamedTuple

from worktrial.errors import DataError


class Address(NamedTuple):
    """A cell, written `document:page:tTABLE:rROW:cCOLUMN`, such as `bulletin_1941_01:15:t1:r5:c3`."""

    document: str
    page: int
    """1-based PDF page."""
    table: int
    """1-based, from top to bottom of the page."""
    row: int
    """0-based, header rows included."""
    column: int
    """0-based, label columns included."""

    def __str__(self) -> str:
        return f"{self.document}:{self.page}:t{self.table}:r{self.row}:c{self.column}"

    @classmethod
    def parse(cls, text: str) -> "Address":
        """Read what `str` writes; a document's name may hold colons.

        Raises:
            DataError: the text is no address.
        """
        parts = text.strip().rsplit(":", 4)
        if len(parts) == 5 and parts[0]:
            page = _number(parts[1], "", 1)
            table, row, column = (
                _number(part, letter, least)
                for part, letter, least in zip(parts[2:], "trc", (1, 0, 0), strict=True)
            )
            if page is not None and table is not None and row is not None and column is not None:
                return cls(parts[0], page, table, row, column)
        raise DataError(f"address {text!r}", "is not an address of a cell", "Write document:12:t1:r5:c3")


def _number(text: str, letter: str, least: int) -> int | None:
    digits = text.removeprefix(letter)
    if not text.startswith(letter) or not (digits.isascii() and digits.isdigit()) or len(digits) > 9:
        return None
    return int(digits) if int(digits) >= least else None
