"""Choices between few, named alike on the command line and in manifests."""

from typing import Literal

Gold = Literal["released", "corrected"]
"""Gold steps as released, or with the corrections that Worktrial ships."""

Cards = Literal["full", "compact"]
"""How much of the agents' cards the planner is shown: `compact` names skills without describing them."""
