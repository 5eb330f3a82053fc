"""What others wrote cannot steer the terminal: received run folders, suites and their errors, in every field."""

import json
import shutil
import sys
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from tests.support.cli import command, lines_of
from tests.support.own_suite import OwnSuite
from tests.support.run_files import store_work, work_of

from worktrial.cli.main import main

HOSTILE = "\x1b]0;owned\x07\x1b[2Jred \x9b31m \u202edesrever [bold]plain[/bold] [/red] :smile: \u2028\r\n"
# Words that mean something to whoever reads the record: others would be refused.
_READ = {
    "outcome",
    "kind",
    "instead",
    "mode",
    "unit",
    "suite",
    "condition",
    "started",
    "ended",
    "end",
    "effect",
    "finished",
}


def _steering(text: str) -> set[str]:
    return {hex(ord(c)) for c in text if unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp") and c != "\n"}


def _spoilt(value: Any, name: str = "") -> Any:
    if isinstance(value, str):
        return value if name in _READ else value + HOSTILE
    if isinstance(value, list):
        return [_spoilt(one, name) for one in value]
    if isinstance(value, dict):
        return {key: _spoilt(one, key) for key, one in value.items()}
    return value


@pytest.fixture(scope="module")
def received(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run folder from somebody who fills every field."""
    run = tmp_path_factory.mktemp("received") / "run"
    assert command("run", "starter", "--agent", "plan", "--tasks", "lab-01", "--faults", "E2", "-o", run).code == 0
    used = {"requests": 1, "input_tokens": 1, "output_tokens": 1, "cost": 0.1}
    more = {
        "usage": {HOSTILE: used, "agent": used},
        "tags": {"industry": "x", HOSTILE: HOSTILE},
        "stop_reason": HOSTILE,
        "answered_by": HOSTILE,
        "reason": HOSTILE,
        "votes": [{"is_correct": None, "feedback": HOSTILE, "problem": HOSTILE}],
    }
    (row,) = lines_of(run / "samples.jsonl")
    other = {**_spoilt(row), **more, "sample": HOSTILE, "tags": {**more["tags"], HOSTILE: "y"}}
    rows = [{**_spoilt(row), **more, "sample": "lab-01"}, other]
    (line,) = work_of(run)
    store_work(run, ((one, {**_spoilt(line), "sample": one["sample"]}) for one in rows))
    manifest = json.loads((run / "manifest.json").read_text())
    manifest["settings"]["agent"] = HOSTILE
    manifest["settings"]["roles"] = {HOSTILE: {"model": HOSTILE}}
    manifest["sessions"] = _spoilt(manifest["sessions"])
    manifest["data"] = _spoilt(manifest["data"])
    (run / "manifest.json").write_text(json.dumps({**manifest, "samples": 2}))
    return run


@pytest.mark.parametrize(
    ("words", "shows"),
    [
        (("show", "A"), True),
        (("show", "A", "--json"), False),
        (("trajectory", "A", "lab-01", "--condition", "E2"), True),
        (("trajectory", "A", HOSTILE, "--condition", "E2"), True),
        (("trajectory", "A", "lab-01", "--condition", "E2", "--json"), False),
        (("compare", "A", "B"), True),
        (("compare", "A", "B", "--json"), False),
        (("gate", "A", "--baseline", "B", "--max-regression", "0.1", "--min-completion", "0"), False),
        (("sql", "select * from samples", "A"), True),
        (("sql", "select * from usage", "A"), True),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_no_field_of_a_received_run_steers_the_terminal(
    words: tuple[str, ...], shows: bool, received: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    shutil.copytree(received, other)
    folders = {"A": received, "B": other}
    ran = command(*(folders.get(word, word) for word in words))
    assert _steering(ran.out + ran.err) == set()
    assert ran.code == 0, ran.err
    assert not shows or "[bold]plain[/bold]" in "".join(ran.out.split("\n"))
    if "--json" in words:
        # Escaped, not lost.
        assert "\\u202edesrever" in ran.out
        assert "\u202edesrever" in json.dumps(json.loads(ran.out), ensure_ascii=False)


def test_no_field_of_a_suite_steers_the_terminal(tmp_path: Path) -> None:
    own = OwnSuite()
    for row in own.tasks:
        row |= {name: row[name] + HOSTILE for name in ("category", "domain", "scenario", "instruction", "rubric")}
        row["plan"][0]["tool"] = HOSTILE
    for home in own.workplaces.values():
        home["system_prompt"] += HOSTILE
        home["name"] += HOSTILE
        home["state_description"] = {}
        for tool in home["tools"]:
            tool["description"] += HOSTILE
    suite = own.write(tmp_path / "suite")
    for words in (("list", suite), ("lint", suite), ("lint", suite, "--json"), ("validate", suite)):
        ran = command(*words)
        assert _steering(ran.out + ran.err) == set()
    assert "plain" in command("list", suite).out
    for broken in ({"id": HOSTILE}, {HOSTILE: 1}, {"workplace": HOSTILE}, {"difficulty": HOSTILE}):
        own.tasks[0] |= broken
        ran = command("lint", own.write(tmp_path / "suite"))
        assert _steering(ran.out + ran.err) == set()
        own.tasks[0].pop(HOSTILE, None)
    assert ran.code == 2
    assert "tasks.jsonl" in ran.err


def test_a_traceback_steers_nothing(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def broken(_: object) -> None:
        raise RuntimeError(HOSTILE)

    monkeypatch.setattr("worktrial.engine.stored.manifest_in", broken)
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    monkeypatch.setattr(sys, "argv", ["worktrial", "show", "."])
    with pytest.raises(RuntimeError) as raised:
        main()
    sys.excepthook(raised.type, raised.value, raised.tb)
    said = capsys.readouterr().err
    assert "RuntimeError: \N{REPLACEMENT CHARACTER}]0;owned" in said
    assert _steering(said) == set()
