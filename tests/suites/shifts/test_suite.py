"""The suite with desks of one's own: run, judge again, show, report, validate; and what is refused."""

from pathlib import Path

import pytest

from worktrial.errors import DataError, SettingError
from worktrial.suites.shifts.suite import ShiftsSuite, variants_in

EXAMPLES = Path(__file__).parents[3] / "examples" / "desks"


def _options(**given):
    return ShiftsSuite().every_option.read({"desks": EXAMPLES, **given}, suite="shifts")


@pytest.mark.parametrize(
    ("text", "variants"), [("0-4", [0, 1, 2, 3, 4]), ("3", [3]), ("1,7-9, 2", [1, 7, 8, 9, 2]), ("2,2", [2])]
)
def test_variants_are_read(text, variants):
    assert variants_in(text) == variants


@pytest.mark.parametrize("text", ["", "x", "4-1", "-1", "0-5000", "1,,2", "1.5"])
def test_bad_variants_are_refused(text):
    with pytest.raises(SettingError, match="variant"):
        variants_in(text)


def test_an_unknown_desk_or_length_is_refused():
    with pytest.raises(SettingError, match=r"no bakery. There is: parcel_counter"):
        ShiftsSuite().tasks(_options(desk="bakery"))
    with pytest.raises(SettingError, match="'long' is none of short, half, full"):
        ShiftsSuite().tasks(_options(length="long"))


def test_a_folder_without_desks_is_refused(tmp_path):
    with pytest.raises(DataError, match="holds no desk"):
        ShiftsSuite().tasks(_options(desks=tmp_path))


def test_tasks_are_shifts():
    rows = ShiftsSuite().tasks(_options(variant="0,7"))
    assert [row.id for row in rows] == ["parcel-counter-short-0", "parcel-counter-short-7"]
