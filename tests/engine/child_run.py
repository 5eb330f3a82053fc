"""A tiny run as a process of its own: `python -m tests.engine.child_run URL FOLDER SAMPLES [SHARD]`."""

import sys
from pathlib import Path

from tests.engine.rig import TinyTrial, run_tiny

from worktrial.engine.shard import read_shard
from worktrial.engine.trial import ShardedTrial
from worktrial.errors import WorktrialError

if __name__ == "__main__":
    try:
        trial = TinyTrial(int(sys.argv[3]))
        part = ShardedTrial(trial, read_shard(sys.argv[4])) if sys.argv[4:] else trial
        run_tiny(Path(sys.argv[2]), sys.argv[1], part)
    except WorktrialError as e:
        print(f"{type(e).__name__}: {e}", file=sys.stderr)
        sys.exit(e.exit_code)
