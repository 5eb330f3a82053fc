"""A workplace that a model plays, for work that cannot be code: clauses, tasks with them, rubrics judged."""
