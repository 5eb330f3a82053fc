"""Names for what can go wrong on purpose."""

from enum import StrEnum


class FaultMode(StrEnum):
    """How observations are degraded (the four conditions of OccuBench)."""

    E0 = "E0"  # not at all
    E1 = "E1"  # explicitly: the call fails and says so
    E2 = "E2"  # implicitly: the call succeeds with less, or older, data than it should have
    E3 = "E3"  # half of the events explicit, half implicit


class FaultKind(StrEnum):
    """What one fault does."""

    HTTP_500 = "http_500"
    TIMEOUT = "timeout"
    CONNECTION_REFUSED = "connection_refused"
    UNAVAILABLE = "unavailable"
    FIELDS_DROPPED = "fields_dropped"
    LIST_CUT = "list_cut"
    VALUES_EMPTIED = "values_emptied"
    STALE = "stale"


class FaultUnit(StrEnum):
    """What an event's position and length are counted in."""

    CALL = "call"
    TURN = "turn"  # an assistant message; all calls that it makes are degraded


EXPLICIT = (FaultKind.HTTP_500, FaultKind.TIMEOUT, FaultKind.CONNECTION_REFUSED, FaultKind.UNAVAILABLE)
IMPLICIT = (FaultKind.FIELDS_DROPPED, FaultKind.LIST_CUT, FaultKind.VALUES_EMPTIED, FaultKind.STALE)
