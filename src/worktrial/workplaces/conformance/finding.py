"""What a check of one observation says."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Check(StrEnum):
    """What is asked of an observation."""

    FORMAT = "format"  # one JSON object
    SHAPE = "shape"  # fields within the shape of the tool's example output
    KNOWN_IDS = "known_ids"  # a read names only ids that state, task or earlier calls know
    WHOLE_LISTS = "whole_lists"  # a read without arguments lists no fewer records than the state holds
    CONSISTENT = "consistent"  # no contradiction with an earlier observation, unless something was written
    LICENSED_ERRORS = "licensed_errors"  # an error that the rules, or an unknown id, account for
    NO_LEAK = "no_leak"  # nothing of the hidden state, nothing of the simulator's own instructions


class Failure(StrEnum):
    """The ways in which a simulator fails its workplace."""

    STATE_FABRICATION = "state_fabrication"
    ENTITY_OMISSION = "entity_omission"
    RULE_INVENTION = "rule_invention"
    FORMAT_BREAK = "format_break"
    STATE_LEAK = "state_leak"


FAILURE_OF: Mapping[Check, Failure] = {
    Check.FORMAT: Failure.FORMAT_BREAK,
    Check.SHAPE: Failure.FORMAT_BREAK,
    Check.KNOWN_IDS: Failure.STATE_FABRICATION,
    Check.WHOLE_LISTS: Failure.ENTITY_OMISSION,
    Check.CONSISTENT: Failure.STATE_FABRICATION,
    Check.LICENSED_ERRORS: Failure.RULE_INVENTION,
    Check.NO_LEAK: Failure.STATE_LEAK,
}
"""What a failed check is a sign of."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One check of one observation. A check that has nothing to look at gives no finding."""

    check: Check
    call: int
    """The call's index in its trajectory."""
    evidence: tuple[str, ...] = ()
    """What is wrong, with the JSON Pointer where it stands; () when the check passed."""

    @property
    def passed(self) -> bool:
        """Whether nothing is wrong."""
        return not self.evidence
