"""Programs that `make test-interop` meets: whole on paper; they themselves are not in our environment."""

import json
import re
from pathlib import Path

import pytest
from scripts.interop import NEIGHBOURS, PAGE, PROGRAMS, ROOT, needs_ours, page, rows_of

from worktrial.interop.exchange import FORMATS
from worktrial.interop.programs.presets import names, preset


@pytest.mark.parametrize("name", NEIGHBOURS)
def test_every_program_has_locked_requirements_something_to_do_and_a_row(name: str) -> None:
    neighbour = NEIGHBOURS[name]
    if neighbour.preset is not None:
        assert neighbour.preset in names()
        assert neighbour.package in preset(neighbour.preset).package
        assert re.fullmatch(r"\d+\.\d+\.\d+", json.loads(PROGRAMS.read_text())["dependencies"][neighbour.package])
        assert "://" not in PROGRAMS.read_text()
        assert f"| `{name}` | {neighbour.package} " in PAGE.read_text("utf-8")
        return
    assert neighbour.reader or neighbour.meeting
    if neighbour.reader is not None:
        assert neighbour.reader.form in FORMATS
        assert (ROOT / "tests" / "interop" / "readers" / neighbour.reader.script).exists()
    if neighbour.meeting is not None:
        assert all((ROOT / path).exists() for path in neighbour.meeting.tests.split())
    assert f"| `{name}` | {neighbour.package} " in PAGE.read_text("utf-8")
    locked = (ROOT / "requirements" / "interop" / f"{name}.txt").read_text()
    pinned = re.findall(r"^([\w.-]+)==", locked, re.MULTILINE)
    assert {neighbour.package, *(["pytest", "aiolimiter"] if needs_ours(neighbour) else [])} <= {*pinned}
    assert len(re.findall(r"^[\w.-]+==[^\n]*\\\n\s+--hash=sha256:", locked, re.MULTILINE)) == len(pinned)
    assert "://" not in locked


def test_the_page_is_what_the_command_writes() -> None:
    text = PAGE.read_text("utf-8")
    assert page([*rows_of(text).values()]) == text
    assert [*rows_of(text)] == [*NEIGHBOURS]


def test_programs_of_their_own_are_left_out_of_our_environment() -> None:
    ours = (ROOT / "requirements" / "dev.txt").read_text()
    for neighbour in NEIGHBOURS.values():
        assert not re.search(rf"^{neighbour.package}==", ours, re.MULTILINE)


def test_scripts_of_readers_know_nothing_of_us() -> None:
    for path in (ROOT / "tests" / "interop" / "readers").iterdir():
        if path.suffix == ".py":
            assert "worktrial" not in Path(path).read_text("utf-8")
