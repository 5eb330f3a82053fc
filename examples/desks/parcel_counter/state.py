"""Records of the counter."""

from typing import Literal

import msgspec

import worktrial as wt
from worktrial.workplaces.desk import DeskState

Status = Literal["at_counter", "booked", "handed_over", "returned"]


class Parcel(msgspec.Struct, kw_only=True):
    id: str
    recipient: str
    goods: Literal["ordinary", "medical"]
    arrived: str
    """Date, ISO 8601."""
    status: Status = "at_counter"
    authorised: str | None = None
    """Person who may collect it beside the recipient; named on the signed card."""
    redelivery: str | None = None
    """Van round on which it goes out."""
    done: wt.Minute | None = None
    """Minute of the act that settled it."""


class Round(msgspec.Struct, kw_only=True):
    id: str
    leaves: str
    """Time of day."""
    places: int


class State(DeskState, kw_only=True):
    parcels: dict[str, Parcel]
    rounds: dict[str, Round]
