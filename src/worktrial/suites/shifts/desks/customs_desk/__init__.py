"""Customs desk: a port agent's entries, releases and inspections on the day that a ship is in."""
