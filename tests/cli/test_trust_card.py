"""`worktrial validate SUITE --card`: twenty points, each with a figure or with what would measure it."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.support.cli import at, command
from tests.support.happy import verdict
from tests.support.occubench import TinyRelease
from tests.support.script import Script
from tests.support.scripted_server import ScriptedServer
from tests.support.tool_hire.shop import write_folder

from worktrial.reports.report import open_report
from worktrial.reports.sections import sections


def card(*words: Any) -> dict[str, dict[str, Any]]:
    """Lines of a card by the name of their point."""
    ran = command("validate", *words, "--card", "--json")
    assert ran.code == 0, ran.err
    return {line["name"]: line for line in json.loads(ran.out)["lines"]}


def values(line: dict[str, Any]) -> dict[str, Any]:
    return {f"{one['name']} {one['group'].partition('=')[2]}".strip(): one["value"] for one in line["figures"]}


@pytest.fixture(scope="module")
def hire(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, dict[str, Any]]]:
    folder = write_folder(tmp_path_factory.mktemp("own") / "good")
    return folder, card(folder)


def test_a_private_suite_answers_by_what_the_card_runs_itself(hire: tuple[Path, dict[str, dict[str, Any]]]) -> None:
    folder, lines = hire
    assert len(lines) == 20 and all(line["figures"] or line["said"] for line in lines.values())
    assert values(lines["oracle"]) == {f"completion {agent}": 1.0 for agent in ("plan", "careful", "greedy")}
    assert values(lines["idle"]) == {"completion idle": 0.0}
    assert values(lines["random"]) == {"completion spam": 0.0}
    assert lines["oracle"]["figures"][0]["low"] is not None and lines["oracle"]["figures"][0]["n"] == 40
    assert values(lines["state"]) == {"findings words-alone": 0.0, "findings plan-minus-write": 0.0}
    assert values(lines["fresh"]) == {"stays_alike plan": 1.0} and lines["fresh"]["figures"][0]["n"] == 20
    assert "does not apply" in lines["judge"]["said"] and not lines["judge"]["figures"]
    people = lines["people"]["said"]
    assert people.startswith(f"not measured: worktrial run {folder} --agent human:NAME")


def test_the_card_as_markdown_and_on_the_terminal(tmp_path: Path) -> None:
    ran = command("validate", "documents", "--card", "-o", tmp_path / "card.md")
    assert ran.code == 0 and "points are answered by a figure" in ran.said
    text = (tmp_path / "card.md").read_text("utf-8")
    assert "| 2. What does doing nothing score? | completion idle | 0.0% (0.0 to" in text
    assert "does not apply: code scores every answer" in text


def test_a_suite_of_models_answers_by_stored_runs_and_audits(tmp_path: Path) -> None:
    data = TinyRelease().write(tmp_path / "data")
    bare = card("occupations", "--data", data)
    assert bare["idle"]["said"].startswith("not measured: models play simulator and judge; ")
    assert bare["flaws"]["figures"] and not bare["judge"]["figures"]
    with ScriptedServer() as server:
        words = ["run", "occupations", "--data", data, *at(server.url), "--repeats", "2"]
        assert command(*words, "-o", tmp_path / "model").code == 0
        idle = [str(word).replace("agent-1", "idle") for word in words]
        assert command(*idle, "-o", tmp_path / "idle").code == 0
    with ScriptedServer(Script(judge=lambda request: verdict(True, "fine"))) as server:
        here = ["--judge", "judge-1", "--base-url", server.url, "--limit", 3]
        assert command("audit", "judge", *here, "-o", tmp_path / "audit").code == 0
    stored = [word for name in ("model", "idle", "audit") for word in ("--from", tmp_path / name)]
    full = card("occupations", "--data", data, *stored)
    assert values(full["idle"]).keys() == {"completion idle"} and full["invalid"]["figures"][0]["value"] == 0.0
    assert values(full["judge"])["planted_verdict failed audit"] == 0.0, "it passes whatever it sees"
    assert values(full["repeats"]).keys() == {"completion agent-1", "pass^2 agent-1"}
    assert {one["name"] for one in full["simulator"]["figures"]} == {"answers_misshapen", "answers_contradictions"}
    refused = command("validate", "starter", "--card", "--from", tmp_path / "model")
    assert refused.code == 2 and "Name runs of starter, and audits" in refused.said
    assert command("validate", "starter", "--from", tmp_path / "model").code == 2
    [trust] = [
        one for one in sections(open_report([tmp_path / "model", tmp_path / "audit"], "r")) if one.id == "trust"
    ]
    words_of = " ".join(trust.html.striptags().split())
    assert "trust card: occupations" in words_of and "planted verdict failed audit" in words_of
