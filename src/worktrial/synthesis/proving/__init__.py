"""Proof of composed tasks by models: a second worker's end beside the author's, and how often a task is passed."""
