"""A suite in a folder, as its page says it: from an empty folder to runs under faults, its code locked in."""

import json
from pathlib import Path

import pytest
from tests.docs.snippets import Reader, snippets
from tests.sandbox.sessions import needs_sandbox
from tests.support.cli import samples_of

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "how-to" / "suite-in-a-folder.md"


@needs_sandbox
@pytest.mark.slow
def test_from_an_empty_folder_to_a_run_with_faults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert not [*tmp_path.iterdir()]
    reader = Reader(tmp_path, models="http://localhost:9/v1")
    # That nobody skipped anything, and that every command ends with 0, is what following it shows.
    page = snippets(PAGE, ROOT)
    assert all(snippet.skipped is None and snippet.exit_code == 0 for snippet in page)
    for snippet in page:
        reader.follow(snippet)
    files = sorted(
        str(path.relative_to(tmp_path)) for path in (tmp_path / "key-trial").rglob("*") if path.is_file()
    )
    assert files == sorted(snippet.title for snippet in page if snippet.title)
    runs = {name: tmp_path / "runs" / "keys" / name for name in ("plan", "careful", "idle")}
    data = json.loads((runs["plan"] / "manifest.json").read_text("utf-8"))["data"]
    assert (data["title"], data["kind"]) == ("key-trial", "executable") and "trusted" not in data
    for name, outcome in (("plan", "pass"), ("idle", "fail")):
        clean = {row["sample"]: row["outcome"] for row in samples_of(runs[name]) if row["condition"] == "E0"}
        assert clean == dict.fromkeys(("keys-01", "keys-02"), outcome)
    assert {row["condition"] for row in samples_of(runs["plan"])} == {"E0", "E1", "E2", "E3"}
    assert any(row["fault_ledger"] for row in samples_of(runs["plan"]))
    assert (tmp_path / "runs" / "keys-report" / "index.html").is_file()
