"""The kit: write work by showing what is right once; everything else follows from it."""

from worktrial.workplaces.kit.desk import Day, Desk, MatterRequest
from worktrial.workplaces.kit.recording import Do, Recording, ShownCall
from worktrial.workplaces.kit.right import (
    AnswerNeeded,
    DueStep,
    Minute,
    Right,
    Serial,
    StandingFact,
    Tell,
    act,
    asked_of,
    at_minute,
    before,
    brought_by,
    entry,
    figure,
    half,
    judged,
<<<<<<< HEAD
=======
    later,
>>>>>>> main
    right,
    share,
    standing,
    tell,
    way,
)
from worktrial.workplaces.kit.workplace import Record, Refused, TaskShown, Workplace

__all__ = [
    "AnswerNeeded",
    "Day",
    "Desk",
    "Do",
    "DueStep",
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
    "before",
    "brought_by",
    "entry",
    "figure",
    "half",
    "judged",
<<<<<<< HEAD
=======
    "later",
>>>>>>> main
    "right",
    "share",
    "standing",
    "tell",
    "way",
]
