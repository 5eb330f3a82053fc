"""Where the published benchmark data lies."""

import os
from pathlib import Path

_VARIABLE = "WORKTRIAL_DATA"
_ROOT = Path(__file__).parents[2]


def real_data_dir() -> Path:
    """The folder that holds `occubench` and the other published data.

    Raises:
        FileNotFoundError: it is in neither of the two places; the message names both.
    """
    problem = missing_real_data()
    if problem is not None:
        raise FileNotFoundError(problem)
    return _place()


def missing_real_data() -> str | None:
    """Why tests on real data cannot run here, or None when they can."""
    if (_place() / "occubench").is_dir():
        return None
    now = os.environ.get(_VARIABLE) or "not set"
    return f"no folder 'occubench' in the published data: neither in ${_VARIABLE} (now {now}) nor in ../shared/data"


def _place() -> Path:
    told = os.environ.get(_VARIABLE)
    return Path(told) if told else _ROOT.parent / "shared" / "data"
