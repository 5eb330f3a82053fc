import json
from pathlib import Path

import pytest
from tests.workplaces.loading.records import record

from worktrial.errors import DataError
from worktrial.workplaces import load_workplaces
from worktrial.workplaces.loading import UnknownWorkplace


def lines(path: Path, *rows: object) -> Path:
    path.write_bytes(b"".join((r if isinstance(r, bytes) else json.dumps(r).encode()) + b"\n" for r in rows))
    return path


def test_a_folder_is_read_file_by_file_when_asked(tmp_path: Path) -> None:
    for name in ("env_a", "env_b"):
        (tmp_path / f"{name}.json").write_text(json.dumps(record(environment_name=name)))
    (tmp_path / "env_broken.json").write_text("{")
    (tmp_path / "notes.json").write_text("{}")
    library = load_workplaces(tmp_path)
    assert list(library) == ["env_a", "env_b", "env_broken"] and len(library) == 3
    assert library["env_a"].name == "env_a"
    kept = library["env_b"]
    assert library["env_b"] is kept
    with pytest.raises(DataError, match=r"env_broken\.json: breaks off"):
        library["env_broken"]


def test_one_jsonl_is_the_same(tmp_path: Path) -> None:
    rows = [record(environment_name="env_ä"), b"", record(environment_name="env_b", task_initial_state={"x": "é"})]
    library = load_workplaces(lines(tmp_path / "all.jsonl", *rows))
    assert list(library) == ["env_ä", "env_b"]
    assert library["env_b"].initial_state == {"x": "é"}
    assert library["env_b"].source.endswith("all.jsonl, line 3")


def test_an_unknown_name_is_an_error_of_both_kinds(tmp_path: Path) -> None:
    library = load_workplaces(lines(tmp_path / "all.jsonl", record()))
    assert "env_x" not in library and library.get("env_x") is None
    with pytest.raises(UnknownWorkplace) as e:
        library["env_x"]
    assert isinstance(e.value, DataError) and isinstance(e.value, KeyError)
    assert str(e.value).startswith(str(tmp_path)) and "no workplace 'env_x'" in str(e.value)


def test_a_name_that_contradicts_the_file(tmp_path: Path) -> None:
    (tmp_path / "env_a.json").write_text(json.dumps(record(environment_name="env_b")))
    with pytest.raises(DataError, match="'env_b', not 'env_a'"):
        load_workplaces(tmp_path)["env_a"]


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ([], "is empty"),
        ([record(), record()], r"line 2: environment_name 'env_depot' again, after line 1"),
        ([record(), json.dumps(record()).encode()[:50]], "line 2: breaks off"),
        ([record(), b'{"environment_name": "\xff"}'], "line 2: is not UTF-8"),
        ([b"\xef\xbb\xbf" + json.dumps(record()).encode()], "line 1: begins with a byte order mark"),
        ([b"[]"], "line 1: holds a list"),
        ([record(environment_name=...)], "line 1: lacks environment_name"),
    ],
)
def test_bad_lines_are_named(tmp_path: Path, rows: list[object], says: str) -> None:
    with pytest.raises(DataError, match=says):
        load_workplaces(lines(tmp_path / "all.jsonl", *rows))


def test_nothing_there(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("")
    for path, says in [
        (tmp_path, "no env_"),
        (tmp_path / "none", "no such file or folder"),
        (tmp_path / "x.txt", "neither"),
    ]:
        with pytest.raises(DataError, match=says):
            load_workplaces(path)
