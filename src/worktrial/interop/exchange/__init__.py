"""Runs in the formats of others: written by `worktrial export`."""

from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple


class ExchangeFormat(NamedTuple):
    """A format of other programs."""

    place: str
    """`module:function` below this package, imported when it is called: of sources, a place, and `force`."""
    takes: frozenset[str] = frozenset()
    """Names of further options of the function."""


FORMATS = {
    "atif": ExchangeFormat("atif:export_atif"),
    "harbor": ExchangeFormat("harbor:export_harbor"),
    "inspect": ExchangeFormat("inspect_log:export_inspect"),
    "rollouts": ExchangeFormat("rollouts:export_rollouts", frozenset({"reward"})),
}
"""Every format by its name."""


def writer(name: str) -> Callable[..., Any]:
    """Function that writes runs in the format `name`: of sources, a place, and `force`."""
    module, _, function = FORMATS[name].place.partition(":")
    found: Callable[..., Any] = getattr(import_module(f"{__name__}.{module}"), function)
    return found
