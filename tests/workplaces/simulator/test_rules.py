from worktrial.workplaces.simulator.prompting import filled_rules, lasting_rules

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
