"""The planning desk of a plant with three filling lines."""
