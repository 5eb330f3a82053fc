"""What all tests share."""

import gc
import os
import signal
import sys

import hypothesis
import pytest
from tests.support.data import missing_real_data

# Tests behave the same whatever the shell around them says; and hundreds of processes need not compile all modules.
for _name in ("PYTHONASYNCIODEBUG", "PYTHONDEVMODE", "PYTHONDONTWRITEBYTECODE"):
    os.environ.pop(_name, None)
sys.dont_write_bytecode = False
# A shell that starts them in the background has interrupts ignored, and `nohup` the end of a terminal, which
# processes would inherit.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

# While thousands of tests are imported nothing becomes free; looking for it anyway is a third of that time.
gc.disable()

# How long an example takes says more about the machine than about the code.
hypothesis.settings.register_profile("tests", deadline=None)
hypothesis.settings.load_profile("tests")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    # Much of the time is spent on waiting for processes, servers and clocks.
    return (os.cpu_count() or 1) * 3 // 2


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    # Files are handed out in this order: a slow one that comes last keeps the others waiting.
    slow = {item.path for item in items if item.get_closest_marker("slow") is not None}
    items.sort(key=lambda item: item.path not in slow)


def pytest_collection_finish() -> None:
    # Thousands of tests and what they import stay until the end; a collector that visits them again and again
    # takes a sixth of the time.
    gc.collect()
    gc.freeze()
    gc.enable()


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("real_data") is not None:
        problem = missing_real_data()
        if problem is not None:
            pytest.skip(problem)
