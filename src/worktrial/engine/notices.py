"""Words to the user while a run goes on."""

import sys

from worktrial.language.untrusted import printable


def tell_on_stderr(text: str) -> None:
    """Say something about a run while it goes on."""
    print(printable(f"worktrial: {text}"), file=sys.stderr, flush=True)
