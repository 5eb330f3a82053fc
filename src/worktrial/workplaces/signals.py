"""Signs in an observation that a call failed, and fields that must not be lost."""

import re
from collections.abc import Iterator
from functools import lru_cache

from worktrial.language import JsonValue

_ERROR = re.compile(
    r"errors?|error_(?:code|message|type)|errorcode|errormessage|exception|traceback", re.IGNORECASE
)
_SUCCESS = frozenset({"success", "ok", "succeeded"})
_STATUS = frozenset({"status", "code", "status_code", "result_code"})
_IDENTIFIER = re.compile(r"(?:.*[_\-.\s])?(?:id|ids|uuid|ID)|.*[a-z](?:Id|ID|Ids)")


def is_error(observation: JsonValue) -> bool:
    """Whether an observation tells that the call failed.

    It does so at the top: by a field such as `error` or `exception` that holds something, a `success` or `ok` that
    is false, or the status `error`. Any other status is data: a machine that failed is what the call asked about.
    """
    if not isinstance(observation, dict):
        return False
    for key, value in observation.items():
        sign = _sign(key)
        if sign is not None and _fails(sign, value):
            return True
    return False


def error_signals(value: JsonValue, pointer: str = "") -> Iterator[str]:
    """JSON Pointers, without positions in lists, of whatever at any depth says that the call failed."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if (sign := _sign(key)) is not None and _fails(sign, inner):
                yield f"{pointer}/{key}"
            yield from error_signals(inner, f"{pointer}/{key}")
    elif isinstance(value, list):
        for item in value:
            # Without the position: an item that only moved up is no new signal.
            yield from error_signals(item, f"{pointer}/-")


@lru_cache(maxsize=4096)
def is_critical(key: str, depth: int) -> bool:
    """Whether a field must not be lost: it identifies something, or says whether the call succeeded."""
    name = key.lower()
    if _ERROR.fullmatch(key) or name in _SUCCESS or is_identifier(key):
        return True
    return depth == 0 and name in _STATUS


@lru_cache(maxsize=4096)
def is_identifier(key: str) -> bool:
    """Whether a field of this name says which thing an object is about."""
    return _IDENTIFIER.fullmatch(key) is not None


def says_if_failed(key: str) -> bool:
    """Whether a field of this name may tell that the call failed."""
    return _sign(key) is not None


@lru_cache(maxsize=4096)
def _sign(key: str) -> str | None:
    """Kind of sign that a field of this name gives; None for a field that says nothing of success."""
    name = key.lower()
    if name in _SUCCESS:
        return "success"
    if name == "status":
        return "status"
    return "error" if _ERROR.fullmatch(key) is not None else None


def _fails(sign: str, value: JsonValue) -> bool:
    if sign == "success":
        return value is False
    if sign == "status":
        return isinstance(value, str) and value.lower() == "error"
    return bool(value)
