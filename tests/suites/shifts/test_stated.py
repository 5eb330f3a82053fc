"""What desks say of themselves: what decides a shift stands where an agent reads it; examples are no answers."""

import json
import re
from pathlib import Path
from shutil import copytree, ignore_patterns

import pytest
from tests.support.cli import command

from worktrial.suites.shifts import cases, suite
from worktrial.suites.shifts.conditions import conditions, words_for
from worktrial.suites.shifts.desk import DeskFolder
from worktrial.suites.shifts.suite import ShiftChoice
from worktrial.workplaces.executable.describe import encode

DESKS = suite.desks(ShiftChoice())
EXAMPLE = Path(__file__).parents[3] / "examples" / "desks" / "parcel_counter"
DECISIVE = {
    "customs_desk": (
        "1.7",
        {
            "report duty": ("report to the harbour office", "section 1.4"),
            "quota scarce": ("claims on the quota", "claims on the quota"),
            "release dangerous goods": ("dangerous goods", "dangerous goods"),
            "release withdrawn": ("taken back", "takes back"),
            "release contract": ("original bill", "original bill"),
            "lodge controlled goods": ("controlled goods", "controlled goods"),
            "lodge proof of origin": ("not proven", "not proven"),
            "correct after cut-off": ("after a cut-off", "after the cut-off"),
        },
    ),
    "credit_desk": (
        "2.2",
        {
            "report duty": ("report of large exposures", "report of large exposures"),
            "position duty": ("closing position", "closing position"),
            "guarantee duty": ("have to be claimed", "have to be claimed"),
            "downgrade rating": ("ratings that stop a customer", "ratings that stop a customer"),
            "drawdown downgraded": ("drawdowns of such customers", "drawdowns of customers whom they stop"),
        },
    ),
    "returns_desk": (
        "1.7",
        {
            "recall-hold": ("출고 중지", "출고 중지"),
            "recall-buyers": ("구매자 안내", "구매자 안내"),
            "return": ("안전 소견", "안전 소견"),
            "repair": ("안전 소견", "안전 소견"),
        },
    ),
}


@pytest.mark.parametrize("name", DECISIVE)
def test_whatever_decides_a_shift_is_stated_in_the_assignment_and_in_the_handbook(name):
    desk, (section, stated) = DESKS[name], DECISIVE[name]
    met = set()
    for length in desk.lengths:
        for variant in range(20):
            start = desk.draw(length, variant)
            role = " ".join(desk.instruction(start).split())
            page = next(paper.text for paper in desk.handbook.on(start.figures) if paper.section == section)
            for case in desk.cases(start):
                if case.critical:
                    what = f"{re.sub('-[0-9]+$', '', case.id)} {case.pattern}"
                    words = next(words for kind, words in stated.items() if what.startswith(kind))
                    met.add(words)
                    assert words[0] in role
                    assert words[1] in page
    assert met == set(stated.values())


STATED = {name: desk for name, desk in {**DESKS, "parcel_counter": DeskFolder(EXAMPLE)}.items() if desk.rules}

CONDITIONS = {
    "en": (
        "a single harm costs 10 points or more",
        "less than 50% of the points",
        "clean if every outcome is right",
        "what was due 10",
        "and was wrong 20",
        "with other figures 2",
        "a broken promise 5",
    ),
    "ko": (
        "한 번에 10점 이상 감점되었거나",
        "전체의 50%에 못 미치면",
        "모든 건의 결과가 맞고 감점이 없으며",
        "마지막 답 10",
        "되돌릴 수 없는 잘못 20",
        "다시 보낸 보고 2",
        "어긴 약속 5",
    ),
}


@pytest.mark.parametrize("name", STATED)
def test_the_conditions_of_passing_are_stated_in_every_assignment_as_the_desk_has_them(name):
    desk, met = STATED[name], set()
    for length in desk.lengths:
        for variant in range(20):
            start = desk.draw(length, variant)
            told = desk.instruction(start)
            for case in desk.cases(start):
                if case.critical:
                    words = words_for(case, desk.file.grave)
                    assert words is not None and words in told, case.id
                    met.add(words)
    assert met == {*desk.file.grave}  # no words that name nothing
    for condition in CONDITIONS[desk.file.language]:
        assert condition in told


def test_a_matter_that_decides_a_shift_and_is_not_stated_is_found(tmp_path):
    folder = tmp_path / "parcel_counter"
    copytree(EXAMPLE, folder, ignore=ignore_patterns("__pycache__"))
    text = (folder / "desk.yaml").read_text()
    (folder / "desk.yaml").write_text(text.replace("[picking-up]", "[redelivery, picking-up/plain]"))
    ran = command("validate", "shifts", "--desks", tmp_path, "--variant", "0-2", "--json")
    found = {one["check"]: one for one in json.loads(ran.out)["findings"]}
    assert ran.code == 1
    assert "no words of `grave` name it" in found["unstated"]["what"]


@pytest.mark.parametrize("price", [10, 12])
def test_what_is_stated_follows_the_prices(price, monkeypatch):
    monkeypatch.setitem(cases.PRICES, "breach", price)
    assert f"a breach of a mandatory rule {price}," in conditions({"the till": ["till"]}, "en")
    assert f"규정 위반 {price}," in conditions({"금고": ["till"]}, "ko")


@pytest.mark.parametrize("name", DECISIVE)
def test_examples_in_the_schemas_of_tools_are_no_record_of_any_day(name):
    desk = DESKS[name]
    examples = {
        example
        for tool in desk.workplace.home.artifact.tools
        for parameter in tool.parameters["properties"].values()
        for example in re.findall(r"[Ff]or example ([A-Z][\w-]*\d[\w-]*)", parameter.get("description", ""))
    } - {"M-101"}  # every day's first message
    assert examples
    for length in desk.lengths:
        for variant in range(10):
            day = encode(desk.draw(length, variant)).decode()
            assert not [example for example in examples if f'"{example}"' in day]
