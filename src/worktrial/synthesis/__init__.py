"""A private trial from your own procedures: clauses, one workplace, tasks, gates, proof and calibration."""
