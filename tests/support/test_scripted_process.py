import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.support.asking import ask, chat
from tests.support.behaviours import Status
from tests.support.combinators import First
from tests.support.command import steps_by_role
from tests.support.judge_behaviours import prose
from tests.support.scripted_process import ScriptedProcess

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-m", "tests.support.scripted_server"]


def test_serves_counts_and_ends_with_its_block() -> None:
    script = ["judge:prose", "agent:Status(429, times=2)"]
    with ScriptedProcess(latency_ms=30, tool_calls=1, script=script, options=["--burst-429", "1"]) as server:
        start = time.monotonic()
        assert chat(server.url, "simulator-1").status == 429
        assert time.monotonic() - start >= 0.03
        assert [chat(server.url, "agent-1").status for _ in range(3)] == [429, 429, 200]
        assert chat(server.url, "judge-1").text.startswith("On the whole")
        assert server.stats()["statuses"] == {"429": 3, "200": 2}
        assert server.reset_stats()["requests"] == server.stats()["requests"] == 0
        pid = server.pid
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT, None])
def test_ends_on_a_signal_or_with_its_stdin(how: signal.Signals | None) -> None:
    command = COMMAND if how else [*COMMAND, "--until-stdin-closes"]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdin is not None
            assert process.stdout is not None
            url = process.stdout.readline().decode().strip()
            assert len(ask(f"{url}/models").json["data"]) == 5
            if how:
                process.send_signal(how)
            else:
                process.stdin.close()
            assert process.wait(5) == 0
        finally:
            # A failure above must not leave the test waiting for a server that nobody stops.
            process.kill()


def test_words_become_steps() -> None:
    steps = steps_by_role(
        ["agent:Status(429, times=3, retry_after=1)", "agent:never_stops", "judge:prose(times=1)"]
    )
    assert steps["agent"][0] == Status(429, times=3, retry_after=1)
    assert steps["judge"] == [First(prose, times=1)]
    for wrong in ("nobody:prose", "judge:no_such_thing", "prose"):
        with pytest.raises(ValueError, match=wrong.split(":")[-1]):
            steps_by_role([wrong])


def test_a_wrong_script_says_so() -> None:
    with pytest.raises(RuntimeError, match="did not start"), ScriptedProcess(script=["judge:nonsense"]):
        pass
