"""Collections that a task leaves open, and records of every kind that somebody may put there."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice, product

from worktrial.language import JsonValue
from worktrial.synthesis.gates.acts import Variant, argument_leaves, options
from worktrial.synthesis.gates.catalogue import replaced

MOST = 24
"""Kinds of one act that are tried in one task."""


def of_every_kind(variant: Variant) -> Iterator[Variant]:
    """An act too many that a task leaves open, with every choice of its closed lists."""
    at = variant.counts or 0
    name, given = variant.calls[at]
    lists = {path: listed for path, listed, _ in _choices(variant)}
    for chosen in islice(product(*lists.values()), MOST):
        other = given
        for path, value in zip(lists, chosen, strict=True):
            other = replaced(other, path, value)
        yield replace(variant, calls=[*variant.calls[:at], (name, other), *variant.calls[at + 1 :]])


def wide_open(tried: Iterable[tuple[Variant, bool]]) -> Iterator[tuple[str, list[JsonValue]]]:
    """Arguments of which every choice passes, where there are two and more.

    Args:
        tried: Acts of every kind that the workplace allows, and whether all checks pass.
    """
    allowed: dict[str, set[str]] = defaultdict(set)
    passing: dict[str, set[str]] = defaultdict(set)
    for variant, passes in tried:
        for path, _, value in _choices(variant):
            place = ".".join(map(str, path))
            allowed[place].add(json.dumps(value))
            if passes:
                passing[place].add(json.dumps(value))
    for place, values in allowed.items():
        if len(values) > 1 and values == passing[place]:
            yield place, [json.loads(value) for value in sorted(values)]


def _choices(variant: Variant) -> Iterator[tuple[tuple[str | int, ...], list[JsonValue], JsonValue]]:
    """Closed lists among the arguments of the act too many, each with its place and what was chosen."""
    name, given = variant.calls[variant.counts or 0]
    tool = variant.task.home.artifact.tool(name)
    for path, value, schema in argument_leaves(tool.parameters, given) if tool else ():
        if listed := options(schema):
            yield path, listed, value
