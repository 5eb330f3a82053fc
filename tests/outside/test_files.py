"""Files of somebody else: no link and no `..` leads out of their folder, and no size hurts."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.support.growth import growth

from worktrial.engine.stored import open_run
from worktrial.errors import DataError
from worktrial.outside.files import as_json, files_fingerprint, read_bytes, refuse_links_out
from worktrial.outside.yaml_files import json_of_yaml
from worktrial.suites.documents.load import load_questions
from worktrial.suites.simulated.folder import load_own
from worktrial.synthesis.sources.load import load
from worktrial.workplaces import load_workplace
from worktrial.workplaces.handbook import Handbook
from worktrial.workplaces.loading import load_workplaces

SECRET = "-----BEGIN A KEY-----"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A suite of somebody else's, and beside it what is none of its business."""
    (tmp_path / "secret").write_text(SECRET)
    workplace = tmp_path / "suite" / "workplaces" / "depot"
    workplace.mkdir(parents=True)
    (workplace / "workplace.yaml").write_text("name: depot\ntools: [{name: look}]\ninitial_state: {a: 1}\n")
    (workplace / "system_prompt.md").write_text("You are a depot.")
    (tmp_path / "suite" / "suite.yaml").write_text("format: 1\nkind: suite\nname: own\n")
    row = '{"id": "a", "instruction": "i", "rubric": "r", "workplace": "depot"}\n'
    (tmp_path / "suite" / "tasks.jsonl").write_text(row)
    return tmp_path


def workplace_of(place: Path) -> Path:
    return place / "suite" / "workplaces" / "depot"


READERS: dict[str, tuple[str, Callable[[Path], object]]] = {
    "system prompt": ("suite/workplaces/depot/system_prompt.md", lambda p: load_workplace(workplace_of(p))),
    "a field": ("suite/workplaces/depot/state_description.yaml", lambda p: load_workplace(workplace_of(p))),
    "tools": ("suite/workplaces/depot/workplace.yaml", lambda p: load_workplace(workplace_of(p))),
    "a workplace": ("suite/workplaces/env_x.json", lambda p: load_workplaces(p / "suite/workplaces")),
    "tasks": ("suite/tasks.jsonl", lambda p: load_own(p / "suite")),
    "suite": ("suite/suite.yaml", lambda p: load_own(p / "suite")),
    "another file of a workplace": ("suite/workplaces/depot/notes.txt", lambda p: load_own(p / "suite")),
    "a paper": ("suite/handbook/a.md", lambda p: Handbook(p / "suite/handbook").on({})),
    "questions": ("suite/questions.jsonl", lambda p: load_questions(p / "suite")),
    "a document": ("suite/docs/manual.txt", lambda p: load([p / "suite/docs"])),
    "a manifest": ("run/manifest.json", lambda p: open_run(p / "run")),
}


@pytest.mark.parametrize("name", READERS)
def test_a_link_out_of_the_folder_is_never_read(place: Path, name: str) -> None:
    file, read = READERS[name]
    path = place / file
    path.parent.mkdir(exist_ok=True, parents=True)
    path.unlink(missing_ok=True)
    path.symlink_to(place / "secret")
    with pytest.raises(DataError, match="is a symbolic link out of the folder") as refused:
        read(place)
    assert str(path) in str(refused.value) and SECRET not in str(refused.value)


def test_a_folder_that_is_a_link_is_as_bad(place: Path) -> None:
    (place / "other").mkdir()
    workplace_of(place).rename(place / "other" / "depot")
    workplace_of(place).symlink_to(place / "other" / "depot")
    with pytest.raises(DataError, match=r"depot: is a symbolic link out of the folder"):
        load_workplaces(place / "suite" / "workplaces")
    with pytest.raises(DataError, match="is a symbolic link out of the folder"):
        refuse_links_out(place / "suite")


def test_links_within_the_folder_and_to_it_are_fine(place: Path) -> None:
    prompt = workplace_of(place) / "system_prompt.md"
    prompt.rename(workplace_of(place) / "rules.md")
    prompt.symlink_to("rules.md")
    (place / "link").symlink_to(place / "suite")
    assert load_own(place / "link").workplaces["depot"].system_prompt == "You are a depot."
    # As the hub's client keeps what it fetched.
    snapshot, blobs = place / "hub/snapshots/abc", place / "hub/blobs"
    snapshot.mkdir(parents=True)
    blobs.mkdir()
    (blobs / "0a1b").write_text("from the hub")
    (snapshot / "file").symlink_to("../../blobs/0a1b")
    assert read_bytes(snapshot / "file", within=snapshot) == b"from the hub"


def test_two_dots_lead_nowhere(place: Path) -> None:
    with pytest.raises(DataError, match="lies outside of"):
        read_bytes(place / "suite" / ".." / "secret", within=place / "suite")
    (place / "suite" / "suite.yaml").write_text("format: 1\nkind: suite\nname: own\ntasks: ../secret\n")
    with pytest.raises(DataError, match=r"suite\.yaml: tasks: '../secret' lies outside"):
        load_own(place / "suite")


def test_size_and_kind_of_a_file_are_known_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "large"
    path.write_bytes(b"12345678")
    assert read_bytes(path, most=8) == b"12345678"
    with pytest.raises(DataError, match="large: has more than the 7 bytes"):
        read_bytes(path, most=7)
    os.mkfifo(tmp_path / "pipe")
    # Nobody writes into it: whoever opened it would wait for ever.
    with pytest.raises(DataError, match="pipe: is no regular file"):
        files_fingerprint(tmp_path, [tmp_path / "pipe"])
    with pytest.raises(DataError, match="has more than the 9 bytes"):
        read_bytes(Path("/dev/zero"), most=9)
    with pytest.raises(DataError, match="no such file"):
        read_bytes(tmp_path / "nowhere")
    with pytest.raises(DataError, match=r"cannot be read \(Is a directory\)"):
        read_bytes(tmp_path)


def bomb(levels: int) -> str:
    lines = [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, levels)]
    return "\n".join(["a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]", *lines])


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a: " + "[" * 100_000, "nested more than 100 levels deep"),
        ("- " * 100_000, "nested more than 100 levels deep"),
        (bomb(9), "more than 500000 values once its aliases are written out"),
        ("a: &a [*a]", "an alias that stands for a collection it is part of"),
        ("a: " + "9" * 100_000, "a number without end"),
        ("a: 1" + ":59" * 100_000, "a number without end"),
        ('a: !!int ""', "not YAML"),
        ("a: !!python/object/apply:os.getcwd []", "constructor"),
        ("a: x\0", "not YAML"),
    ],
)
def test_yaml_that_would_hurt_is_refused(text: str, why: str) -> None:
    with pytest.raises(DataError, match=rf"^here: .*{why}"):
        json_of_yaml(text, "here")


def test_many_keys_take_time_in_proportion() -> None:
    texts = {n: "".join(f"k{i}: 1\n" for i in range(n)) for n in (1_000, 4_000)}
    assert growth(lambda n: json_of_yaml(texts[n], "here"), 1_000) < 8


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (b"[" * 100_000, "nests too deeply|breaks off"),
        (b'{"a":' * 101 + b"1" + b"}" * 101, "nests too deeply"),
        (b"[" + b"1," * 2_100_000 + b"1]", "more than 2,000,000 values"),
        (b"9" * 100_000, "is not JSON"),
    ],
)
def test_json_that_would_hurt_is_refused(raw: bytes, why: str) -> None:
    with pytest.raises(DataError, match=rf"^here: .*({why})"):
        as_json(raw, "here")


def test_json_at_its_bounds_is_read() -> None:
    assert as_json(b"[" * 100 + b"1" + b"]" * 100, "here")
    assert as_json(b'"' + b"a, " * 2_100_000 + b'"', "here")
