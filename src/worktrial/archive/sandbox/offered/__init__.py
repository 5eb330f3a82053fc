"""Modules that code in the sandbox can import by their bare names; they stand alone."""
