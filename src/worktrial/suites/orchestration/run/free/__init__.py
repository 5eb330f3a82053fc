"""Free running: the team's own plan directs its own work."""
