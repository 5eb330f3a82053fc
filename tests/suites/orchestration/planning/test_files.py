"""Folders and files that are not as they should be."""

from pathlib import Path

import pytest
from tests.support.orchestration import whole
from tests.support.tiny_orchestration import TinyOrchestration, step, usual

from worktrial.errors import DataError
from worktrial.suites.orchestration.planning.findings import step_of
from worktrial.suites.orchestration.planning.release import load_release
from worktrial.suites.orchestration.planning.scenario import Language

EN = Language.EN

BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{b}: &{b} [{', '.join(['*' + a] * 9)}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True)
)

BROKEN: dict[str, tuple[str | bytes, str]] = {
    "no YAML": ("steps: [", "is not YAML"),
    "anchors bomb": (BOMB, "is not YAML: more than"),
    "5 MB": ("# " + "x" * 5_000_000, "5000002 bytes"),
    "not UTF-8": ("steps: 뷁".encode("euc-kr", "replace") + b"\xff", "is not UTF-8"),
    "a list": ("- 1", "not a mapping"),
    "nothing": ("", "not a mapping"),
    "no steps": ("metadata: {}", "lacks `steps`"),
    "steps a text": ("steps: many", "`steps` is not a list"),
    "steps empty": ("steps: []", "`steps` is empty"),
    "a step a text": ("steps: [one]", "steps[0] is not a mapping"),
    "no step_id": ("steps: [{agent: main}]", "steps[0].step_id"),
    "step_id twice": (
        "steps: [{step_id: 1, agent: user}, {step_id: 1, agent: user}]",
        "steps[1].step_id is 1, after 1",
    ),
    "no agent": ("steps: [{step_id: 1}]", "steps[0].agent"),
    "deep": ("steps: " + "[" * 5000, "is not YAML"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_one_broken_file_does_not_sink_the_others(name: str, tmp_path: Path) -> None:
    content, why = BROKEN[name]
    folder = TinyOrchestration({"1": usual(), "2": content, "10": usual()}).write(tmp_path)
    release = load_release(folder, [EN])
    assert [s.id for s in release.scenarios] == ["1", "10"]
    [broken] = release.broken
    assert (broken.file, step_of(broken), broken.check) == ("EN/scenario_data/2.yaml", None, "broken-file")
    assert why in broken.what


def test_a_folder_in_place_of_a_file_and_what_editors_leave_behind(tmp_path: Path) -> None:
    folder = TinyOrchestration({"2": usual(), ".2": "not: [yaml"}).write(tmp_path)
    (folder / "EN/scenario_data/1.yaml").mkdir()
    (folder / "EN/scenario_data/dangling.yaml").symlink_to(tmp_path / "nowhere")
    release = load_release(folder, [EN])
    assert [s.id for s in release.scenarios] == ["2"]
    assert [(o.file, o.what) for o in release.broken] == [
        ("EN/scenario_data/1.yaml", "is a folder, not a file"),
        ("EN/scenario_data/dangling.yaml", "is not a regular file"),
    ]


def test_all_broken_is_an_error(tmp_path: Path) -> None:
    folder = TinyOrchestration({"1": "steps: [", "2": ""}).write(tmp_path)
    with pytest.raises(DataError, match=r"1\.yaml: is not YAML.*None of the 2 files in EN/scenario_data"):
        load_release(folder, [EN])


def test_numbers_first_then_names(tmp_path: Path) -> None:
    names = ["copy of 2", "10", "9", "²", "1" * 30]
    loaded = load_release(TinyOrchestration(dict.fromkeys(names, usual())).write(tmp_path), [EN]).scenarios
    assert [s.id for s in loaded] == ["9", "10", "1" * 30, "copy of 2", "²"]


def test_folders_that_are_not_there(tmp_path: Path) -> None:
    data = TinyOrchestration().write(tmp_path / "up" / "data")
    (data / "KO").mkdir()
    empty = tmp_path / "empty"
    (empty / "EN" / "multiagent_cards").mkdir(parents=True)
    for folder, language, said in (
        (tmp_path / "none", EN, "no such folder"),
        (data / "EN/multiagent_cards/gardener.json", EN, "is not a folder"),
        (data / "EN", EN, f"the folder of one language.*Name {data}"),
        (tmp_path / "up", EN, f"holds no folder EN; it holds data. Name {data}"),
        (data, Language.KO, "multiagent_cards: no such folder.*holds nothing"),
        (empty, EN, "holds no .*json file; it holds nothing"),
    ):
        with pytest.raises(DataError, match=said):
            load_release(folder, [language])


def test_outer_findings_are_told(tmp_path: Path) -> None:
    text = "steps:\n- {step_id: 1, agent: user, agent: user, data: {content: Hi}}\nmetadata: {total_steps: 7}\n"
    [loaded] = load_release(TinyOrchestration({"1": text}).write(tmp_path), [EN]).scenarios
    found = [(step_of(o), o.check) for o in loaded.findings]
    assert found == [(1, "duplicate-key")]


def test_content_that_is_no_text_is_a_step_that_is_not_asked(tmp_path: Path) -> None:
    missing = {"agent": "gardener", "workflow_id": None}
    data = whole(step("user", None), step("gardener", {"tool": "dig"}), missing)
    [loaded] = load_release(TinyOrchestration({"1": data}).write(tmp_path), [EN]).scenarios
    assert [type(s).__name__ for s in loaded.steps] == ["OddStep"] * 3
    assert [(step_of(o), o.check) for o in loaded.findings] == [(n, "unscored-step") for n in (1, 2, 3)]


def test_the_fingerprint_follows_contents_names_languages_and_corrections(tmp_path: Path) -> None:
    folder = TinyOrchestration().write(tmp_path)
    prints = [load_release(folder, [EN]).fingerprint, load_release(folder, [EN], corrected=True).fingerprint]
    assert load_release(folder, [EN, EN]).fingerprint == prints[0]
    (folder / "EN/scenario_data/1.yaml").rename(folder / "EN/scenario_data/2.yaml")
    prints.append(load_release(folder, [EN]).fingerprint)
    TinyOrchestration({"2": usual(step("user", "Thanks."))}).write(tmp_path)
    prints.append(load_release(folder, [EN]).fingerprint)
    TinyOrchestration().write(tmp_path, "KO")
    prints.append(load_release(folder, list(Language)).fingerprint)
    assert len(set(prints)) == len(prints)


@pytest.mark.parametrize("other", ["01", "001"])
def test_two_files_with_one_id_are_refused(other: str, tmp_path: Path) -> None:
    folder = TinyOrchestration({"1": usual(), other: usual()}).write(tmp_path)
    with pytest.raises(DataError, match=r"scenario_data/.*its id, '0*1' .* is that of .*1\.yaml too") as refused:
        load_release(folder, [Language.EN])
    assert "Rename one of the two files" in str(refused.value)
