"""Running samples against models at speed: clients, limits, the run folder, the scheduler."""
