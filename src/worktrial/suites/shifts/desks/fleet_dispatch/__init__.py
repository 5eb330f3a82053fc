"""Dispatcher of a road haulage fleet in a snow storm: hours, roads, docks and breakdowns, by the handbook."""
