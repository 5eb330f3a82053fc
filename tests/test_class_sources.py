"""Docstrings of fields, from the sources of their classes."""

import inspect

import pytest

from worktrial import class_sources
from worktrial.class_sources import class_source
from worktrial.engine.record import RoleUsage, SampleRecord, SampleResult


class Outer:
    """A class at the top of its module."""

    class Inner:
        """A class within another."""

        field: int = 0
        """Words about it."""


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Everything of which the source was asked for."""
    found: list[object] = []
    whole = inspect.getsource
    monkeypatch.setattr(inspect, "getsource", lambda kind: found.append(kind) or whole(kind))
    for cached in (class_source, class_sources._at_top):
        cached.cache_clear()
    return found


def test_a_module_is_read_once_for_all_of_its_classes(read: list[object]) -> None:
    for kind in (RoleUsage, SampleRecord, SampleResult):
        source = class_source(kind)
        assert source is not None and source.name == kind.__name__
    assert len(read) == 1


def test_a_class_within_another_is_found_and_one_without_source_is_not() -> None:
    inner = class_source(Outer.Inner)
    assert inner is not None and len(inner.body) == 3
    assert class_source(type("Made", (), {})) is None
    assert class_source(int) is None
