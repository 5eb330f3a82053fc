"""What the status of a workflow or step says; plans spell the same thing in several ways."""

import re
from enum import StrEnum


class Said(StrEnum):
    """What a plan says of a workflow or step."""

    PENDING = "pending"  # to be done; also any status that says nothing known
    PAUSED = "paused"
    COMPLETED = "completed"
    CANCELED = "canceled"
    FAILED = "failed"


# The data has `cancelled`, `canceled`, `_x0008_cancelled` and `competed`; models add words of their own.
_PATTERNS = (
    (Said.CANCELED, re.compile("cancel|abort|abandon|dropped|skipped|replaced", re.IGNORECASE)),
    (Said.FAILED, re.compile("fail|error", re.IGNORECASE)),
    (Said.PAUSED, re.compile("pause|wait|on.?hold|suspend|interrupted", re.IGNORECASE)),
    (Said.COMPLETED, re.compile("^(?!in|un|not|partial).*(compl?ete|done|finished|success)", re.IGNORECASE)),
)


def said(status: str) -> Said:
    """The meaning of `status`."""
    return next((meaning for meaning, pattern in _PATTERNS if pattern.search(status)), Said.PENDING)
