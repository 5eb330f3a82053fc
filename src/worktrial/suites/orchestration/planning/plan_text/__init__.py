"""Finding a plan in what a model wrote: the published way, and ours."""

from worktrial.suites.orchestration.planning.plan_text.published import (
    PublishedReading,
    published_plan,
    published_reading,
)
from worktrial.suites.orchestration.planning.plan_text.sound import sound_plan
from worktrial.suites.orchestration.planning.plan_text.typed import UNSTATED, NotAPlan, read_plan

__all__ = [
    "UNSTATED",
    "NotAPlan",
    "PublishedReading",
    "published_plan",
    "published_reading",
    "read_plan",
    "sound_plan",
]
