"""The dispatch desk of an inland container terminal."""
