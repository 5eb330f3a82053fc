"""Scanned pages: recognised word by word, every number by several witnesses."""

from worktrial.errors import extra

with extra("ocr", "Reading scans"):
    import cv2  # noqa: F401
