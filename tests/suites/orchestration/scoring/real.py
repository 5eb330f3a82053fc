"""The stored runs with the published program's own figures, for tests on real data."""

import json
import tarfile
from functools import cache
from pathlib import Path
from typing import Any

from tests.support.data import real_data_dir

from worktrial.suites.orchestration.planning.cards import Team, load_team
from worktrial.suites.orchestration.planning.scenario import Language

RUNS = {Language.EN: "orchestration_run_schema_EN.tar.gz", Language.KO: "orchestration_run_text_KO.tar.gz"}


def data() -> Path:
    return real_data_dir() / "orchestrationbench"


def archive(language: Language) -> Path:
    return real_data_dir() / "oracles" / RUNS[language]


@cache
def team(language: Language) -> Team:
    return load_team(data(), language)


@cache
def evaluation(language: Language) -> dict[str, Any]:
    """What the published program says about the run."""
    with tarfile.open(archive(language)) as runs:
        (name,) = [name for name in runs.getnames() if name.endswith("eval.json")]
        content = runs.extractfile(name)
        assert content is not None
        found: dict[str, Any] = json.loads(content.read())
        return found
