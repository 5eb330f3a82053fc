"""The workplaces of the starter suite, one folder each."""
