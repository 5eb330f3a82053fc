"""What we stand on: bundled libraries are noticed and listed, and an audit that saw nothing does not say fine."""

import json
from pathlib import Path

import pytest
from scripts.supply import LOCKED, NOTICE, judged, with_bundled

from worktrial import __version__

ROOT = Path(__file__).parents[1]
FINE = {"name": "a", "version": "1", "vulns": []}
HOLED = {"name": "b", "version": "2", "vulns": [{"id": "CVE-1"}, {"id": "PYSEC-2"}]}
UNSEEN = {"name": "c", "skip_reason": "c (3) is not on PyPI"}


@pytest.mark.parametrize(
    ("libraries", "code", "said"),
    [
        ([FINE], 0, "nothing is known against 1 libraries"),
        ([FINE, HOLED], 1, "something is known against 1 of 2 libraries: b 2: CVE-1, PYSEC-2"),
        # `pip-audit` calls these fine.
        ([UNSEEN] * 7, 2, "could not look at 7 of 7 libraries: c (3) is not on PyPI; "),
        ([FINE, UNSEEN], 2, "could not look at 1 of 2 libraries: c (3) is not on PyPI"),
        ([HOLED, UNSEEN], 1, "CVE-1, PYSEC-2. could not look at 1 of 2"),
        ([], 2, "could not look at 0 of 0 libraries: no library was named"),
    ],
)
def test_an_audit_that_saw_nothing_does_not_say_fine(
    libraries: list[dict[str, object]], code: int, said: str
) -> None:
    audit = judged(1 if HOLED in libraries else 0, json.dumps({"dependencies": libraries, "fixes": []}), "")
    assert audit.code == code and said in audit.said


def test_an_audit_that_broke_off_says_why() -> None:
    assert judged(1, "", "Traceback\nConnectionError: no\n") == (
        2,
        "could not look: ConnectionError: no",
    )
    assert judged(1, "[]", "").code == 2


def test_bundled_libraries_are_noticed_and_listed() -> None:
    notice = " ".join(NOTICE.read_text("utf-8").split())
    vendored = sorted((ROOT / "front" / "vendor").iterdir())
    for folder in vendored:
        assert " ".join((folder / "LICENSE").read_text("utf-8").split()[-40:]) in notice, folder.name
    listed = with_bundled({"metadata": {"component": {}}, "components": []})
    names = {component["name"]: component.get("version") for component in listed["components"]}
    assert {folder.name for folder in vendored} <= {
        name.rpartition("/")[2] for name, version in names.items() if version
    }
    assert {"entities", "linkify-it", "mdurl", "uc.micro"} <= names.keys()
    assert listed["metadata"]["component"]["version"] == __version__


def test_what_is_looked_at_is_locked_with_hashes() -> None:
    entries = [line for line in LOCKED.read_text("utf-8").splitlines() if line and line[0].isalnum()]
    assert len(entries) > 50 and all("==" in entry for entry in entries)
    assert LOCKED.read_text("utf-8").count("--hash=sha256:") > len(entries)
