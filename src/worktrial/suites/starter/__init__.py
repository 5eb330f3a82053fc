"""Our own executable workplaces, checked by code."""
