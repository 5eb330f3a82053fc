"""Scoring: plans and tool calls, as the published program does and our own way."""
