"""Tools as a model is offered them."""

from worktrial.language.complete import JsonObject


def tool_spec(name: str, description: str, parameters: JsonObject) -> JsonObject:
    """A tool in the chat-completions form; `parameters` is a JSON Schema of its arguments."""
    return {
        "type": "function",
        "function": {"name": name, "description": description, "parameters": parameters},
    }
