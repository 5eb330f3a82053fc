"""Questions that need their owner's consent, from a real server that behaves as the hub does."""

import re
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from tests.support.cli import Ran, outcomes, worktrial
from tests.support.serving import serving
from tests.support.tiny_archive import write_questions

TOKEN = "hf_" + "z9" * 17
REPOSITORY = "someone/ledger-questions"
COMMIT = "3" * 40


class _Hub(BaseHTTPRequestHandler):
    """One gated dataset with one file."""

    body = b""

    def do_HEAD(self) -> None:
        self._answer()

    def do_GET(self) -> None:
        if self._answer():
            self.wfile.write(self.body)

    def _answer(self) -> bool:
        refused = self._refused()
        self.send_response(refused[0] if refused else 200)
        if refused:
            self.send_header("X-Error-Code", refused[1])
        self.send_header("Content-Length", "0" if refused else str(len(self.body)))
        self.send_header("ETag", f'"{len(self.body):040}"')
        self.send_header("X-Repo-Commit", COMMIT)
        self.end_headers()
        return refused is None

    def _refused(self) -> tuple[int, str] | None:
        if not self.path.startswith(f"/datasets/{REPOSITORY}/resolve/"):
            return 404, "RepoNotFound"
        if self.headers.get("Authorization") != f"Bearer {TOKEN}":
            return 401, "GatedRepo"
        revision, _, file = self.path.partition("/resolve/")[2].partition("/")
        if revision not in ("main", "v2", COMMIT):
            return 404, "RevisionNotFound"
        return None if file == "held/ours.jsonl" else (404, "EntryNotFound")

    def log_message(self, format: str, *args: object) -> None:
        """Not on the terminal."""


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[str]:
    """Its address; it gives out the questions of the tiny archive."""

    class Hub(_Hub):
        body = write_questions(tmp_path).read_bytes()

    with serving(Hub) as address:
        yield address


def _run(hub: str, home: Path, address: str, token: str | None = TOKEN) -> Ran:
    words = ["run", "documents", "--questions", address, "--setup", "closed", "--agent", "idle", "-o", home / "run"]
    environment = {"HF_ENDPOINT": hub, "HF_HOME": str(home / "hub"), **({"HF_TOKEN": token} if token else {})}
    return worktrial(*words, env=environment)


def test_with_the_users_token_they_are_fetched_once_and_the_token_is_nowhere(hub: str, tmp_path: Path) -> None:
    address = f"hf://datasets/{REPOSITORY}@v2/held/ours.jsonl"
    ran = _run(hub, tmp_path, address)
    assert ran.code == 0, ran.said
    assert set(outcomes(tmp_path / "run")) == {"HB1", "HB2", "HB3", "HB4"}
    written = [path.read_bytes() for path in (tmp_path / "run").rglob("*") if path.is_file()]
    assert written and not any(TOKEN.encode() in content for content in written) and TOKEN not in ran.said
    again = _run("http://127.0.0.1:9", tmp_path, address, token=None)
    assert again.code == 0 and "fetched" not in again.said


@pytest.mark.parametrize(
    ("address", "token", "says"),
    [
        (f"hf://datasets/{REPOSITORY}/held/ours.jsonl", None, "accept its terms.* set HF_TOKEN"),
        (f"hf://datasets/{REPOSITORY}/held/other.jsonl", TOKEN, "has no file held/other.jsonl"),
        (f"hf://datasets/{REPOSITORY}@v9/held/ours.jsonl", TOKEN, "has no revision v9"),
        ("hf://datasets/nobody/nothing/some.csv", TOKEN, "is no dataset, or a private one"),
        ("hf://someone/ledger-questions/ours.jsonl", TOKEN, "write hf://datasets/OWNER/NAME/FILE.csv"),
    ],
)
def test_what_keeps_them_is_said(hub: str, tmp_path: Path, address: str, token: str | None, says: str) -> None:
    ran = _run(hub, tmp_path, address, token)
    assert ran.code == 2, ran.said
    assert re.search(says, ran.said, re.IGNORECASE) and "Traceback" not in ran.said and TOKEN not in ran.said


def test_a_hub_out_of_reach(tmp_path: Path) -> None:
    ran = _run("http://127.0.0.1:9", tmp_path, f"hf://datasets/{REPOSITORY}/held/ours.jsonl")
    assert ran.code == 2 and "out of reach" in ran.said and TOKEN not in ran.said
