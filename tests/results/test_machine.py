"""Machine output: one schema, and the numbers of the page."""

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from tests.results.runs import record, store
from tests.support.cli import command
from tests.support.made_runs import make_run

from worktrial.results import writing as written
from worktrial.results.machine import FORMAT, OUTPUTS, json_schema

MODES = ("E0", "E1", "E2", "E3")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs under all faults; `b` is worse."""
    folder = tmp_path_factory.mktemp("runs")
    for name, skill in (("a", 0.8), ("b", 0.4)):
        make_run(folder / name, agent=f"agent-{name}", tasks=40, skill=skill, conditions=MODES, trajectories=False)
    return folder


@pytest.fixture(scope="module")
def validator() -> Draft202012Validator:
    """Of the schema, which is one itself."""
    schema = json_schema()
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def _strictly(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema with no room for a field that it does not name."""
    closed = {
        name: {**shape, "additionalProperties": False} if "properties" in shape else shape
        for name, shape in schema["$defs"].items()
    }
    return {**schema, "$defs": closed}


@pytest.mark.parametrize(
    "words",
    [
        ["show", "a"],
        ["show", "bare"],
        ["compare", "a", "b"],
        ["compare", "a", "b", "--condition", "E2"],
        ["gate", "b", "--min-completion", 0.7, "--min-robustness", 0.5, "--max-seconds", 60],
        ["gate", "b", "--baseline", "a", "--max-regression", 0.03],
        ["estimate", "starter", "--agent", "plan", "--limit", 3],
        ["power", "--n", 43],
        ["power", "--n", 43, "--effect", 0.1],
        ["power", "--run", "a", "--run", "b", "--effect", 0.1],
    ],
)
def test_what_is_printed_keeps_to_the_schema(
    words: list[Any], runs: Path, validator: Draft202012Validator, tmp_path: Path
) -> None:
    store(tmp_path / "bare", [record("1", "fail")])
    places = {"a": runs / "a", "b": runs / "b", "bare": tmp_path / "bare"}
    ran = command(*(places.get(word, word) for word in words), "--json")
    assert ran.code in (0, 1), ran.err
    document = json.loads(ran.out)
    assert (document["command"], document["format"]) == (words[0], FORMAT)
    Draft202012Validator(_strictly(validator.schema)).validate(document)
    del document["format"], document["command"]
    assert not validator.is_valid(document)


def test_every_field_of_a_document_is_explained_or_speaks_for_itself() -> None:
    defined = json_schema()["$defs"]
    for output in OUTPUTS:
        fields = defined[output.__name__]["properties"]
        assert sum("description" in of for of in fields.values()) >= len(fields) / 2
    assert defined["Change"]["properties"]["value"]["description"].startswith("Second minus first")


def test_page_and_json_say_the_same(runs: Path) -> None:
    found = json.loads(command("compare", runs / "a", runs / "b", "--json").out)
    page = command("compare", runs / "a", runs / "b").out
    assert page.startswith(found["comparison"]["conclusion"])
    rate = next(one for one in found["comparison"]["figures"]["listed"] if one["name"] == "completion_of_valid")
    assert f"{rate['first']:.1%}" in page and f"{100 * rate['value']:+.1f}" in page
    shown = json.loads(command("show", runs / "a", "--json").out)
    page = command("show", runs / "a").out
    told = {one["name"]: one for one in reversed(shown["figures"]) if one["condition"] == "E0" and not one["group"]}
    done, calls, seconds = (told[name] for name in ("completion", "calls", "seconds"))
    assert f"{done['value']:.1%} ({100 * done['low']:.1f} to {done['high']:.1%})" in page
    assert f"{calls['value']:.1f} tool calls, {written.seconds(seconds['value'])}" in page
    gated = json.loads(command("gate", runs / "b", "--min-completion", 0.7, "--json").out)
    assert gated["passed"] is False
    assert gated["gate"]["criteria"][0]["reason"] in command("gate", runs / "b", "--min-completion", 0.7).out


def test_a_forced_comparison_says_so(runs: Path, tmp_path: Path) -> None:
    make_run(tmp_path / "c", tasks=40, suite="starter", conditions=MODES, trajectories=False)
    ran = command("compare", runs / "a", tmp_path / "c", "--json", "--force")
    label = json.loads(ran.out)["label"]
    assert label.startswith('compared though they differ in suite: "occupations" -> "starter"')
    words = ("gate", tmp_path / "c", "--baseline", runs / "a", "--max-regression", 1, "--json")
    assert command(*words).code == 2
    assert "compared though" in json.loads(command(*words, "--force").out)["label"]


def test_a_comparison_marks_references(runs: Path, tmp_path: Path) -> None:
    make_run(tmp_path / "idle", agent="idle", tasks=40, skill=0.1, trajectories=False)
    make_run(tmp_path / "a", agent="agent-a", tasks=40, trajectories=False)
    told = json.loads(command("compare", tmp_path / "idle", tmp_path / "a", "--json").out)
    assert told["references"] == [True, False]
    said = command("compare", tmp_path / "idle", tmp_path / "a").out
    first, second = (next(line for line in said.splitlines() if line.startswith(f"{letter}  ")) for letter in "AB")
    assert first.endswith("reference, needs no model") and "reference" not in second
