import re

import pytest
from tests.support.data import real_data_dir

from worktrial.workplaces import load_workplaces
from worktrial.workplaces.simulator.rules import filled_rules, lasting_rules

DATA = {
    "initial_state": '{"s":"{{state_descriptions}}"}',
    "state_descriptions": "{D}",
    "action_set_definitions": "[T]",
}


def test_data_stands_once_and_is_not_searched_for_placeholders() -> None:
    text = (
        "Use `{{action_set_definitions}}` only.\n"
        "```json\n{{initial_state}}\n```\n  {{action_set_definitions}}  \nend"
    )
    filled = filled_rules(text, DATA)
    assert filled.text == (
        'Use `action definitions` only.\n```json\n{"s":"{{state_descriptions}}"}\n```\n  [T]  \nend'
    )
    assert filled.missing == ["state_descriptions"]


def test_an_inline_placeholder_serves_when_no_line_of_its_own_does() -> None:
    assert filled_rules("State: {{initial_state}}, again {{initial_state}}", {"initial_state": "S"}).text == (
        "State: S, again initial state"
    )


def test_rules_without_headings_stay_whole() -> None:
    assert lasting_rules("Be a shop.\nState: {{initial_state}}") == "Be a shop.\nState: initial state"


def test_emphasis_keeps_concrete_dynamics_only() -> None:
    text = "# Role\n- **Emphasis**: You only simulate. You move trains (one segment a minute). No advice.\nMore.\n"
    assert lasting_rules(text) == "# Role\n- **Emphasis**: You move trains (one segment a minute).\nMore."


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        (
            "Stock must persist across the interaction history, so a sale shows.",
            "Stock must persist from call to call, so a sale shows.",
        ),
        ("You must remember which forms were filed.", "You must keep which forms were filed."),
        ("Keep the state in your internal memory.", "Keep the state in the record."),
        ("State maintenance is handled internally by your memory of the conversation. Be exact.", "Be exact."),
        (
            "The output JSON must not contain the internal state or the new_state.",
            "the observation must not contain the internal state or the new_state.",
        ),
        ("Host memory is dumped on request.", "Host memory is dumped on request."),
        ("The patient's medical history persists.", "The patient's medical history persists."),
    ],
)
def test_what_a_workplace_says_of_remembering_fits_a_ledger(said: str, kept: str) -> None:
    assert lasting_rules(f"# Role\n{said}\nMore.") == f"# Role\n{kept}\nMore."


_TOLD = r"conversation history|interaction history|dialogue history|session history|must remember|internal memory"


@pytest.mark.real_data
def test_no_published_workplace_tells_a_ledger_to_remember_by_the_conversation() -> None:
    library = load_workplaces(real_data_dir() / "occubench" / "world_model_configs")
    left = [name for name, place in library.items() if re.search(_TOLD, lasting_rules(place.system_prompt), re.I)]
    told = [name for name, place in library.items() if re.search(_TOLD, place.system_prompt, re.I)]
    print(f"{len(told)} of {len(library)} workplaces speak of remembering by the conversation, {len(left)} after")
    assert len(told) > 75 and len(left) <= 2
