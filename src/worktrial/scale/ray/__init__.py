"""Runs on a Ray cluster: shards as its tasks, with one budget and one pace for all, put together at the end."""
