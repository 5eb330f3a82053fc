"""The covenant desk of a commercial mortgage servicer."""
