"""Former place of what `worktrial.suites.settings` holds."""

from worktrial.suites.settings import (
    LOCAL_CONCURRENCY,
    LOCAL_RECORD,
    LOCAL_TURNS,
    USUAL_CONCURRENCY,
    USUAL_RECORD,
    USUAL_TURNS,
)

__all__ = ["LOCAL_CONCURRENCY", "LOCAL_RECORD", "LOCAL_TURNS", "USUAL_CONCURRENCY", "USUAL_RECORD", "USUAL_TURNS"]
