"""Audits of simulators and judges, measured against workplaces whose truth is known."""
