"""Worktrial inside other people's tools."""
