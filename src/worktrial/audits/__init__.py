"""How far simulators and judges can be trusted, measured against workplaces whose truth is known."""
