"""Code as a tree, while other threads make trees as well."""

import ast
import gc
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from worktrial.source_trees import parsed

SOURCE = Path(parsed.__code__.co_filename).with_name("options.py").read_text("utf-8")
TREE = ast.dump(ast.parse(SOURCE))


@pytest.fixture
def crowded() -> Iterator[None]:
    """Threads that make trees all the while, as printed tracebacks do, and change places within one."""
    ended, threshold, interval = threading.Event(), gc.get_threshold(), sys.getswitchinterval()

    def changes_places(phase: str, info: object) -> None:
        sum(range(1000))

    def makes_trees() -> None:
        while not ended.is_set():
            try:
                ast.parse(SOURCE)
            except SystemError:
                continue

    gc.callbacks.append(changes_places)
    gc.set_threshold(200, 5, 5)
    sys.setswitchinterval(1e-5)
    others = [threading.Thread(target=makes_trees) for _ in range(2)]
    for one in others:
        one.start()
    yield
    ended.set()
    for one in others:
        one.join()
    gc.callbacks.remove(changes_places)
    gc.set_threshold(*threshold)
    sys.setswitchinterval(interval)


@pytest.mark.usefixtures("crowded")
def test_other_threads_that_make_trees_do_not_matter() -> None:
    assert {ast.dump(parsed(SOURCE)) for _ in range(60)} == {TREE}


def test_what_is_no_python_is_said() -> None:
    with pytest.raises(SyntaxError, match="invalid syntax"):
        parsed("def :", "rules.py")
