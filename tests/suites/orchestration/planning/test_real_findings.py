"""What is known to be odd in the published release."""

from collections import defaultdict
from functools import cache

import pytest
from tests.support.data import real_data_dir

from worktrial.suites.orchestration.planning.findings import step_of
from worktrial.suites.orchestration.planning.lint import lint_release
from worktrial.suites.orchestration.planning.release import load_release
from worktrial.suites.orchestration.planning.scenario import Language

pytestmark = pytest.mark.real_data

KNOWN = {
    "unscored-step": "EN 32/7 85/8 195/6 KO 95/4",
    "unknown-agent": "EN 108/3 112/3 195/3 KO 71/3 112/3",
    "foreign-tool": "EN 94/17 109/9 145/9 214/4 KO 47/4 94/17 109/9 135/9",
    "duplicate-key": "EN 108/9 KO 108/8 108/9",
    "odd-call": "EN 123/9 174/4 174/5 174/9 197/4 197/5 197/6 197/10 217/4 217/5 217/6 "
    "KO 50/4 50/5 50/6 73/4 73/5 73/6 73/10 220/4 220/5 220/9 221/5",
    "odd-refusal": "EN 49/14 51/14 64/5 70/7 73/5 92/15 105/3 KO 39/5 63/4 63/5 64/6 93/16",
    "odd-status": "KO 75/17 75/21 97/8 216/8",
    "odd-dependency": "KO 202/3",
    "same-prompt": "EN 136/8 136/9 186/10 186/11 KO 126/8 126/9 177/10 177/11",
}


@cache
def found(corrected: bool) -> dict[str, set[str]]:
    """The steps, such as `EN 85/8`, by kind."""
    release = load_release(real_data_dir() / "orchestrationbench", list(Language), corrected=corrected)
    places = defaultdict(set)
    for finding in lint_release(release):
        language, _, name = finding.file.partition("/")
        where = f"{name.removeprefix('scenario_data/').removesuffix('.yaml')}/{step_of(finding)}"
        places[finding.check].add(f"{language} {where}")
    return places


def steps(words: str) -> set[str]:
    language, places = "", set()
    for word in words.split():
        if "/" in word:
            places.add(f"{language} {word}")
        else:
            language = word
    return places


@pytest.mark.parametrize("code", KNOWN)
def test_every_known_finding_is_found_and_no_other_of_its_kind(code: str) -> None:
    assert found(False)[code] == steps(KNOWN[code])


def test_no_other_kind_but_schemas() -> None:
    assert found(False).keys() - KNOWN.keys() == {"schema-violation"}
    assert len(found(False)["schema-violation"]) == 164


def test_what_remains_when_corrected_is_no_fault_of_one_step() -> None:
    assert found(True).keys() == {"same-prompt", "schema-violation"}
    assert found(True)["same-prompt"] == found(False)["same-prompt"]
