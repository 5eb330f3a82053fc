"""Runs in the formats of others: written by `worktrial export`."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

FORMATS = {
    "atif": "atif:export_atif",
    "harbor": "harbor:export_harbor",
    "inspect": "inspect_log:export_inspect",
}
"""Every format by its name: `module:function` below this package, imported when it is called."""


def writer(name: str) -> Callable[..., Any]:
    """Function that writes runs in the format `name`: of sources, a place, and `force`."""
    module, _, function = FORMATS[name].partition(":")
    found: Callable[..., Any] = getattr(import_module(f"{__name__}.{module}"), function)
    return found
