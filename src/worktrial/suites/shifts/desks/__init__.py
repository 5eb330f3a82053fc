"""Desks that ship with the suite; each folder is one, and nothing else names it."""
