"""What is known of a slot's face: `face.json`, beside `face.py` in the workplace's folder of the suite."""

import hashlib
from pathlib import Path

import msgspec

from worktrial.errors import DataError
from worktrial.suites.occupations.own import FACE, FACE_RECORD
from worktrial.synthesis.artifacts import Text
from worktrial.synthesis.face.agreement import Agreement
from worktrial.synthesis.files import write_text

FORMAT = 1


class FaceRecord(msgspec.Struct, kw_only=True, frozen=True):
    """Whether a workplace's tools also exist as code that can be taken for the truth, and why."""

    format: int = FORMAT
    slot: Text
    kept: bool
    why: str
    """In a sentence."""
    content: Text
    """Hash of the slot's workplace and task."""
    workplace: Text
    """Hash of the workplace alone: the face of another one is the truth of nothing."""
    settings: Text
    """Hash of the simulator, and of what else the comparison depends on."""
    hash: str = ""
    """SHA-256 of `face.py`; "" where there is none."""
    model: str = ""
    """Who wrote it; "" for a person."""
    simulator: str = ""
    """With whom it agrees."""
    notes: list[str] = []
    """Of its author."""
    agreement: Agreement | None = None
    """None where it was never compared."""


def source_hash(source: str) -> str:
    """SHA-256 of a face's text."""
    return hashlib.sha256(source.encode()).hexdigest()


def read_record(place: Path) -> FaceRecord | None:
    """The record in a workplace's folder; None where there is none.

    Raises:
        DataError: it cannot be read.
    """
    path = place / FACE_RECORD
    if not path.exists():
        return None
    try:
        return msgspec.json.decode(path.read_bytes(), type=FaceRecord)
    except OSError as e:
        raise DataError(path, f"cannot be read ({e.strerror})", "Check the file") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as e:
        raise DataError(path, str(e), f"Remove it; `worktrial synthesize -o {place.parents[1]} --faces`") from None


def read_source(place: Path) -> str | None:
    """The face in a workplace's folder; None where there is none.

    Raises:
        DataError: it cannot be read.
    """
    path = place / FACE
    try:
        # Bytes, because reading as text would change the ends of lines, and with them the hash.
        return path.read_bytes().decode() if path.exists() else None
    except OSError as e:
        raise DataError(path, f"cannot be read ({e.strerror})", "Check the file") from None
    except UnicodeDecodeError as e:
        raise DataError(path, f"is not UTF-8 ({e.reason})", "Save it as UTF-8") from None


def write_face(place: Path, record: FaceRecord, source: str | None) -> None:
    """Write both; the record first, so that a face without a record is a person's, and no kill makes it one.

    Raises:
        StopRun: something cannot be written.
    """
    write_text(place / FACE_RECORD, msgspec.json.format(msgspec.json.encode(record), indent=2).decode() + "\n")
    if source is not None:
        write_text(place / FACE, source)
    else:
        (place / FACE).unlink(missing_ok=True)
