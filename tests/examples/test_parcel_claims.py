"""The worked example of *Build your own trial*: its files load, and its pages say what is so."""

import re
from pathlib import Path

from worktrial.synthesis.artifacts import JobSpec, WorkplaceDraft
from worktrial.synthesis.calibration.rules import prospects, rules_of
from worktrial.synthesis.checks.case import playable
from worktrial.synthesis.files import read_yaml_as
from worktrial.synthesis.sources import load

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "parcel-claims"
PAGE = (ROOT / "docs" / "how-to" / "build-your-own-trial.md").read_text("utf-8")


def test_the_job_is_one() -> None:
    spec = read_yaml_as(EXAMPLE / "job.yaml", JobSpec)
    assert (spec.role, spec.subtopics, spec.levels) == ("parcel claims handler", 6, [1, 2, 3])
    assert rules_of(spec)


def test_the_documents_are_read_without_a_remark() -> None:
    sources = load([EXAMPLE / "procedure.md", EXAMPLE / "api.yaml"])
    assert {file.name: (file.kind, file.notes) for file in sources.files} == {
        "procedure.md": ("markdown", []),
        "api.yaml": ("openapi", []),
    }
    headings = {passage.heading[-1] for passage in sources.passages if passage.source == "procedure"}
    assert {"3. Deadlines", "5. What is paid", "7. Cases that go wrong easily"} <= headings
    [best, *_] = sources.find("claim for damage arrives within 7 days after delivery", 3)
    assert "7 days" in best.text


def test_the_operations_are_tools_of_a_workplace() -> None:
    tools = [operation.tool for operation in load([EXAMPLE / "api.yaml"]).operations]
    assert [tool.name for tool in tools if not tool.writes] == [
        "get_today",
        "get_parcel",
        "list_scans",
        "find_claims",
        "get_claim",
    ]
    assert len(tools) == 10
    assert all(tool.example_output for tool in tools)
    for tool in tools:
        assert all(of["description"] for of in tool.parameters["properties"].values()), tool.name
    draft = WorkplaceDraft(
        name="desk", system_prompt="A desk.", tools=tools, initial_state={}, state_description={}
    )
    assert len(playable(draft).tools) == 10


def test_the_page_names_files_that_are_there() -> None:
    named = set(re.findall(r"examples/parcel-claims/[\w.]+", PAGE))
    assert named == {f"examples/parcel-claims/{name}" for name in ("job.yaml", "procedure.md", "api.yaml")}
    assert all((ROOT / name).is_file() for name in named)


def test_the_page_tells_what_the_rules_do() -> None:
    rule = rules_of(JobSpec(role="any")).free
    for rate in (0.1, 0.5, 0.7, 0.95):
        found = prospects(rule, rate)
        kept, below, above, open_ = (
            f"{100 * found.ends[side]:.0f} %"
            for side in ("inside", "below", "above", "undecided")  # type: ignore[index]
        )
        assert f"| {rate} | {kept} | {below} | {above} | {open_} | {found.runs:.1f} |" in PAGE
