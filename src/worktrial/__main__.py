"""`python -m worktrial`: the same as the `worktrial` command."""

import sys

if not sys.flags.safe_path:
    # The working folder, whose files are not to be taken for libraries; agents in it are found all the same.
    del sys.path[0]

from worktrial.cli.main import main

main()
