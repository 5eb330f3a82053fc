"""A tiny run as a process of its own: `python -m tests.engine.child_run URL FOLDER SAMPLES`."""

import sys
from pathlib import Path

from tests.engine.rig import TinyTrial, run_tiny

from worktrial.errors import WorktrialError

if __name__ == "__main__":
    try:
        run_tiny(Path(sys.argv[2]), sys.argv[1], TinyTrial(int(sys.argv[3])))
    except WorktrialError as e:
        print(f"{type(e).__name__}: {e}", file=sys.stderr)
        sys.exit(e.exit_code)
