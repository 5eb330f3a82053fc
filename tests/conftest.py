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


# Before the plugin that spreads the tests reads the groups.
@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep the tests of a file on one worker, for what they share, and all that run the embedded model on one."""
    for item in items:
        model = item.get_closest_marker("local_model") is not None
        item.add_marker(pytest.mark.xdist_group("local model" if model else item.path.as_posix()))


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("real_data") is not None:
        problem = missing_real_data()
        if problem is not None:
            pytest.skip(problem)
