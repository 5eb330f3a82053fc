"""Trials: what teams are asked, who answers, who judges."""
