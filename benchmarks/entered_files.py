"""Files of ours that one task enters, from the command to its record: how much there is to read to follow it.

    python -m benchmarks.entered_files [--suite starter] [--agent plan] [--task lab-01] [--list]

A file counts where one of its functions is called, in any thread, before the record is written; what runs while a
module is imported does not.
"""

import argparse
import inspect
import sys
import threading
from pathlib import Path
from tempfile import TemporaryDirectory
from types import CodeType, FrameType
from typing import Any

import worktrial
from worktrial.cli.main import main as command

SOURCE = Path(worktrial.__file__).parent


def entered(words: list[str], run: Path) -> dict[Path, int]:
    """Files whose functions a command calls, with their lines, in the order in which they are entered first.

    Args:
        words: The command's, without `worktrial`.
        run: Folder of the run.
    """
    records = run / "samples.jsonl"
    seen: dict[CodeType, None] = {}

    def has_record() -> bool:
        return records.exists() and records.stat().st_size > 0

    def watch(frame: FrameType, event: str, arg: Any) -> None:
        if event == "call" and frame.f_code not in seen and not _importing(frame) and not has_record():
            seen[frame.f_code] = None

    sys.argv[1:] = words
    threading.setprofile(watch)
    sys.setprofile(watch)
    try:
        command()
    except SystemExit as end:
        if end.code:
            raise
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    files = dict.fromkeys(path for path in (Path(code.co_filename) for code in seen) if path.is_relative_to(SOURCE))
    return {path: len(path.read_text("utf-8").splitlines()) for path in files}


def _importing(frame: FrameType) -> bool:
    """Whether a frame is the body of a class or module of ours, or is called from one."""
    at: FrameType | None = frame
    while at is not None:
        code = at.f_code
        if not code.co_flags & inspect.CO_OPTIMIZED and Path(code.co_filename).is_relative_to(SOURCE):
            return True
        at = at.f_back
    return False


def main() -> None:
    """Run one task and print what was entered."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--suite", default="starter")
    parser.add_argument("--agent", default="plan")
    parser.add_argument("--task", default="lab-01")
    parser.add_argument("--list", action="store_true", help="name every file")
    given = parser.parse_args()
    with TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        files = entered(["run", given.suite, "--agent", given.agent, "--tasks", given.task, "-o", str(run)], run)
    if given.list:
        for path, lines in files.items():
            print(f"{lines:6,}  {path.relative_to(SOURCE)}")
    print(f"{given.suite}, one task of the agent {given.agent}: {len(files)} files, {sum(files.values()):,} lines")


if __name__ == "__main__":
    main()
