"""A user's own function in a process of its own: what it can do there, and what it cannot do to the run."""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from tests.agents.test_own_callable import assignment
from tests.support.plan_driver import what_counts
from tests.support.script import Script
from tests.support.scripted_server import ScriptedServer

import worktrial as wt
from worktrial.agents import isolated
from worktrial.errors import SettingError
from worktrial.named_agents import resolve_agent
from worktrial.sandbox.inside.landlock import landlock_version
from worktrial.sandbox.parsers import Wall, best_wall
from worktrial.suites.starter import suite

AGENTS = """
import asyncio, os, sys, time
from pathlib import Path

def works(assignment):
    print("in", os.getpid())
    print("beside", file=sys.stderr)
    os.system("echo a shell")
    seen = assignment.call("get_sample", {"sample_id": "S-203"})
    return f"{assignment.clock} {seen['ng_per_ul']} {len(assignment.tools)}"

async def awaits(assignment):
    first = await assignment.call("get_sample", {"sample_id": "S-203"})
    second = await asyncio.to_thread(assignment.call_sync, "get_sample", {"sample_id": "S-203"})
    both = await asyncio.gather(*(assignment.call("list_samples", {"page": n}) for n in (1, 2)))
    return f"{assignment.clock} {first} {second} {both} {len(assignment.tools)}"

def runs_on(assignment):
    return "short" if "Your answer is not taken: it has 5,000" in assignment.instruction else "B-87 " * 1_000

def raises(assignment):
    return {}["missing"]

def returns_bytes(assignment):
    return b"bytes"

def half_a_pair(assignment):
    return "\\ud83d"

def sends_much(assignment):
    assignment.call("list_samples", {"a": "x" * 50_000_000})

def leaves(assignment):
    os._exit(3)

def forks(assignment):
    if os.fork():
        os._exit(4)
    time.sleep(600)

def eats(assignment):
    return str(len(bytearray(8 << 30)))

def hangs(assignment):
    child = os.fork()
    if not child:
        time.sleep(600)
    while True:
        pass

def looks(assignment):
    print(*sorted(os.environ))
    print(os.environ["MY_TOKEN"])
    return "seen"

def reaches(assignment):
    from importlib.util import find_spec
    import urllib.request
    found = []
    suites = find_spec("worktrial.suites").submodule_search_locations[0]
    places = ["/etc/shadow", "runs/a/samples.jsonl", "earlier/samples.jsonl", ".env", suites + "/starter/suite.py"]
    for place in [*places, f"/proc/{os.getppid()}/environ", "beside.txt"]:
        try:
            Path(place).read_bytes()
            found.append(place)
        except OSError:
            pass
    Path(os.environ["TMPDIR"], "note").write_text("its own")
    try:
        Path("isolated_agents.py").write_text("")
    except OSError as e:
        found.append("read only")
    urllib.request.urlopen(assignment.clock and os.environ["SERVER"])
    return " ".join(found)

def floods(assignment):
    for _ in range(20_000):
        print("x" * 100)
    return "done"

async def never_stops(assignment):
    while True:
        try:
            await asyncio.sleep(600)
        except asyncio.CancelledError:
            pass
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / "isolated_agents.py").write_text(AGENTS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PIDS", str(tmp_path / "pids"))
    yield tmp_path
    sys.modules.pop("isolated_agents", None)


def run(name: str, **options: Any) -> wt.Run:
    return wt.run("starter", f"python:isolated_agents.py:{name}", tasks=["lab-01"], isolate=True, **options)


def test_it_works_prints_and_is_on_record(folder: Path) -> None:
    ran = run("works")
    (record,) = ran.run.records
    line = ran.trajectory("lab-01")
    assert (record.stop_reason, record.calls) == ("answered", 1)
    assert line["answer"].split()[0] == "2025-11-12T08:40"
    said = line["printed"].splitlines()
    assert sorted(said[1:]) == ["a shell", "beside"]
    assert said[0].startswith("in ") and said[0] != f"in {os.getpid()}"


@pytest.mark.parametrize("isolate", [True, False])
def test_an_answer_that_is_too_long_is_asked_for_again_once(folder: Path, isolate: bool) -> None:
    ran = wt.run("starter", "python:isolated_agents.py:runs_on", tasks=["lab-01"], isolate=isolate)
    assert ran.trajectory("lab-01")["answer"] == "short"


def test_the_same_verdict_calls_and_faults_as_in_this_process(folder: Path) -> None:
    here = wt.run("starter", "python:isolated_agents.py:awaits", tasks=["lab-01"], faults="E0,E2")
    there = run("awaits", faults="E0,E2")
    by_key = {record.key: record for record in there.run.records}
    for ours in here.run.records:
        theirs = by_key[ours.key]
        counted = what_counts(ours, here.trajectory(*ours.key))
        assert what_counts(theirs, there.trajectory(*theirs.key)) == counted


@pytest.mark.parametrize(
    ("name", "options", "reason"),
    [
        ("raises", {}, "KeyError: 'missing'"),
        ("returns_bytes", {}, "the answer has to be a string, not bytes"),
        ("half_a_pair", {}, "the answer is no text"),
        ("sends_much", {}, "a message of 50,000,"),
        ("leaves", {}, "ended without an answer (exit code 3)"),
        ("forks", {}, "ended without an answer (exit code 4)"),
        pytest.param(
            "eats",
            {"agent_memory": 1024},
            "MemoryError",
            marks=pytest.mark.skipif(sys.platform != "linux", reason=""),
        ),
    ],
)
def test_its_trouble_is_its_own(folder: Path, name: str, options: dict[str, Any], reason: str) -> None:
    ran = run(name, **options)
    (record,) = ran.run.records
    assert record.invalid_reason == "agent_crash"
    assert reason in record.reason
    if name == "raises":
        told = ran.trajectory("lab-01")["traceback"].splitlines()
        assert (told[0], told[-1]) == ("Traceback (most recent call last):", "KeyError: 'missing'")


@pytest.mark.parametrize("name", ["hangs", "never_stops"])
def test_its_time_ends_and_everything_with_it(folder: Path, name: str) -> None:
    ran = run(name, sample_seconds=4, agent_env="PIDS")
    (record,) = ran.run.records
    assert record.stop_reason == "time_limit"
    # In the box it has other numbers than here.
    assert are_gone(str(folder / "pids").encode())


def is_gone(pid: int) -> bool:
    for _ in range(200):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return True
        if state == "Z":  # nobody is there to take its exit code
            return True
        time.sleep(0.05)
    return False


def are_gone(mark: bytes) -> bool:
    """Whether no process but this one has `mark` in its environment any more."""
    for _ in range(200):
        left = 0
        for place in Path("/proc").glob("[0-9]*/environ"):
            with suppress(OSError):
                left += mark in place.read_bytes() and place.parent.name != str(os.getpid())
        if not left:
            return True
        time.sleep(0.05)
    return False


def test_of_the_environment_it_sees_what_programs_need_and_what_is_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_TOKEN", "tok-1f6c0d2e77")
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.test:8080")
    ran = run("looks")
    (record,) = ran.run.records
    assert record.reason.endswith(
        "KeyError: 'MY_TOKEN'. If that is an environment variable, name it with --agent-env"
    )
    names = set(ran.trajectory("lab-01")["printed"].split())
    assert {"PATH", "HTTPS_PROXY", "WORKTRIAL_ISOLATED"} <= names and not {"MY_TOKEN", "PIDS"} & names
    given = run("looks", agent_env="MY_TOKEN").trajectory("lab-01")
    assert given["answer"] == "seen" and "MY_TOKEN" in given["printed"] and "tok-1f6c" not in given["printed"]


@pytest.mark.skipif(sys.platform != "linux", reason="there is no box")
@pytest.mark.parametrize("wall", [Wall.SANDBOX, Wall.LANDLOCK])
def test_in_its_box_it_reaches_what_it_needs_and_nothing_else(
    folder: Path, monkeypatch: pytest.MonkeyPatch, wall: Wall
) -> None:
    if wall is not best_wall() and landlock_version() < 1:
        pytest.skip("this kernel has no Landlock")
    monkeypatch.setattr(isolated, "agent_wall", lambda: wall)
    for name in ("runs/a/samples.jsonl", "earlier/samples.jsonl", ".env", "beside.txt"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("{}")
    with ScriptedServer(Script()) as server:
        monkeypatch.setenv("SERVER", f"{server.url}/models")
        line = run("reaches", agent_env="SERVER").trajectory("lab-01")
    own = "/proc/1/environ " if wall is Wall.SANDBOX else ""
    assert line["answer"] == f"{own}beside.txt read only", line


def test_of_what_it_prints_beginning_and_end_are_kept(folder: Path) -> None:
    printed = run("floods").trajectory("lab-01")["printed"]
    assert len(printed.encode()) <= 64 << 10
    assert "bytes of output left out" in printed
    assert printed.startswith("xxx") and printed.endswith("xxx\n")


def test_what_cannot_have_a_process_of_its_own(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def inside(given: Any) -> str:
        return ""

    options = suite.every_option.read({"isolate": True}, suite="starter")
    for agent, shown in [
        (inside, "cannot be found by its name"),
        (lambda given: "", "cannot be found by its name"),
        ("plan", "isolate: is for agents in Python, and plan is none"),
        ("gpt", "isolate: is for agents in Python, and gpt is none"),
    ]:
        with pytest.raises(SettingError, match=shown):
            resolve_agent(agent, suite, options=options)
    assert resolve_agent(assignment, suite, options=options).far is not None
    unset = suite.every_option.read({"isolate": True, "agent_env": "NOT_SET_ANYWHERE"}, suite="starter")
    with pytest.raises(SettingError, match="agent_env: NOT_SET_ANYWHERE is not set"):
        resolve_agent(assignment, suite, options=unset)
    monkeypatch.setenv("WORKTRIAL_ISOLATED", "1")
    with pytest.raises(SettingError, match="__main__"):
        resolve_agent(assignment, suite, options=options)


def test_a_script_hands_over_its_own_function(folder: Path) -> None:
    import subprocess

    (folder / "script.py").write_text(
        "import worktrial as wt\n"
        "def agent(assignment):\n"
        "    return __name__\n"
        "if __name__ == '__main__':\n"
        "    run = wt.run('starter', agent, tasks=['lab-01'], isolate=True, out='mine')\n"
        "    print(run.trajectory('lab-01')['answer'])\n"
    )
    done = subprocess.run([sys.executable, "script.py"], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "worktrial_agent_script"
