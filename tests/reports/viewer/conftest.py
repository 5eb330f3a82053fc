"""A site with runs of several kinds in it, for all tests of the viewer."""

from pathlib import Path

import pytest
from tests.support.made_once import made_once
from tests.support.made_runs import make_run

from worktrial.reports.report import open_report
from worktrial.reports.site import write_site


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report of runs: `plain` (240 samples), `faults`, `starter`, `hostile`."""
    return made_once(tmp_path_factory, "viewer", _make) / "site"


def _make(folder: Path) -> None:
    runs = [
        make_run(folder / "plain", tasks=120, repeats=2),
        make_run(folder / "faults", agent="agent-b", tasks=12, conditions=("E0", "E1", "E2")),
        make_run(folder / "starter", agent="plan", suite="starter", tasks=12),
        make_run(folder / "hostile", tasks=24, conditions=("E0", "E1", "E2"), hostile=True),
    ]
    write_site(open_report(runs, "Test report"), folder / "site")
