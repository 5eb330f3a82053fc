"""Where a free-running trial ends though it is not finished."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from worktrial.agents.assignment import Limits
from worktrial.suites.orchestration.free.log import Log
from worktrial.workplaces import StopReason


@dataclass(slots=True)
class Budget:
    """Counts the requests of a scenario, and knows when the work has to end."""

    limits: Limits
    """`turns` counts the answers of the planner and of all domain agents together."""
    log: Log
    tokens: Callable[[], int] = lambda: 0
    """What planner and domain agents have consumed so far."""
    cost: Callable[[], float] = lambda: 0.0
    _started: float = field(default_factory=time.monotonic)

    def take(self) -> bool:
        """Book one request; False when a limit is hit and there must be none."""
        if self.is_spent():
            return False
        self.log.requests += 1
        return True

    def is_spent(self) -> bool:
        """Whether a limit is hit; the log then has the reason."""
        limits, log = self.limits, self.log
        if limits.turns is not None and log.requests >= limits.turns:
            log.stop_reason = StopReason.TURN_LIMIT
        elif limits.tokens is not None and self.tokens() >= limits.tokens:
            log.stop_reason = StopReason.TOKEN_LIMIT
        elif limits.seconds is not None and time.monotonic() - self._started >= limits.seconds:
            log.stop_reason = StopReason.TIME_LIMIT
        elif limits.cost is not None and self.cost() >= limits.cost:
            log.stop_reason = StopReason.COST_LIMIT
        else:
            return False
        return True
