"""The threat model: every promise names a test, and the test is there."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
NAMED = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")
FILE = re.compile(r"`(tests/[\w/]+\.py)`")
COMMAND = re.compile(r"`make ([\w-]+)`")


def test_every_promise_names_a_test_that_is_there() -> None:
    page = (ROOT / "SECURITY.md").read_text("utf-8")
    promised = page.partition("## Promises")[2].partition("## Not promised")[0]
    promises = re.split(r"^- ", promised, flags=re.MULTILINE)[1:]
    assert len(promises) > 15
    for promise in promises:
        named = NAMED.findall(promise)
        assert named, promise
        for file, test in named:
            text = (ROOT / file).read_text("utf-8")
            assert re.search(rf"^def {test}\(", text, re.MULTILINE), f"{file}::{test}"


def test_files_and_commands_that_it_names_are_there() -> None:
    page = (ROOT / "SECURITY.md").read_text("utf-8")
    files, commands = FILE.findall(page), COMMAND.findall(page)
    assert files and {"fuzz", "sbom", "audit"} <= set(commands)
    assert all((ROOT / file).is_file() for file in files)
    made = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    assert set(commands) <= set(made)


def test_it_says_how_to_report_and_when_to_expect_what() -> None:
    opening = " ".join((ROOT / "SECURITY.md").read_text("utf-8").partition("## ")[0].split())
    for said in ("security advisories", "not in a public issue", "within a week", "within a month"):
        assert said in opening
