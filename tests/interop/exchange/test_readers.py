"""Readers of exports (`make test-interop`): whole on paper; the readers themselves are not in our environment."""

import re
from pathlib import Path

from scripts.interop import PAGE, READERS, ROOT, Read, page

from worktrial.interop.exchange import FORMATS


def test_every_reader_has_locked_requirements_a_script_and_a_row() -> None:
    shown = PAGE.read_text("utf-8")
    for name, reader in READERS.items():
        assert reader.form in FORMATS
        assert (ROOT / "tests" / "interop" / "readers" / reader.script).exists()
        assert f"| `{name}` | {reader.package} " in shown
        locked = (ROOT / "requirements" / "interop" / f"{name}.txt").read_text()
        pinned = re.findall(r"^([\w.-]+)==", locked, re.MULTILINE)
        assert reader.package in pinned
        assert len(re.findall(r"^[\w.-]+==[^\n]*\\\n\s+--hash=sha256:", locked, re.MULTILINE)) == len(pinned)
        assert "://" not in locked


def test_the_page_is_what_the_command_writes() -> None:
    rows = [line for line in PAGE.read_text("utf-8").splitlines() if line.startswith("| `")]
    cells = [[cell.strip(" `") for cell in row.strip("|").split("|")] for row in rows]
    done = [
        Read(name, read_by.split()[-1], int(packages), int(size), said)
        for name, read_by, size, packages, said in cells
    ]
    assert page(done) == PAGE.read_text("utf-8")


def test_only_readers_of_their_own_are_left_out_of_our_environment() -> None:
    ours = (ROOT / "requirements" / "dev.txt").read_text()
    for reader in READERS.values():
        assert not re.search(rf"^{reader.package}==", ours, re.MULTILINE)


def test_scripts_of_readers_know_nothing_of_us() -> None:
    for path in (ROOT / "tests" / "interop" / "readers").iterdir():
        if path.suffix == ".py":
            assert "worktrial" not in Path(path).read_text("utf-8")
