"""Read every exported task folder with Harbor's task model; runs in an environment of its own."""

import sys
from pathlib import Path

from harbor.models.task.config import TaskConfig
from harbor.models.task.task import Task

files = sorted(Path(sys.argv[1]).rglob("task.toml"))
solved = 0
for path in files:
    task = Task(path.parent)
    assert Task.is_valid_dir(path.parent)
    assert task.instruction and task.config.task is not None and task.short_name == path.parent.name
    [server] = task.config.environment.mcp_servers
    assert server.transport == "streamable-http" and (task.paths.environment_dir / "docker-compose.yaml").exists()
    assert TaskConfig.model_validate_toml(task.config.model_dump_toml()) == task.config
    # Names that it does not know are silently left out of the model.
    ours = TaskConfig.model_validate_toml(path.read_text("utf-8")).model_dump(exclude_unset=True)
    assert ours.keys() == {"schema_version", "task", "metadata", "agent", "verifier", "environment"}
    assert ours["agent"].keys() == ours["verifier"].keys() == {"timeout_sec"}
    solved += task.paths.discovered_solve_path is not None
assert solved
print(len(files), "task folders validated,", solved, "with a solution")
