"""Python code as a tree, read safely from any thread."""

import ast
import threading
import warnings

PARSING = threading.Lock()
"""Held by whoever reads code: warnings are silenced for the whole process while it is."""
_TRIES = 20


def parsed(source: str, file: str = "<unknown>", mode: str = "exec") -> ast.Module:
    """The code as a tree; what Python would warn of in it, such as an unknown escape in a text, is of no concern.

    Python 3.11 before 3.11.8 counts the depth of all trees in one place. So a tree can fail with `SystemError`
    where another thread, or a finaliser in this one, makes one at the same time: whoever prints a traceback does
    (python/cpython#106905). Nothing is wrong with the code then, and it is read again.

    Args:
        source: Text of the code.
        file: Name for tracebacks.
        mode: `exec` for a module, `eval` for one expression; the tree is then an `ast.Expression`.

    Raises:
        SyntaxError, ValueError, RecursionError, MemoryError: it is no Python, or nests too deeply.
    """
    with PARSING, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(_TRIES - 1):
            try:
                return ast.parse(source, file, mode)  # type: ignore[return-value]
            except SystemError:
                continue
        return ast.parse(source, file, mode)  # type: ignore[return-value]
