"""A private trial from your own procedures: sub-topics, references, workplaces, tasks, calibration, selection."""
