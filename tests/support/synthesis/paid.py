"""Which answers a suite folder has kept, beside those that the server has given."""

import json
import time
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.request import ScriptedRequest
from tests.support.scripted_server import ScriptedServer

_PATIENCE = 20.0  # seconds for connections of a dead process to be noticed


def kept_answers(suite: Path) -> dict[int, str]:
    """The server's number of each answer that lies in the cache, with the answer as JSON."""
    texts = [path.read_text() for path in (suite / "work" / "cache").rglob("*.json")]
    return {int(json.loads(text)["id"].removeprefix("chatcmpl-")): text for text in texts}


@dataclass
class Till:
    """Keeps count of what was answered, over several sessions on one folder."""

    server: ScriptedServer
    suite: Path
    lost: list[ScriptedRequest] = field(default_factory=list)
    """Answered, and not kept; all of them were in flight when their session was broken off."""

    def close_session(self) -> list[ScriptedRequest]:
        """The answers that the session before lost, which has ended.

        Raises:
            AssertionError: one was lost that was not in flight at the end, or an answer that was kept is gone.
        """
        deadline = time.monotonic() + _PATIENCE
        while (now := self.server.stats())["in_flight"] or now["connections_open"]:
            assert time.monotonic() < deadline, "connections of the ended process stay open"
            time.sleep(0.005)
        kept = kept_answers(self.suite)
        given = [r for r in self.server.requests if r.status == 200]
        last = {r.connection: r.number for r in self.server.requests}
        known = {r.number for r in self.lost}
        lost = [r for r in given if r.number not in kept and r.number not in known]
        # Who uses a connection again has got, and kept, the answer before.
        early = [r.number for r in lost if last[r.connection] != r.number]
        assert not early, f"answers {early[:5]} were delivered and are not kept"
        self.lost += lost
        return lost

    @property
    def paid(self) -> int:
        """Answers that were given and not lost."""
        return sum(r.status == 200 for r in self.server.requests) - len(self.lost)
