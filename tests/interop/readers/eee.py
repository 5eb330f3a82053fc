"""Validate exported aggregates and instances with every-eval-ever; runs in an environment of its own."""

import os
import sys
from pathlib import Path

from every_eval_ever.validator.validate import main

folders = sorted(path.parent for path in Path(sys.argv[1]).rglob("data"))
count = 0
for folder in folders:
    os.chdir(folder)
    files = sorted(str(path) for path in Path("data").rglob("*.json*"))
    # 2 is for warnings, with which the store would not take them.
    if main([*files, "--format", "github"]) != 0:
        sys.exit(1)
    count += len(files)
assert count
print(count, "files validated without a warning")
