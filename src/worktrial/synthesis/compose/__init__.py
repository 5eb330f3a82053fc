"""Composition of tasks: atoms drawn, put side by side and proved by playing them. No model takes part."""
