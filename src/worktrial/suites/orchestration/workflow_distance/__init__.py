"""How alike a predicted plan is to the gold one: the published score and the sound one."""
