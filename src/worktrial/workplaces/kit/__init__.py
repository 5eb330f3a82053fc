"""The kit: write work by showing what is right once; everything else follows from it."""

from worktrial.workplaces.kit.desk import Day, Desk, MatterRequest
from worktrial.workplaces.kit.recording import Do, Recording, ShownCall
from worktrial.workplaces.kit.right import (
    AnswerNeeded,
    Minute,
    Right,
    Serial,
    StandingFact,
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
    "AnswerNeeded",
    "Day",
    "Desk",
    "Do",
    "MatterRequest",
    "Minute",
    "Record",
    "Recording",
    "Refused",
    "Right",
    "Serial",
    "ShownCall",
    "StandingFact",
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
