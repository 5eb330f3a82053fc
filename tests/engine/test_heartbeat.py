"""Signs of life of a run, and its end by a file."""

import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.engine.rig import QUICK, TinyTrial, role_settings, run_tiny
from tests.support.script import Script
from tests.support.scripted_server import ScriptedServer

from worktrial.engine import heartbeat
from worktrial.engine.heartbeat import HEARTBEAT, STOP, Heartbeat, ask_to_stop, read_heartbeat
from worktrial.engine.interruption import Interrupted
from worktrial.engine.manifest import read_manifest
from worktrial.engine.progress import Tally, panel_lines
from worktrial.engine.roles import Role
from worktrial.engine.run import run_trial
from worktrial.engine.run_plan import RunSettings


@pytest.fixture(autouse=True)
def _quickly(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(heartbeat, "BEAT_SECONDS", 0.02)
    yield


class _Watch:
    """Beats that a reader of the folder sees while a run goes on; at the third it may ask for the end."""

    def __init__(self, folder: Path, *, stop: bool) -> None:
        self.beats: list[Heartbeat] = []
        self._folder, self._stop = folder, stop
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look)

    def __enter__(self) -> "_Watch":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._over.wait(0.01):
            if (beat := read_heartbeat(self._folder)) is not None:
                self.beats.append(beat)
                if self._stop and len(self.beats) == 3:
                    ask_to_stop(self._folder)


def test_a_run_shows_what_it_does_and_ends_when_asked(tmp_path: Path) -> None:
    with ScriptedServer(Script(latency=0.1)) as server, _Watch(tmp_path, stop=True) as watch:
        with pytest.raises(Interrupted):
            run_tiny(tmp_path, server.url, TinyTrial(100))
        assert server.count() < 100
    shown = watch.beats[-1]
    assert 0 < shown.in_flight == len(shown.samples)
    assert {one.condition for one in shown.samples} == {"E0"} and shown.samples[0].seconds >= 0
    assert [session.end for session in read_manifest(tmp_path / "manifest.json").sessions][-1] == "interrupted"
    assert not (tmp_path / HEARTBEAT).exists() and not (tmp_path / STOP).exists()
    # Left by a session that was killed: neither stops the next one.
    ask_to_stop(tmp_path)
    (tmp_path / HEARTBEAT).write_text("{")
    assert read_heartbeat(tmp_path) is None
    with ScriptedServer(Script(latency=0.01)) as server:
        assert len(run_tiny(tmp_path, server.url, TinyTrial(100)).records) == 100
    assert not (tmp_path / HEARTBEAT).exists() and not (tmp_path / STOP).exists()


def test_trouble_of_an_endpoint_is_shown_without_its_key(tmp_path: Path) -> None:
    with ScriptedServer(Script(latency=0.05, burst_429=2)) as server, _Watch(tmp_path, stop=False) as watch:
        run_tiny(tmp_path, server.url, TinyTrial(8))
    last = watch.beats[-1]
    assert last.retries >= 2 and any("429" in one.said for one in last.troubles)
    assert all("agent at" in one.said for one in last.troubles)


def test_a_heartbeat_grows_old() -> None:
    now = datetime.now(UTC)
    beat = Heartbeat(written=now.isoformat(timespec="seconds"), in_flight=1)
    assert beat.is_alive(now) and not beat.is_alive(now + timedelta(seconds=heartbeat.SILENCE + 2))


def test_the_panel_has_the_same_facts(tmp_path: Path) -> None:
    told: list[list[str]] = []

    def tell(tally: Tally) -> None:
        told.append(panel_lines(tally))

    with ScriptedServer(Script(latency=0.02, burst_429=1)) as server:
        roles = {Role.AGENT: role_settings(server.url)}
        settings = RunSettings(folder=tmp_path, retry=QUICK, concurrency=4)
        run_trial(TinyTrial(12), roles, settings, progress=tell)
    lines = [line for lines in told for line in lines]
    assert any(line.startswith("E0 ") and line.endswith("passed") for line in lines)
    assert any(line.startswith("in flight: ") for line in lines)
    assert any(line.startswith("sent again: 1 requests") and "429" in line for line in lines)
