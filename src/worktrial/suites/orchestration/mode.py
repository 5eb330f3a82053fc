"""The two ways in which plans and tool calls are scored."""

from enum import StrEnum


class Mode(StrEnum):
    """Which scores."""

    PUBLISHED = "published"
    """As the published evaluation computes them, its defects included."""
    SOUND = "sound"
    """Ours."""
