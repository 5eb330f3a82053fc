"""OccuBench-like records for tests."""

from typing import Any

PROMPT = """### Role
You are a depot. Answer {{"error": "no such bay"}} or {{"a": {{"b": 1}}}}; state $s_{{t+1}}$ is hidden.
```json
{{initial_state}}
```
{{state_descriptions}}
{{action_set_definitions}}
{{initial_state}}: {{
  "bays": {{}}
}}
{{state_descriptions}}: {{"bays": "…"}}
{action_set_definitions}: {"get_bay": {}}
"""


def record(**changes: Any) -> dict[str, Any]:
    """A usable record with some fields changed; `...` removes a field."""
    whole = {
        "environment_name": "env_depot",
        "world_model_system_prompt": PROMPT,
        "action_set_definitions": [action()],
        "state_description": {"bays": "Bays by number"},
        "task_initial_state": {"bays": {"1": "free"}},
        **changes,
    }
    return {k: v for k, v in whole.items() if v is not ...}


def action(**changes: Any) -> dict[str, Any]:
    """A usable action with some fields changed; `...` removes a field."""
    whole = {
        "name": "get_bay",
        "description": "Shows a bay.",
        "parameters": {"type": "object", "properties": {"bay": {"type": "string"}}, "required": ["bay"]},
        "example_output": {"state": "free"},
        **changes,
    }
    return {k: v for k, v in whole.items() if v is not ...}
