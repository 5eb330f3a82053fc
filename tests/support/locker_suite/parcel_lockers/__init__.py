"""A wall of parcel lockers."""
