"""Doing one sample so that its defects stay its own, and telling them from an endpoint that is gone."""

import asyncio
from collections.abc import Awaitable, Callable

from worktrial.engine.record import SampleResult
from worktrial.errors import InvalidReason, InvalidSample, SettingError, StopRun
from worktrial.grading import Outcome

# So many in a row without an answer are an outage, not bad luck.
LEAST_OUTAGE = 8


async def guarded(
    work: Awaitable[SampleResult], on_defect: Callable[[BaseException], None] = lambda error: None
) -> SampleResult:
    """What `work` comes to; `invalid` where it breaks, for whatever reason.

    Args:
        work: One sample.
        on_defect: Told of what nobody foresaw.

    Raises:
        StopRun, SettingError: nothing can go on.
        CancelledError: whoever waits for this was cancelled.
    """
    try:
        return await work
    except (StopRun, SettingError):
        raise
    except InvalidSample as e:
        return SampleResult(outcome=Outcome.INVALID, reason=str(e))
    except asyncio.CancelledError as e:
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        # Not we who cancelled, but something inside the sample; whoever waits must go on.
        on_defect(e)
        return defect(e)
    except Exception as e:  # noqa: BLE001 - one broken sample must not take the others with it
        on_defect(e)
        return defect(e)


def defect(error: BaseException) -> SampleResult:
    """The result of a sample that met what nobody foresaw."""
    said = f"{InvalidReason.INTERNAL.value}: {type(error).__name__}: {error}"
    return SampleResult(outcome=Outcome.INVALID, reason=said.encode(errors="replace").decode())


class Outage:
    """Stops when nothing but unreachable endpoints has come back for a while: what is left can wait.

    Args:
        what: Of which something ends, in the plural.
        least: How many in a row are an outage.
    """

    def __init__(self, what: str, least: int = LEAST_OUTAGE) -> None:
        self._what = what
        self._least = least
        self._in_a_row = 0

    def saw(self, reason: str) -> None:
        """Something ended with `reason` ("" where it went well).

        Raises:
            StopRun: it is an outage.
        """
        self._in_a_row = self._in_a_row + 1 if reason.startswith(InvalidReason.ENDPOINT_UNAVAILABLE.value) else 0
        if self._in_a_row >= self._least:
            raise StopRun(f"the last {self._in_a_row} {self._what} could not reach their model. {reason}")
