"""Read every exported trajectory with the package `atif`; runs in an environment of its own."""

import sys
from pathlib import Path

from atif import Trajectory

files = sorted(Path(sys.argv[1]).rglob("*.json"))
for path in files:
    Trajectory.model_validate_json(path.read_bytes())
print(len(files), "trajectories validated")
