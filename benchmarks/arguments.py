"""What the command lines of the benchmarks share."""

import argparse


def positive(text: str) -> int:
    """A whole number from 1.

    Raises:
        argparse.ArgumentTypeError: it is less.
        ValueError: it is no whole number.
    """
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number
