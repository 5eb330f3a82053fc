"""JSON Patch (RFC 6902) of somebody else, applied within bounds: twenty copies make gigabytes of a few bytes."""

from collections.abc import Sequence
from copy import deepcopy
from typing import Any

import msgspec

from worktrial.language import JsonObject, JsonValue
from worktrial.language.nesting import nested_deeper_than
from worktrial.outside.files import MOST_LEVELS

MOST_OPERATIONS = 1_000
MOST_COPIED = 4 << 20
"""Bytes that the operations `copy` of one patch may add, as JSON."""


class BadPatch(ValueError):
    """A patch that does not apply, or makes too much of a value; the message says why."""


def patched(value: JsonValue, patch: Sequence[JsonObject]) -> Any:
    """`value` with `patch` applied; `value` itself stays as it is.

    Raises:
        BadPatch: it is no JSON Patch, does not fit the value, or is beyond a bound.
    """
    from jsonpatch import JsonPatchException, apply_patch
    from jsonpointer import JsonPointerException, resolve_pointer

    if len(patch) > MOST_OPERATIONS:
        raise BadPatch(f"has {len(patch):,} operations, more than the {MOST_OPERATIONS:,} that are applied")
    left = MOST_COPIED
    try:
        # The library puts the patch's own values into the result, and later operations would change both.
        made, own = _copy([value, list(patch)])
        for operation in own:
            if operation.get("op") == "copy":
                left -= len(msgspec.json.encode(resolve_pointer(made, operation["from"])))
                if left < 0:
                    raise BadPatch(f"copies more than {MOST_COPIED:,} bytes")
            made = apply_patch(made, [operation], in_place=True)
            # Copies into a copy double its depth, and the library's own copying is recursive.
            if operation.get("op") == "copy" and nested_deeper_than(made, MOST_LEVELS):
                raise BadPatch(f"makes something that nests more than {MOST_LEVELS} levels deep")
    # The library lets TypeError and its kin escape when a path leads into a number, a text or null.
    except (JsonPatchException, JsonPointerException, TypeError, KeyError, IndexError, AttributeError) as e:
        raise BadPatch(str(e) or type(e).__name__) from None
    except (RecursionError, UnicodeEncodeError) as e:
        raise BadPatch(f"cannot be applied ({type(e).__name__})") from None
    return made


def _copy(value: Any) -> Any:
    try:
        # By way of JSON it takes a fifth of the time.
        return msgspec.json.decode(msgspec.json.encode(value))
    except UnicodeEncodeError:  # half of a surrogate pair, which Python can hold and UTF-8 cannot
        return deepcopy(value)
