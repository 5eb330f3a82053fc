"""What a model is told before a question: how to look things up, and nothing of faults."""

import pytest

from worktrial.suites.documents.choices import Setup
from worktrial.suites.documents.prepare import system_prompt


@pytest.mark.parametrize("setup", Setup)
@pytest.mark.parametrize("python", [False, True])
def test_a_prompt_does_not_coach_about_faults(setup: Setup, python: bool) -> None:
    text = system_prompt(setup, has_tools=True, python=python).lower()
    for phrase in ("can fail", "incomplete", "ask again", "looks wrong"):
        assert phrase not in text
