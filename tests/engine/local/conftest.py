"""Fixtures of the embedded model's tests."""

from tests.support.local_model import served

__all__ = ["served"]
