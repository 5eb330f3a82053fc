"""Machines without a sandbox."""

import asyncio
import os
import shutil
import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from tests.sandbox.sessions import needs_sandbox, results

from worktrial.sandbox import PythonLimits, PythonSession, SandboxUnavailable, UnsafePython


def refused(monkeypatch: pytest.MonkeyPatch, folder: Path, bwrap: str | None) -> str:
    """What a session says with this `bwrap` on the PATH."""
    if bwrap is not None:
        program = folder / "bwrap"
        program.write_text(f"#!/bin/sh\n{bwrap}\n")
        program.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))
    with pytest.raises(SandboxUnavailable) as problem:
        asyncio.run(PythonSession().call("1"))
    return str(problem.value)


def test_without_bubblewrap_nothing_runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    message = refused(monkeypatch, tmp_path, None)
    assert "not installed" in message
    assert "apt-get install bubblewrap" in message and "unsafe." in message


def test_namespaces_that_are_not_permitted_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    said = "bwrap: No permissions to create new namespace, likely because the kernel does not allow it"
    message = refused(monkeypatch, tmp_path, f"echo '{said}' >&2; exit 1")
    assert said in message
    assert "user namespaces" in message and "unsafe." in message


def test_an_old_bubblewrap_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    message = refused(monkeypatch, tmp_path, "echo 'bwrap: Unknown option --size' >&2; exit 1")
    assert "too old" in message and "0.7" in message


def test_a_bubblewrap_that_says_nothing_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert "exit code 3" in refused(monkeypatch, tmp_path, "exit 3")


def test_unsafe_runs_after_a_warning() -> None:
    with pytest.warns(UnsafePython, match="WITHOUT a sandbox"):
        first, second = results("x = 2\nprint('hi')", "from rounding import half_up\nx * half_up(2.5)", unsafe=True)
    assert first.stdout == "hi\n"
    assert second.value == "Decimal('6')"


@pytest.mark.filterwarnings("ignore::worktrial.sandbox.UnsafePython")
def test_unsafe_keeps_the_environment_to_itself_and_cleans_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-7391")
    folder, keys = results("import os; os.getcwd()", "'sk-secret-7391' in str(os.environ)", unsafe=True)
    assert keys.value == "False"
    assert folder.value is not None and not Path(folder.value.strip("'")).exists()


@pytest.mark.filterwarnings("ignore::worktrial.sandbox.UnsafePython")
def test_unsafe_stops_a_loop_and_what_it_started() -> None:
    code = (
        "import subprocess, sys\np = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\np.pid"
    )
    started, looped, after = results(code, "while True: pass", "1", unsafe=True, limits=PythonLimits(seconds=1))
    assert looped.error is not None and "TimeLimit" in looped.error
    assert after.value == "1"
    assert started.value is not None
    # Whoever takes over orphans here may leave them unburied.
    assert not psutil.pid_exists(pid := int(started.value)) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE


@needs_sandbox
@pytest.mark.skipif(shutil.which("unshare") is None, reason="unshare is not installed")
def test_a_nested_process_namespace_under_the_proc_of_the_outer_one() -> None:
    code = (
        "import asyncio; from worktrial.sandbox import PythonSession\n"
        "async def main():\n    async with PythonSession() as s: print((await s.call('6 * 7')).value)\n"
        "asyncio.run(main())"
    )
    words = ["unshare", "--user", "--map-root-user", "--pid", "--fork"]
    if subprocess.run([*words, "true"], capture_output=True, check=False).returncode:
        pytest.skip("no namespaces within namespaces here")
    path = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [*words, sys.executable, "-c", code], capture_output=True, text=True, env=path, check=False
    )
    assert (done.stdout, done.returncode) == ("42\n", 0), done.stderr
