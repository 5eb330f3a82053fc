"""What `local` means."""

import re
from pathlib import Path

import pytest

from worktrial.engine.local.catalogue import CATALOGUE, CatalogueEntry, estimate, find_entry, is_present, resolve
from worktrial.errors import SettingError

MEDIUM, SMALL = CATALOGUE


@pytest.fixture(autouse=True)
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKTRIAL_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("WORKTRIAL_LOCAL_MODEL", raising=False)


def _put(entry: CatalogueEntry) -> None:
    entry.path.parent.mkdir(parents=True, exist_ok=True)
    with entry.path.open("wb") as file:
        file.truncate(entry.size)  # a hole, not half a gigabyte


def test_nothing_there_names_the_command() -> None:
    with pytest.raises(SettingError, match=r"worktrial model pull medium \(1\.1 GB\).*pull small \(0\.5 GB\)"):
        resolve()


def test_the_better_of_the_pulled_ones() -> None:
    _put(SMALL)
    assert resolve().name == SMALL.name
    _put(MEDIUM)
    assert resolve().name == MEDIUM.name
    assert resolve().path == MEDIUM.path


def test_a_named_one() -> None:
    _put(MEDIUM)
    _put(SMALL)
    assert resolve("local:small") == resolve(f"local:{SMALL.name}")
    assert resolve("local:small").path == SMALL.path


def test_a_named_one_that_is_not_there_names_the_command() -> None:
    with pytest.raises(SettingError, match=re.escape(f"worktrial model pull {SMALL.name}")):
        resolve("local:small")


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(SettingError, match=r"'huge'.*medium.*small"):
        resolve("local:huge")
    with pytest.raises(SettingError, match="local:NAME"):
        resolve("gpt-oss")


def test_a_path_of_the_users_own_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _put(MEDIUM)
    own = tmp_path / "my-model.gguf"
    monkeypatch.setenv("WORKTRIAL_LOCAL_MODEL", str(own))
    with pytest.raises(SettingError, match=r"WORKTRIAL_LOCAL_MODEL=.*no such file"):
        resolve()
    own.touch()
    assert (resolve().name, resolve().path) == ("my-model", own)
    assert resolve("local:medium").path == MEDIUM.path


def test_a_torn_file_is_not_present() -> None:
    _put(SMALL)
    with SMALL.path.open("r+b") as file:
        file.truncate(SMALL.size - 1)
    assert not is_present(SMALL)


def test_the_catalogue_is_sound() -> None:
    for entry in CATALOGUE:
        assert re.fullmatch("[0-9a-f]{64}", entry.sha256)
        assert find_entry(entry.alias) is find_entry(entry.name) is entry
        assert all(re.fullmatch(rf"[a-z0-9-]+{n}==[0-9.]+", one) for n, one in enumerate(entry.wheels, 1))


def test_a_trial_takes_as_long_as_it_was_measured_to() -> None:
    everybody = {"agent", "simulator", "judge"}
    assert estimate(1, everybody, MEDIUM.name) == estimate(1, everybody, "of-my-own") == pytest.approx(65)
    assert estimate(10, everybody, "small") == pytest.approx(500)
    assert 0 < estimate(10, {"judge"}, "small") < estimate(10, {"agent"}, "small") < 500
