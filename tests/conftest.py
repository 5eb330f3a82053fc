"""What all tests share."""

import os

import hypothesis
import pytest
from tests.support.data import missing_real_data

# Tests behave the same whatever the shell around them says.
for _name in ("PYTHONASYNCIODEBUG", "PYTHONDEVMODE"):
    os.environ.pop(_name, None)

# How long an example takes says more about the machine than about the code.
hypothesis.settings.register_profile("tests", deadline=None)
hypothesis.settings.load_profile("tests")


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("real_data") is not None:
        problem = missing_real_data()
        if problem is not None:
            pytest.skip(problem)
