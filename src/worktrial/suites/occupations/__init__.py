"""OccuBench: professional tasks in workplaces that a language model plays."""
