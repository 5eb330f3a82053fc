"""Doors for agents that live elsewhere: one run's open samples as episodes over HTTP and MCP."""
