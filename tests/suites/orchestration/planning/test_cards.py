"""Agent cards."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.support.tiny_orchestration import TinyOrchestration, card, tool

from worktrial.errors import DataError
from worktrial.suites.orchestration.planning.cards import load_team
from worktrial.suites.orchestration.planning.scenario import Language

Row = dict[str, Any]


def test_sorted_by_id_and_whole(tmp_path: Path) -> None:
    cards = [card("b_agent", tool("dig", "where")), card("a_agent", tool("haul", "load"))]
    cards[0]["tools"].append({"name": "rest"})
    team = load_team(TinyOrchestration(cards=cards).write(tmp_path), Language.EN)
    assert list(team) == ["a_agent", "b_agent"]
    digger = team["b_agent"]
    assert digger.tool_by_name["dig"].parameters == cards[0]["tools"][0]["parameters"]
    assert digger.tool_by_name["rest"].parameters == {"type": "object", "properties": {}}
    assert [skill.id for skill in digger.skills] == ["dig"]
    assert digger.tools[0].spec["function"]["name"] == "dig"


def _set(path: str, value: object) -> Callable[[Row], None]:
    def change(row: Row) -> None:
        *way, last = [int(part) if part.isdecimal() else part for part in path.split(".")]
        at: Any = row
        for part in way:
            at = at[part]
        at[last] = value

    return change


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (_set("agent_card.agent_id", " "), "agent_card.agent_id: ' '"),
        (_set("agent_card.agent_id", "user"), "main and user are taken"),
        (_set("agent_card.agent_id", 5), r"agent_card\.agent_id"),
        (_set("agent_card", []), r"\$\.agent_card"),
        (_set("tools.0.name", ""), r"tools\[0\]\.name is blank"),
        (_set("tools.0.parameters.type", "array"), r"tools\[0\]\.parameters\.type of tool 'dig' is 'array'"),
        (_set("tools.0.parameters.required", "where"), r"tools\[0\]\.parameters\.required"),
        (_set("tools.0.parameters.properties.where", "text"), r"parameters\.properties"),
        (lambda row: row["tools"].append(row["tools"][0]), "more than one is called 'dig'"),
    ],
)
def test_a_bad_card_names_file_and_field(change: Callable[[Row], None], said: str, tmp_path: Path) -> None:
    folder = TinyOrchestration().write(tmp_path)
    bad = card("carpenter", tool("dig", "where"))
    change(bad)
    (folder / "EN/multiagent_cards/carpenter.json").write_text(json.dumps(bad))
    with pytest.raises(DataError, match=rf"carpenter\.json: .*{said}"):
        load_team(folder, Language.EN)


@pytest.mark.parametrize("raw", [b"{", b"", b"\xff\xfe", b"[" * 100_000, b"[]"])
def test_a_card_that_is_no_json_object(raw: bytes, tmp_path: Path) -> None:
    folder = TinyOrchestration().write(tmp_path)
    (folder / "EN/multiagent_cards/bad.json").write_bytes(raw)
    with pytest.raises(DataError, match=r"bad\.json"):
        load_team(folder, Language.EN)


def test_two_cards_of_one_agent(tmp_path: Path) -> None:
    folder = TinyOrchestration().write(tmp_path)
    (folder / "EN/multiagent_cards/other.json").write_text(json.dumps(card("carter")))
    with pytest.raises(DataError, match=r"other\.json: .*'carter' is that of EN/multiagent_cards/carter\.json too"):
        load_team(folder, Language.EN)
