"""Agents that are programs or services: each sample of theirs has a door of its own, at which it is served."""
