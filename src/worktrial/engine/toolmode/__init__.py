"""JSON tool mode: tool calls for endpoints without them, as a reply in a JSON Schema's shape."""

from worktrial.engine.toolmode.request import decode, encode

__all__ = ["decode", "encode"]
