"""State of the lockers."""

from msgspec import Struct


class Locker(Struct):
    litres: int
    parcel_id: str | None = None


class State(Struct):
    clock: str
    lockers: dict[str, Locker]
    parcels: dict[str, int]
