"""Handbooks: an organisation's own papers, to be searched and read section by section."""

from worktrial.workplaces.handbook.handbook import Handbook, Paper

__all__ = ["Handbook", "Paper"]
