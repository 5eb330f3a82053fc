"""Functions of the PDF library by their plain addresses, for calls that are made many thousands of times a page."""

import ctypes
from collections.abc import Callable
from typing import Any

import pypdfium2.raw as pdfium

POINTER, INT, FLOAT, DOUBLE = ctypes.c_void_p, ctypes.c_int, ctypes.c_float, ctypes.c_double
UNSIGNED, LONG = ctypes.c_uint, ctypes.c_ulong


def direct(name: str, result: Any, *arguments: Any) -> Callable[..., Any]:
    """A function of the library that takes and gives plain numbers.

    Args:
        name: as the library exports it.
        result: its ctypes type.
        arguments: theirs.
    """
    address = ctypes.cast(getattr(pdfium, name), ctypes.c_void_p).value
    # PYFUNCTYPE keeps the interpreter lock: releasing it for each character costs more than the call itself.
    return ctypes.PYFUNCTYPE(result, *arguments)(address or 0)


def address_of(handle: Any) -> int:
    """Of a page, text page or object, as `direct` functions take it."""
    return int(ctypes.cast(handle, ctypes.c_void_p).value or 0)
