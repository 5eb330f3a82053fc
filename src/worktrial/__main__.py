"""`python -m worktrial`: the same as the `worktrial` command."""

from worktrial.cli.main import main

main()
