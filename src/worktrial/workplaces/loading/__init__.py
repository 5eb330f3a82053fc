"""Reading workplaces from files: our YAML folder, OccuBench's JSON, a folder of those, one JSONL."""

from worktrial.workplaces.loading.library import UnknownWorkplace, Workplaces, load_workplace, load_workplaces

__all__ = ["UnknownWorkplace", "Workplaces", "load_workplace", "load_workplaces"]
