import json

from worktrial.language import tool_spec


def test_the_chat_completions_form_in_the_order_that_prompts_keep() -> None:
    spec = tool_spec("book", "Books a berth.", {"type": "object"})
    written = '{"name": "book", "description": "Books a berth.", "parameters": {"type": "object"}}'
    assert json.dumps(spec) == f'{{"type": "function", "function": {written}}}'
