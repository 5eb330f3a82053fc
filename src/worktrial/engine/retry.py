"""Rules for sending a request again: after which trouble, after what wait, how often."""

import datetime as dt
import random
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

import msgspec

from worktrial.errors import InvalidReason

RETRIED_STATUSES = frozenset({408, 409, 429, 500, 502, 503, 504, 520, 522, 524, 529})


class ProviderTrouble(msgspec.Struct, kw_only=True, frozen=True):
    """One answer of an endpoint for which a request is sent again."""

    at: str
    """Time of it, ISO 8601 in UTC."""
    said: str
    """Role, address and words of the endpoint, without anything secret."""


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Bounds on the retries of one request."""

    attempts: int = 8
    """Tries of a request that fails; being told to slow down (429) does not count, only its waiting does."""
    total_seconds: float = 300.0
    """Waiting between the tries of one request, in all. The tries themselves have their own timeout: a model
    that thinks for minutes before its connection drops deserves another try."""
    first_wait: float = 0.5
    longest_wait: float = 20.0
    bad_replies: int = 3
    """Answers that are no completion, up to which a request is sent again."""
    silences: int = 2
    """Tries that end without any answer in time: an endpoint that hangs costs one more time-out, not seven."""

    def wait(self, attempt: int, retry_after: float | None) -> float:
        """Seconds before the next attempt (1-based number of the one that failed).

        Exponential growth with full jitter, so that a crowd of samples turned away together does not
        come back together; never sooner than the endpoint asked.
        """
        ceiling = min(self.longest_wait, self.first_wait * 2.0 ** min(attempt - 1, 30))
        jitter = random.uniform(0, ceiling)
        return jitter if retry_after is None else retry_after + min(jitter, 1.0)


class Retryable(Exception):
    """A request failed in a way that may pass. `wait` is set just before it is raised to the retry loop."""

    def __init__(
        self,
        detail: str,
        *,
        retry_after: float | None = None,
        bad_reply: bool = False,
        slow_down: bool = False,
        silent: bool = False,
    ) -> None:
        super().__init__(detail)
        self.detail = detail
        self.retry_after = retry_after
        self.bad_reply = bad_reply
        self.slow_down = slow_down
        self.silent = silent
        self.wait = 0.0


@dataclass(slots=True)
class Tries:
    """The failed tries of one request, held against the policy."""

    policy: RetryPolicy
    made: int = 0
    _failures: int = 0
    _bad_replies: int = 0
    _silences: int = 0
    _waited: float = 0.0

    def book(self, trouble: Retryable) -> InvalidReason | None:
        """Count a failed try and set how long to wait after it; why there must be no other, if so.

        A wait that would break the bound is not begun: an endpoint that asks for an hour is out for this run.
        """
        self.made += 1
        self._failures += not trouble.slow_down
        self._bad_replies += trouble.bad_reply
        self._silences += trouble.silent
        trouble.wait = self.policy.wait(self.made, trouble.retry_after)
        self._waited += trouble.wait
        spent = (
            self._failures >= self.policy.attempts
            or self._bad_replies >= self.policy.bad_replies
            or self._silences >= self.policy.silences
            or self._waited > self.policy.total_seconds
        )
        if not spent:
            return None
        return InvalidReason.BAD_REPLY if trouble.bad_reply else InvalidReason.ENDPOINT_UNAVAILABLE


def retry_after_seconds(header: str | None, now: dt.datetime) -> float | None:
    """Seconds of a Retry-After header (RFC 9110, 10.2.3: seconds or a date), or None.

    Args:
        header: The header's value.
        now: Time by the endpoint's clock; see `endpoint_time`.
    """
    if not header:
        return None
    try:
        return max(0.0, float(header))
    except ValueError:
        pass
    when = _time(header)
    return None if when is None else max(0.0, (when - now).total_seconds())


def endpoint_time(date: str | None) -> dt.datetime:
    """Time by the clock that a date in Retry-After is told by.

    Args:
        date: The answer's `Date` header (RFC 9110, 6.6.1). Without a readable one it is the host's time, which
            may be hours from the endpoint's.
    """
    return (_time(date) if date else None) or dt.datetime.now(dt.UTC)


def _time(text: str) -> dt.datetime | None:
    try:
        when = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    return when if when.tzinfo is not None else when.replace(tzinfo=dt.UTC)
