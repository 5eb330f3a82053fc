"""Signals by which somebody, or a terminal that closes, ends a program."""

import signal
from types import FrameType


def ending_signals() -> list[signal.Signals]:
    """Signals that end a program politely; under `nohup`, the end of the terminal is none of them."""
    hung_up: signal.Signals | None = getattr(signal, "SIGHUP", None)
    if hung_up is None or signal.getsignal(hung_up) is signal.SIG_IGN:
        return [signal.SIGINT, signal.SIGTERM]
    return [signal.SIGINT, signal.SIGTERM, hung_up]


def ignore_ending_signals() -> None:
    """Let no signal change the exit code any more: nothing is left to interrupt, and echoes may still come."""
    for number in ending_signals():
        signal.signal(number, signal.SIG_IGN)


def interrupt_when_hung_up() -> None:
    """Take the end of the terminal for Ctrl-C, in the main thread; under `nohup` it stays ignored."""
    hung_up: signal.Signals | None = getattr(signal, "SIGHUP", None)
    if hung_up not in ending_signals():
        return

    def interrupt(number: int, frame: FrameType | None) -> None:
        if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
            # What a shell starts in the background hears no Ctrl-C.
            raise KeyboardInterrupt
        signal.raise_signal(signal.SIGINT)

    signal.signal(hung_up, interrupt)
