"""`python -m lab generate`."""

from pathlib import Path

from lab.__main__ import app
from typer.testing import CliRunner

from lab.generate import Plan, generate
from lab.scoring import read_truth
from worktrial.errors import DataError


def test_generate_writes_what_the_function_writes(tmp_path: Path) -> None:
    told = ["generate", "-o", str(tmp_path / "cli"), "--pages", "16", "--seed", "9", "--questions", "20"]
    result = CliRunner().invoke(app, told)
    assert result.exit_code == 0, result.output
    assert "16 pages" in result.output
    assert "20 questions" in result.output
    assert f"worktrial archive build {tmp_path / 'cli' / 'pdfs'}" in result.output
    generate(tmp_path / "own", Plan(16, 9, questions=20))
    names = sorted(p.relative_to(tmp_path / "own") for p in (tmp_path / "own").rglob("*") if p.is_file())
    for name in names:
        assert (tmp_path / "cli" / name).read_bytes() == (tmp_path / "own" / name).read_bytes()
    assert read_truth(tmp_path / "cli/truth/tables.jsonl")


def test_a_folder_in_use_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    result = CliRunner().invoke(app, ["generate", "-o", str(tmp_path), "--pages", "16"])
    assert isinstance(result.exception, DataError)
    assert [p.name for p in tmp_path.iterdir()] == ["notes.txt"]
