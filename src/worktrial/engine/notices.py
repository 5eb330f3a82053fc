"""Words to the user: the one way in which lines reach a terminal. What others wrote may be among them."""

import sys
from types import TracebackType

from worktrial.language.untrusted import printable, printable_json


def say(text: object, *, err: bool = False, end: str = "\n") -> None:
    """Print a text without what could steer a terminal.

    Args:
        text: What to say.
        err: Whether it goes to standard error.
        end: What follows it.
    """
    print(printable(text), file=sys.stderr if err else sys.stdout, end=end, flush=True)


def say_json(text: str) -> None:
    """Print JSON in which the same characters are escaped, so that it still says the same."""
    print(printable_json(text), flush=True)


def say_object(value: object) -> None:
    """Print a value as JSON, as `say_json` does."""
    import msgspec

    say_json(msgspec.json.format(msgspec.json.encode(value), indent=2).decode())


def say_crash(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Print a traceback, as `sys.excepthook` does, without what could steer a terminal."""
    import traceback

    say("".join(traceback.format_exception(kind, error, trace)), err=True, end="")


def tell_on_stderr(text: str) -> None:
    """Say something about a run while it goes on."""
    say(f"worktrial: {text}", err=True)
