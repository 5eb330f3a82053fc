"""The kit: write work by showing what is right once; everything else follows from it."""

from worktrial.workplaces.kit.desk import Day, Desk, Request
from worktrial.workplaces.kit.recording import Do, RecordedCall, Recording
from worktrial.workplaces.kit.right import (
    Asked,
    Minute,
    Right,
    Serial,
    Standing,
    Tell,
    act,
    asked_of,
    at_minute,
    figure,
    half,
    right,
    share,
    standing,
    tell,
)
from worktrial.workplaces.kit.workplace import Record, Refused, TaskShown, Workplace

__all__ = [
    "Asked",
    "Day",
    "Desk",
    "Do",
    "Minute",
    "Record",
    "RecordedCall",
    "Recording",
    "Refused",
    "Request",
    "Right",
    "Serial",
    "Standing",
    "TaskShown",
    "Tell",
    "Workplace",
    "act",
    "asked_of",
    "at_minute",
    "figure",
    "half",
    "right",
    "share",
    "standing",
    "tell",
]
