"""An emergency department on a winter evening."""
