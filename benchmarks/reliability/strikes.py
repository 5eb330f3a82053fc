"""Strikes from outside: agents, suites, clients and files that want more than their due. How many are held?"""

import json
import math
import os
import random
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.behaviours import RawBody
from tests.support.cli import command, holding
from tests.support.script import Script
from tests.support.scripted_server import ScriptedServer

from benchmarks.reliability.rows import CouldNotLook
from worktrial.engine.records import trajectory_lines
from worktrial.errors import WorktrialError
from worktrial.language.untrusted import printable
from worktrial.workplaces.executable.code import CodeWorkplace
from worktrial.workplaces.executable.runner import SandboxedRunner

_PATIENCE = 180.0  # seconds


@dataclass(frozen=True)
class Held:
    """Strikes of one kind, and how many of them came to nothing."""

    tried: int
    held: int

    def __add__(self, other: "Held") -> "Held":
        return Held(self.tried + other.tried, self.held + other.held)


def held(*came_to_nothing: bool) -> Held:
    """Strikes, of which each came to nothing or did not."""
    return Held(len(came_to_nothing), sum(came_to_nothing))


@contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


_SEEKERS = '''
import dataclasses

def reached(root):
    """All that attributes, items, slots and bound methods of an object lead to, as text."""
    seen, waiting, said = set(), [root], []
    while waiting and len(seen) < 20_000:
        one = waiting.pop()
        if id(one) in seen or isinstance(one, (type, type(dataclasses))):
            continue
        seen.add(id(one))
        said.append(repr(one)[:20_000])
        waiting += getattr(one, "__dict__", {}).values()
        waiting += [getattr(one, n, None) for c in type(one).__mro__ for n in getattr(c, "__slots__", ())]
        waiting += [getattr(one, "__self__", None)]
        waiting += one.values() if isinstance(one, dict) else one if isinstance(one, (list, tuple)) else ()
    return " ".join(said)

def walks(assignment):
    return reached(assignment)

async def awaits(assignment):
    return reached(assignment)

def asks(assignment):
    return repr(getattr(assignment, "plan", None)) + repr(getattr(assignment, "reads", None))

def prints(assignment):
    return repr(assignment) + repr(vars(assignment))
'''


def look_for_solutions(chance: random.Random) -> Held:
    """Agents of one's own look for the plan of their task, in our process and in one of their own."""
    from worktrial.suites.starter import suite

    task = chance.choice([task for task in suite.load_tasks() if task.plan.steps])
    secrets = (task.plan.answer, "PlanFollower", "steps=(")
    came = []
    with _folder() as folder:
        (folder / "seekers.py").write_text(_SEEKERS)
        for number, (name, *more) in enumerate(
            (name, *more) for name in ("walks", "awaits", "asks", "prints") for more in ([], ["--isolate"])
        ):
            run = folder / str(number)
            agent = f"python:{folder}/seekers.py:{name}"
            done = command("run", "starter", "--agent", agent, "--tasks", task.id, "-o", run, *more)
            answers = [line["answer"] for line in [*trajectory_lines(run, dict[str, Any])]]
            came.append(done.code == 0 and len(answers) == 1)
            came[-1] &= not any(secret in answer for answer in answers for secret in secrets)
            came[-1] &= bool(answers[0])
    return held(*came)


def edit_outcomes(chance: random.Random) -> Held:
    """Outcomes of stored runs are turned round by hand; `show` says so, `gate` and `compare` refuse."""
    came = []
    with _folder() as folder:
        for suite, agent, more in (
            ("starter", "idle", ()),
            ("starter", "plan", ()),
            ("shifts", "idle", _SHORT_SHIFT),
        ):
            run = folder / f"{suite}-{agent}"
            command("run", suite, "--agent", agent, *(more or ("--tasks", "lab-01,lab-02")), "-o", run)
            clean = command("show", run)
            path = run / "samples.jsonl"
            lines = _lines(path)
            chosen = chance.choice(lines)
            chosen["outcome"] = {"pass": "fail", "fail": "pass"}[chosen["outcome"]]
            path.write_text("".join(json.dumps(line) + "\n" for line in lines))
            shown = command("show", run)
            gated = command("gate", run, "--min-completion", "0")
            compared = command("compare", run, run)
            words = "the outcome is"
            came.append(clean.code == 0 and words not in clean.said)
            came.append(words in shown.err and shown.code == 0)
            came += [done.code == 2 and words in done.err for done in (gated, compared)]
    return held(*came)


_PEAK = "print('peak', *(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')))"
_MOST_MEGABYTES = 1000
_WITH_HAND_BACK = """

def _hand_back():
    try:
        raise ValueError
    except ValueError as e:
        frame = operator.attrgetter("__traceback__.tb_frame")(e)
    while "hand_back" not in operator.attrgetter("f_locals")(frame):
        frame = operator.attrgetter("f_back")(frame)
    return operator.attrgetter("f_locals")(frame)["hand_back"]
"""
"""Code of a suite that reaches the function by which its answers go back."""
_GREEDY_TOOLS = (
    _WITH_HAND_BACK
    + '''
@reads()
def list_of_all(state: State) -> list[str]:
    """List all tools."""
    give = _hand_back()
    for _ in range(12):
        give("[" + ",".join(["{}"] * 4_000_000) + "]")
    return []
'''
)
_OF_A_SUITE = """
import asyncio, sys
from pathlib import Path
from worktrial.workplaces.executable.code import CodeWorkplace
async def calls():
    session = CodeWorkplace.read(Path(sys.argv[1])).open()
    await session.call("list_of_all", {})
try:
    asyncio.run(calls())
except Exception as e:
    print(type(e).__name__, str(e)[:300])
"""
_OF_ARGUMENTS = """
import asyncio, sys
import worktrial as wt
from tests.support.script import Script
from tests.support.scripted_server import ScriptedServer
from tests.support.wire import completion, tool_call
GREAT = '{"sample_id": [' + '[],' * 5_000_000 + '[]]}'
def agent(request):
    call = {"name": "get_sample", "arguments": GREAT}
    return completion("", tool_calls=[{"id": "c", "type": "function", "function": call}])
if sys.argv[1] == "model":
    with ScriptedServer(Script(agent=agent)) as server:
        ran = wt.run("starter", "agent-1", base_url=server.url, tasks=["lab-01"], max_turns=20)
        print([(r.outcome, r.stop_reason, r.reason[:200]) for r in ran.run.records])
else:
    async def drive():
        async with wt.episode("starter", "lab-01") as episode:
            for _ in range(250):
                await episode.call("get_sample", {"sample_id": "x" * (4 << 20)})
    try:
        asyncio.run(drive())
    except Exception as e:
        print(type(e).__name__, str(e)[:300])
"""
_OF_AN_IMPORT = """
import sys
from worktrial.cli.main import main
sys.argv[1:1] = ["import"]
try:
    main()
except SystemExit as e:
    print("code", e.code)
"""


def _peak(code: str, *words: object) -> tuple[float, str]:
    """Most megabytes that a process held, and all that it said."""
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\n{_PEAK}", *map(str, words)],
        capture_output=True,
        text=True,
        timeout=_PATIENCE,
        check=False,
    )
    peak = done.stdout.rpartition("peak ")[2].strip()
    return float(peak) / 1024 if peak.isdigit() else math.inf, done.stdout + done.stderr


def fill_memory(chance: random.Random) -> Held:
    """A suite's code, arguments of calls and files to import want more memory than their due."""
    with _folder() as folder:
        loans = Path(__file__).parents[2] / "examples" / "tool-library" / "workplaces" / "loans"
        shutil.copytree(loans, folder / "loans")
        tools = folder / "loans" / "tools.py"
        state = tools.read_text("utf-8")
        tools.write_text(state.replace("from typing", "import operator\nfrom typing", 1) + _GREEDY_TOOLS, "utf-8")
        bomb = '{"id": "a", "epoch": 1, "messages": [], "metadata": {"x": [' + "[]," * 20_000_000 + "[]]}}"
        with zipfile.ZipFile(folder / "bomb.eval", "w", zipfile.ZIP_DEFLATED) as log:
            log.writestr("header.json", json.dumps({"eval": {"model": "m"}}))
            log.writestr("samples/a.json", bomb)
        steps = '{"step_id": 1, "source": "user", "message": "", "extra": {"x": [' + "[]," * 20_000_000 + "[]]}}"
        atif = '{"schema_version": "ATIF-v1.4", "agent": {"name": "a", "version": "1"}, "steps": [' + steps + "]}"
        (folder / "great.json").write_text(atif)
        found = [
            _peak(_OF_A_SUITE, folder / "loans"),
            _peak(_OF_ARGUMENTS, "model"),
            _peak(_OF_ARGUMENTS, "episode"),
            _peak(_OF_AN_IMPORT, folder / "bomb.eval", "-o", folder / "bomb"),
            _peak(_OF_AN_IMPORT, folder / "great.json", "-o", folder / "great"),
        ]
    return held(*(peak < _MOST_MEGABYTES for peak, _ in found))


_THIEF = '''
import glob, os, sys

def looted(mark, run):
    """What an agent gets of the run's process, its files, earlier runs and the suite's solutions."""
    got = []
    for place in glob.glob("/proc/[0-9]*/environ"):
        try:
            if mark in open(place, "rb").read().decode(errors="replace") and str(os.getpid()) not in place:
                got.append("environ " + place)
        except OSError:
            pass
    for place in [*glob.glob("/proc/[0-9]*/fd/*"), run + "/samples.jsonl", "earlier/samples.jsonl"]:
        try:
            if os.path.realpath(place).endswith("samples.jsonl") and open(place, "rb").read():
                got.append("file " + place)
                with open(place, "r+b") as file:
                    said = file.read().replace(b'"outcome":"fail"', b'"outcome":"pass"')
                    file.seek(0)
                    file.write(said)
        except OSError:
            pass
    return got

def solutions():
    from importlib.util import find_spec
    places = find_spec("worktrial.suites").submodule_search_locations
    return [p for place in places for p in glob.glob(place + "/starter/**/tasks*.yaml", recursive=True)]

def agent(assignment):
    assignment.call("get_sample", {"sample_id": "S-203"})
    return repr(looted(os.environ["MARK"][::-1], os.environ["RUN"]) + solutions())

if __name__ == "__main__":
    with open(os.path.join(os.path.dirname(__file__), "looted"), "a") as file:
        print(looted(os.environ["MARK"][::-1], ""), file=file)
'''
_WITHOUT_RIGHTS = ("setpriv", "--bounding-set=-all", "--inh-caps=-all", "--no-new-privs")


def rob_runs(chance: random.Random) -> Held:
    """Agents with a process of their own look for keys, records, earlier runs and solutions, as root and not."""
    came = []
    mark = f"key-{chance.randbytes(8).hex()}"
    for isolates, before in ((True, ()), (True, _WITHOUT_RIGHTS), (False, _WITHOUT_RIGHTS)):
        with _folder() as folder:
            (folder / "thief.py").write_text(_THIEF)
            command("run", "starter", "--agent", "idle", "--tasks", "lab-01", "-o", folder / "earlier")
            run = folder / "out" / "run"
            program = f"command:{sys.executable} {folder}/thief.py"
            agent = "python:thief.py:agent" if isolates else program
            words = ["run", "starter", "--agent", agent]
            words += ["--tasks", "lab-01,lab-02", "--concurrency", "1", "--agent-env", "MARK,RUN", "-o", str(run)]
            words += ["--isolate"] * isolates
            env = {**os.environ, "SOME_KEY": mark, "MARK": mark[::-1], "RUN": str(run)}
            python = [sys.executable, "-m", "worktrial", *words]
            done = subprocess.run(
                [*before, *python], cwd=folder, env=env, capture_output=True, timeout=_PATIENCE, check=False
            )
            if isolates:
                lines = [*trajectory_lines(run, dict[str, Any])] if done.returncode == 0 else []
                said = [line["answer"] for line in lines]
            else:
                # Its samples are invalid, since it asks for no tool.
                looted = folder / "looted"
                said = looted.read_text().splitlines() if looted.exists() else []
            came += [one.strip() == "[]" for one in said] or [False]
    return held(*came)


def half_open(chance: random.Random) -> Held:
    """Clients of `serve` begin headers and never end them; honest ones are answered meanwhile."""
    with _folder() as folder:
        words = [sys.executable, "-m", "worktrial", "serve", "starter", "--tasks", "lab-01", "--port", "0"]
        # Few descriptors, as many systems give them.
        limited = ["prlimit", "--nofile=256:256", *words, "-o", str(folder / "run")]
        log = folder / "log"
        with log.open("wb") as said, subprocess.Popen(limited, stdout=said, stderr=said) as server:
            try:
                address = _announced(log, server)
                port = int(address.rpartition(":")[2].partition("/")[0])
                waiting = []
                for _ in range(356):
                    one = socket.create_connection(("127.0.0.1", port), timeout=5)
                    one.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n")
                    waiting.append(one)
                came = [_answers(port) for _ in range(10)]
                time.sleep(25)
                came.append(all(_is_closed(one) for one in waiting))
            finally:
                server.kill()
        came.append(log.stat().st_size < 1 << 20)
    return held(*came)


def _announced(log: Path, server: "subprocess.Popen[bytes]") -> str:
    end = time.monotonic() + _PATIENCE
    while time.monotonic() < end and server.poll() is None:
        if found := re.search(r"http://[\w.]+:\d+", log.read_text("utf-8")):
            return found[0]
        time.sleep(0.1)
    raise CouldNotLook(log.read_text("utf-8")[-300:])


def _answers(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=5) as one:
            one.sendall(b"GET /nowhere HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            return one.recv(100).startswith(b"HTTP/1.1 ")
    except OSError:
        return False


def _is_closed(one: socket.socket) -> bool:
    with one, suppress(ConnectionResetError):
        one.setblocking(False)
        try:
            return one.recv(1) == b""
        except BlockingIOError:
            return False
    return True


_FORGES = (
    _WITH_HAND_BACK
    + """
_hand_back()('[{"value": {"tools": [{}]}}]')
"""
)


def odd_ones(chance: random.Random) -> Held:
    """Lesser strikes: forged descriptions, odd replies, closed streams, hostile folders, keys in odd places."""
    key = f"sk{chance.randbytes(12).hex()}1a"
    came = []
    with _folder() as folder:
        said = {"index": 0, "message": {"role": "assistant", "content": "Done."}, "finish_reason": ["a"]}
        body = json.dumps({"choices": [said]}).encode()
        with ScriptedServer(Script(agent=RawBody(body))) as server:
            words = ["run", "starter", "--agent", "m", "--tasks", "lab-01", "--extra", json.dumps({"api_key": key})]
            done = command(*words, "--base-url", server.url, "-o", folder / "odd")
            refused = command(*words, "--base-url", f"{server.url}/{key}", "-o", folder / "refused")
        came.append("internal" not in done.said and "Traceback" not in done.said)
        shown = [
            done.said,
            refused.said,
            command("show", folder / "odd").said,
            command("report", folder / "odd", "-o", folder / "page").said,
        ]
        came.append(not any(key in text for text in shown) and not holding(folder, [key]))
        (folder / "typer.py").write_text("raise SystemExit(77)")
        python = f"{sys.executable} -m worktrial"
        hostile = subprocess.run(f"{python} --version", shell=True, cwd=folder, capture_output=True, check=False)
        came.append(hostile.returncode == 0)
        closed = f"{sys.executable} -m worktrial run starter --agent plan --tasks lab-01,lab-02 -o closed 2>&-"
        done_closed = subprocess.run(closed, shell=True, cwd=folder, capture_output=True, check=False)
        came.append(done_closed.returncode == 0 and len(_lines(folder / "closed" / "samples.jsonl")) == 2)
        loans = Path(__file__).parents[2] / "examples" / "tool-library" / "workplaces" / "loans"
        shutil.copytree(loans, folder / "loans")
        tools = folder / "loans" / "tools.py"
        tools.write_text(
            tools.read_text("utf-8").replace("from typing", "import operator\nfrom typing", 1) + _FORGES
        )
        try:
            CodeWorkplace.build(
                "loans",
                {"tools": tools.read_text("utf-8")},
                system_prompt="",
                initial_state={},
                runner=SandboxedRunner(),
            )
            came.append(False)
        except WorktrialError:
            came.append(True)
    came.append(not set(printable("a\u3164\u115f\ufe0f\U000e0100b")) & set("\u3164\u115f\ufe0f\U000e0100"))
    return held(*came)


_SHORT_SHIFT = ("--desk", "service_desk", "--limit", "1")

STRIKES: dict[str, Callable[[random.Random], Held]] = {
    "an agent of one's own looks for its task's solution": look_for_solutions,
    "an outcome is turned round by hand": edit_outcomes,
    "an agent with a process of its own robs the run": rob_runs,
    "headers that never end, before `serve`": half_open,
    "forged, odd and hostile input": odd_ones,
    "code, calls and files want more memory than their due": fill_memory,
}
"""Name to strikes of a kind."""
