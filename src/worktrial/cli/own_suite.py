"""A suite of one's own on the command line: its folder stands where a suite's name stands."""

import os
from pathlib import Path
from typing import Any

import typer.core

from worktrial.errors import DataError, SettingError

SUITE_FILE = "suite.yaml"
RUNS_AS = "occupations"
"""The suite whose way of running it takes."""


def own_suite(word: str) -> Path | None:
    """The folder of a suite that `word` names; None where it is a name, or the name of nothing.

    Raises:
        DataError: it is a folder, or looks like the path of one, and there is no suite in it.
    """
    folder = Path(word)
    if (folder / SUITE_FILE).is_file():
        return folder
    looks_like_one = word.startswith(".") or os.sep in word or "/" in word
    if folder.is_dir():
        fix = (
            f"The OccuBench release is run with: worktrial run {RUNS_AS} --data {word}"
            if (folder / "eval_benchmark_solvable.jsonl").exists()
            else "Name the folder of a finished suite; `worktrial synthesize` makes them"
        )
        raise DataError(folder, f"has no {SUITE_FILE}", fix)
    if looks_like_one:
        raise DataError(folder, "no such folder", "Check the path")
    return None


def own_data(folder: Path, data: Path | None) -> Path:
    """The folder as the suite's data.

    Raises:
        SettingError: other data is named, too.
    """
    if data is not None:
        raise SettingError(f"--data: {folder} has its own data; leave the option out")
    return folder


class SuiteGroup(typer.core.TyperGroup):
    """Commands by suite, to which the folder of a suite of one's own may be given, too."""

    # Typer has moved the classes of these from one release to the next.
    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Run a folder as the occupations suite is run, with it as the data."""
        word = args[0]
        if self.get_command(ctx, word) is None and (folder := own_suite(word)) is not None:
            if any(given == "--data" or given.startswith("--data=") for given in args[1:]):
                raise SettingError(f"--data: {word} has its own data; leave the option out")
            args = [RUNS_AS, "--data", str(folder), *args[1:]]
        return super().resolve_command(ctx, args)
