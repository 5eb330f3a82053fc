"""The operations desk of a fleet of services: budgets, incidents, changes."""
