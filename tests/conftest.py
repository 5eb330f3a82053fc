"""What all tests share."""

import os

import pytest
from tests.support.data import missing_real_data

# Tests behave the same whatever the shell around them says.
for _name in ("PYTHONASYNCIODEBUG", "PYTHONDEVMODE"):
    os.environ.pop(_name, None)


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("real_data") is not None:
        problem = missing_real_data()
        if problem is not None:
            pytest.skip(problem)
