"""What desks say of themselves: what decides a shift stands where an agent reads it; examples are no answers."""

import re

import pytest

from worktrial.suites.shifts import suite
from worktrial.suites.shifts.suite import ShiftChoice
from worktrial.workplaces.executable.describe import encode

DESKS = suite.desks(ShiftChoice())
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
            assert "10" in role
            assert ("half of the points" if desk.file.language == "en" else "절반") in role
    assert met == set(stated.values())


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
