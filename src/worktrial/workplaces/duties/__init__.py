"""Duties that an agent has beside its task: a policy that holds for every call, and asking a human."""
