from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.sandbox.sessions import needs_sandbox
from tests.support.own_workplaces import TASKS, WORKPLACE, write_suite
from tests.workplaces.executable.ledger import TOOLS

from worktrial.engine.identity import comparable
from worktrial.engine.manifest import Manifest
from worktrial.errors import DataError, WorktrialError
from worktrial.language import JsonObject
from worktrial.suite import find_suite, find_suite_of, suite_of
from worktrial.suites.executable import ExecutableSuite
from worktrial.suites.executable.folder import OwnExecutableSuite, TrustOptions
from worktrial.suites.simulated import SimulatedSuite


def own(folder: Path) -> OwnExecutableSuite:
    suite = find_suite(folder)
    assert isinstance(suite, OwnExecutableSuite)
    return suite


def manifest(suite: str, data: JsonObject) -> Manifest:
    return Manifest(suite=suite, data=data, settings={}, samples=0)


TRUST = TrustOptions(trust=True)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_suite(tmp_path / "ledger-trial")


def test_a_folder_with_tools_in_python_is_executable(folder: Path) -> None:
    assert isinstance(find_suite(str(folder)), ExecutableSuite)
    (folder / "workplaces" / "ledger" / "tools.py").rename(folder / "elsewhere.py")
    assert isinstance(find_suite(str(folder)), SimulatedSuite)


def test_tasks_are_read_with_what_only_such_folders_have(folder: Path) -> None:
    suite = own(folder)
    first, second = suite.library_of(TRUST).tasks
    assert (first.category, first.domain, first.language) == ("Claims", "Claims", "en")
    assert first.scenario == "A ledger of claims"
    assert first.clauses == ("C-01",) and first.checks[0].clauses == ("C-01",)
    # The start is another state, with the task's changes and what the types fill in.
    assert second.initial_state["clock"] == second.clock == "2031-05-21"
    assert second.initial_state["claims"]["K-8"] == {"status": "OPEN", "amount": 0.0}
    assert {tool.name for tool in second.artifact.tools} >= {"decide", "search_handbook", "read_section"}
    assert suite.title == "ledger-trial" and suite.about == "A ledger"


@needs_sandbox
def test_locked_in_it_reads_the_same(folder: Path) -> None:
    suite = own(folder)
    trusted, sandboxed = suite.library_of(TRUST).tasks, suite.library_of(TrustOptions()).tasks
    assert [task.initial_state for task in trusted] == [task.initial_state for task in sandboxed]
    assert [task.artifact for task in trusted] == [task.artifact for task in sandboxed]


def test_the_fingerprint_is_of_what_results_depend_on(folder: Path) -> None:
    place = folder / "workplaces" / "ledger"
    first = own(folder).source["fingerprint"]
    for neutral in ("suite.yaml", "clauses.yaml", "work/notes.md", "workplaces/ledger/draw.py"):
        (folder / neutral).parent.mkdir(exist_ok=True)
        text = (folder / neutral).read_text("utf-8") if (folder / neutral).exists() else ""
        (folder / neutral).write_text(f"{text}\n# more\n", "utf-8")
    assert own(folder).source["fingerprint"] == first
    for counting in (place / "tools.py", place / "states" / "busy.json", folder / "handbook" / "amounts.md"):
        before = counting.read_text("utf-8")
        counting.write_text(f"{before}\n", "utf-8")
        assert own(folder).source["fingerprint"] != first, counting
        counting.write_text(before, "utf-8")


def test_trust_is_on_record_and_no_bar_to_comparing(folder: Path) -> None:
    suite = own(folder)
    plain, trusted = suite.on_record(TrustOptions()), suite.on_record(TRUST)
    assert trusted == {**plain, "trusted": True}
    one, other = (Manifest(suite="own", data=data, settings={}, samples=0) for data in (plain, trusted))
    assert comparable(one, other) == [] and "trust" in OwnExecutableSuite.options.neutral()


def test_a_stored_run_finds_its_folder(folder: Path) -> None:
    suite = own(folder)
    found = find_suite_of(manifest(suite.name, suite.source))
    assert isinstance(found, OwnExecutableSuite) and found.root == folder
    # Whose folder is gone is still of its kind, under its own name.
    gone = manifest(suite.name, {**suite.source, "folder": str(folder / "gone")})
    shown = suite_of(gone)
    assert isinstance(shown, OwnExecutableSuite) and shown.name == "ledger-trial"
    with pytest.raises(DataError, match=r"gone: the folder of the suite ledger-trial, is not there"):
        find_suite_of(gone)


def test_two_names_of_one_content_are_one_suite(folder: Path) -> None:
    suite = own(folder)
    now = manifest(suite.name, suite.source)
    renamed = manifest("books", {**suite.source, "title": "Books", "folder": "elsewhere"})
    other = manifest(suite.name, {**suite.source, "fingerprint": "another"})
    elsewhere = manifest("books", {**suite.source, "fingerprint": "another"})
    assert comparable(now, renamed) == comparable(renamed, now) == []
    assert [difference.what for difference in comparable(now, other)] == ["data"]
    assert [difference.what for difference in comparable(now, elsewhere)] == ["suite", "data"]
    # An installed suite is known by its name alone.
    plain = {"folder": "built in", "fingerprint": suite.source["fingerprint"]}
    assert [d.what for d in comparable(now, manifest("starter", plain))] == ["suite"]


def test_a_name_is_fit_for_paths_and_no_other_suites(folder: Path) -> None:
    file = folder / "suite.yaml"
    for name, short in (("Bücher & Hefte (2)", "Bücher-Hefte-2"), ("../../etc", "etc"), ("###", "suite")):
        file.write_text(f"format: 1\nkind: suite\nname: '{name}'\n", "utf-8")
        assert (own(folder).name, own(folder).title) == (short, name)
    for taken in ("starter", "audit-judge"):
        file.write_text(f"format: 1\nkind: suite\nname: {taken}\n", "utf-8")
        with pytest.raises(DataError, match=rf"suite\.yaml: name: {taken} is the name of a suite"):
            own(folder)


def tasks_with(change: Callable[[dict[str, Any]], None]) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        tasks = yaml.safe_load(yaml.safe_dump(TASKS))
        change(tasks["tasks"][1])
        (folder / "workplaces" / "ledger" / "tasks.yaml").write_text(yaml.safe_dump(tasks), "utf-8")

    return write


def file_with(name: str, text: str) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        (folder / name).write_text(text, "utf-8")

    return write


def linked_out(folder: Path) -> None:
    (folder.parent / "secret.md").write_text("secret", "utf-8")
    (folder / "handbook" / "secret.md").symlink_to(folder.parent / "secret.md")


def without_tools(folder: Path) -> None:
    other = folder / "workplaces" / "other"
    other.mkdir()
    (other / "workplace.yaml").write_text(yaml.safe_dump({**WORKPLACE, "name": "other"}), "utf-8")


LEDGER = "workplaces/ledger"
TOOLS_FILE = f"{LEDGER}/tools.py"
OTHER_NAME = "name: book\nsystem_prompt: x\nstate_description: {}\n"
LOST = {"status": "LOST"}
NOWHERE = [{"op": "remove", "path": "/nothing"}]
SPOILT = [
    (without_tools, r"other/tools\.py: no such file"),
    (file_with("suite.yaml", "format: 1\n"), r"suite\.yaml: .*kind"),
    (file_with("suite.yaml", "format: 9\nkind: suite\nname: x\n"), r"format is 9"),
    (file_with(f"{LEDGER}/workplace.yaml", OTHER_NAME), "'book', and the folder is called 'ledger'"),
    (file_with(f"{LEDGER}/workplace.yaml", "name: ledger\n"), r"workplace\.yaml: .*system_prompt"),
    (file_with(f"{LEDGER}/initial_state.yaml", "clock: 3\n"), "the initial state does not fit"),
    (file_with(f"{LEDGER}/initial_state.yaml", "- 3\n"), "holds no mapping"),
    (file_with(TOOLS_FILE, TOOLS.replace("def decide(", "def settle(")), "the workplace has no such tool"),
    (file_with(TOOLS_FILE, "x = ("), r"SyntaxError|is no Python"),
    (tasks_with(lambda task: task.update(start="quiet")), r"states/quiet\.json: no such file\. There is: busy"),
    (tasks_with(lambda task: task.update(start="../states/busy")), "no such file"),
    (tasks_with(lambda task: task.update(state=NOWHERE)), r"\(ledger-02\)\.state: does not apply"),
    (tasks_with(lambda task: task["state"][0].update(value=LOST)), r"\(ledger-02\)\.state: .*does not fit.*status"),
    (tasks_with(lambda task: task.update(begin="busy")), r"tasks\[1\]\.begin"),
    (tasks_with(lambda task: task["checks"][0].update(clause="C-01")), "clause"),
    (file_with(f"{LEDGER}/states/busy.json", "[]"), "holds no JSON object"),
    (file_with("handbook/amounts.md", "No front matter."), r"amounts\.md: begins with no front matter"),
    (file_with("handbook/amounts.md", "---\nsection: 1\n---\n"), "front matter needs"),
    (linked_out, r"secret\.md: is a symbolic link out of the folder"),
]


@pytest.mark.parametrize("trust", [pytest.param(False, marks=needs_sandbox), True], ids=["sandboxed", "trusted"])
@pytest.mark.parametrize(("spoil", "said"), SPOILT, ids=range(len(SPOILT)))
def test_a_folder_that_cannot_be_used_says_why(
    folder: Path, spoil: Callable[[Path], None], said: str, trust: bool
) -> None:
    spoil(folder)
    with pytest.raises(WorktrialError, match=said) as raised:
        assert own(folder).library_of(TrustOptions(trust=trust)).tasks
    assert "Traceback" not in str(raised.value)


@needs_sandbox
@pytest.mark.parametrize(
    ("tools", "said"),
    [
        (f"import os\n{TOOLS}", r"tools\.py: line 1: imports os"),
        (TOOLS.replace("SEEN: dict[str, int] = {}", "SEEN = sum(0 for _ in iter(int, 1))"), "endless: "),
        (TOOLS.replace('@reads(claim_id="K-1")', '@reads(claim_id="K-99")'), "example call fails"),
    ],
)
def test_code_that_cannot_be_run_says_why(folder: Path, tools: str, said: str) -> None:
    (folder / TOOLS_FILE).write_text(tools, "utf-8")
    with pytest.raises(DataError, match=said):
        assert own(folder).library.tasks
