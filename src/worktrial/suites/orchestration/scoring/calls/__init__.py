"""Tool calls and refusals of domain agents held against the gold ones."""
