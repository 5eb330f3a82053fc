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
    "unparsable-plan": "EN 85/8",
    "unparsable-call": "EN 195/6",
    "result-without-call": "EN 32/7",
    "stray-text": "KO 95/4",
    "unknown-agent": "EN 108/3 112/3 195/3 KO 71/3 112/3",
    "unplanned-agent": "EN 96/12 109/9 188/4 188/5 188/6 188/9 195/4 214/4 KO 47/4 71/4 109/9",
    "foreign-tool": "EN 94/17 109/9 145/9 214/4 KO 47/4 94/17 109/9 135/9",
    "duplicate-key": "EN 108/9 KO 108/8 108/9",
    "call-list": "EN 174/4 174/5 174/9 217/4 217/5 217/6 KO 50/4 50/5 50/6 220/4 220/5 220/9 221/5",
    "odd-call-key": "EN 123/9 197/4 197/5 197/6 197/10 KO 73/4 73/5 73/6 73/10",
    "result-count": "EN 88/5",
    "refusal-without-tag": "EN 49/14 70/7 92/15 105/3 KO 93/16",
    "refusal-not-yaml": "EN 51/14 64/5 73/5 KO 39/5 63/4 63/5 64/6",
    "control-escape": "KO 75/17 75/21 216/8",
    "odd-plan-status": "KO 75/17 75/21 97/8",
    "status-mismatch": "EN 33/14 93/9 93/14",
    "unknown-dependency": "KO 202/3",
    "unknown-workflow": "EN 12/5 12/9 171/5 KO 189/5 189/9 217/5",
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


def test_no_other_kind_but_schemas_and_skills() -> None:
    assert found(False).keys() - KNOWN.keys() == {"schema-violation", "skill-without-tool"}
    assert len(found(False)["schema-violation"]) == 164


def test_what_remains_when_corrected_is_no_fault_of_one_step() -> None:
    assert found(True).keys() == {"same-prompt", "schema-violation", "skill-without-tool"}
    assert found(True)["same-prompt"] == found(False)["same-prompt"]
