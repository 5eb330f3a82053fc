"""What code in the sandbox cannot do, tried for real."""

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import psutil
import pytest
from tests.sandbox.sessions import in_session, needs_sandbox, result

from worktrial.sandbox import PythonLimits, PythonResult, PythonSession

pytestmark = needs_sandbox

SHORT = PythonLimits(seconds=3)


def said(code: str, **settings: object) -> str:
    """The error of a call, "" when it had none."""
    return result(textwrap.dedent(code), **settings).error or ""


# Files of the host


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "/etc/shadow", "/proc/self/environ", "/proc/1/environ", "/sys/kernel"]
)
def test_host_files_are_not_there(path: str) -> None:
    assert "FileNotFoundError" in said(f"open({path!r}).read()")


def test_the_home_and_this_checkout_are_not_there() -> None:
    places = [str(Path.home()), str(Path(__file__).parents[2]), "/root", "/home", "/var", "/run", "/usr/bin"]
    assert result(f"import os; [p for p in {places!r} if os.path.exists(p)]").value == "[]"


def test_other_installed_packages_are_not_there() -> None:
    code = """
    found = []
    for name in ("worktrial", "pytest", "duckdb", "aiohttp"):
        try:
            __import__(name)
            found.append(name)
        except ModuleNotFoundError:
            pass
    import os, sys
    found += [f for f in sys.path if "site-packages" in f]
    found += [d for d, _, files in os.walk("/python") if "-packages" in d and files]
    found
    """
    assert result(textwrap.dedent(code)).value == "[]"


def test_only_these_devices_are_there() -> None:
    assert result("import os; sorted(os.listdir('/dev'))").value == "['full', 'null', 'random', 'urandom', 'zero']"


@pytest.mark.parametrize(
    "place",
    [
        "/x",
        "/dev/x",
        "/dev/shm/x",
        "/python/x",
        "/packages/x",
        "/session/x",
        "/usr/x",
        "/etc/x",
        "/packages/numpy/x",
    ],
)
def test_only_the_work_folder_can_be_written(place: str) -> None:
    error = said(f"open({place!r}, 'w').write('x')")
    assert "Read-only file system" in error or "No such file" in error


def test_links_out_of_the_work_folder_lead_nowhere(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("hidden")
    code = f"""
    import os
    os.symlink({str(secret)!r}, "there")
    os.symlink("../../../../../../etc/passwd", "up")
    out = []
    for name in ("there", "up", "../../../etc/passwd"):
        try:
            out.append(open(name).read())
        except FileNotFoundError:
            pass
    try:
        os.link("/dev/urandom", "hard")
    except OSError as e:
        out.append(e.errno)
    out
    """
    assert result(textwrap.dedent(code)).value == "[18]"  # a link across mounts


# What leaks


def test_no_environment_leaks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-7391")
    value = result("import os; sorted(os.environ), 'sk-secret-7391' in str(os.environ)").value
    assert value is not None and value.endswith("False)")
    assert "OPENAI_API_KEY" not in value and "PATH'" not in value.replace("LD_LIBRARY_PATH'", "")


def test_no_descriptors_leak(tmp_path: Path) -> None:
    with (tmp_path / "secret").open("w+") as file:
        file.write("hidden")
        file.flush()
        os.set_inheritable(file.fileno(), True)
        code = """
        import os, stat
        kinds = []
        for fd in range(256):
            try:
                kinds.append(stat.filemode(os.fstat(fd).st_mode)[0])
            except OSError:
                pass
        sorted(kinds)
        """
        # /dev/null, the file for output three times, and the connection to the session (bubblewrap's pipe for the
        # filter is closed by then).
        value = result(textwrap.dedent(code)).value
    assert value is not None
    kinds = eval(value)
    assert "d" not in kinds
    assert kinds.count("-") == 3 and kinds.count("c") == 1 and len(kinds) <= 8


def test_host_and_user_are_not_told() -> None:
    value = result("import os; os.uname().nodename, os.getuid(), os.getppid(), os.getpid()").value
    assert value == "('sandbox', 1000, 0, 1)"


# Network


@pytest.mark.parametrize("family", ["AF_INET", "AF_INET6", "AF_UNIX", "AF_NETLINK", "AF_PACKET", "AF_VSOCK"])
def test_no_socket_opens(family: str) -> None:
    error = said(f"import socket; socket.socket(socket.{family}, socket.SOCK_DGRAM)")
    assert "PermissionError" in error


def test_no_abstract_socket_of_the_host_is_reached() -> None:
    import socket

    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        name = f"\0worktrial-test-{os.getpid()}"
        listening.bind(name)
        listening.setblocking(False)
        # A pair is allowed; it could send to an address if the network were shared.
        pair = "import socket; a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)"
        assert "Error" in said(f"{pair}; a.sendto(b'out', {name!r})")
        with pytest.raises(BlockingIOError):
            listening.recv(10)


# Processes and the kernel


def test_the_parent_cannot_be_killed() -> None:
    async def attack(session: PythonSession) -> PythonResult:
        code = f"""
        import os, signal
        for pid in ({os.getpid()}, {os.getppid()}, 0, -1, 2):
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                pass
        "still here"
        """
        return await session.call(textwrap.dedent(code))

    assert in_session(attack).value == "'still here'"


@pytest.mark.parametrize(
    "code",
    [
        "import os\nwhile True: os.fork()",
        "import subprocess; subprocess.run(['/python/bin/python3', '-c', '1'])",
        "import os\nif os.system('true') != 0: raise PermissionError",
        "import multiprocessing as m; p = m.Process(target=print); p.start()",
        "import os; os.posix_spawn('/python/bin/python3', ['x'], {})",
        "import ctypes; libc = ctypes.CDLL(None, use_errno=True)\nif libc.vfork() < 0: raise PermissionError",
    ],
)
def test_no_process_starts(code: str) -> None:
    error = said(code, limits=SHORT)
    assert "PermissionError" in error


def test_no_thread_starts() -> None:
    assert "can't start new thread" in said("import threading\nwhile True: threading.Thread(target=print).start()")


LIBRARY = "import ctypes; c = ctypes.CDLL(None, use_errno=True)"
# Numbers of kernel calls on x86-64 and arm64.
CALLS = {
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "unshare": (272, 97),
    "mount": (165, 40),
    "memfd_create": (319, 279),
    "shmget": (29, 194),
    "bpf": (321, 280),
    "keyctl": (250, 219),
    "userfaultfd": (323, 282),
    "perf_event_open": (298, 241),
    "setns": (308, 268),
    "clone": (56, 220),
}


@pytest.mark.parametrize("name", CALLS)
def test_dangerous_kernel_calls_are_refused(name: str) -> None:
    number = CALLS[name][os.uname().machine == "aarch64"]
    assert result(f"{LIBRARY}; c.syscall({number}, 0, 0, 0, 0, 0, 0), ctypes.get_errno()").value == "(-1, 1)"


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="x32 exists on x86-64 only")
def test_the_other_calling_convention_is_no_way_around() -> None:
    assert result(f"{LIBRARY}; c.syscall(0x40000000 + 41, 1, 1, 0), ctypes.get_errno()").value == "(-1, 38)"


def test_limits_cannot_be_raised() -> None:
    code = "import resource as r; r.setrlimit(r.RLIMIT_AS, (r.RLIM_INFINITY, r.RLIM_INFINITY))"
    error = said(code)
    assert "not allowed to raise maximum limit" in error or "PermissionError" in error


# The end of whoever started it


def test_the_sandbox_dies_with_its_parent() -> None:
    program = """
    import asyncio, sys
    from worktrial.sandbox import PythonSession
    async def main():
        session = PythonSession()
        await session.call("1")
        print("ready", flush=True)
        await session.call("while True: pass")
    asyncio.run(main())
    """
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program)], stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None and parent.stdout.readline() == "ready\n"
        inside: list[psutil.Process] = []
        while len(inside) < 2:
            inside = psutil.Process(parent.pid).children(recursive=True)
        parent.send_signal(signal.SIGKILL)
    _, alive = psutil.wait_procs(inside, timeout=5)
    assert alive == []


def test_a_sandbox_that_waits_for_a_call_dies_with_its_session() -> None:
    async def leave() -> list[psutil.Process]:
        # Other tests may have left children that live as long as the whole session of tests.
        before = psutil.Process().children(recursive=True)
        session = PythonSession()
        await session.call("import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)")
        inside = [child for child in psutil.Process().children(recursive=True) if child not in before]
        await session.aclose()
        return inside

    inside = asyncio.run(leave())
    _, alive = psutil.wait_procs(inside, timeout=5)
    assert inside
    assert alive == []
