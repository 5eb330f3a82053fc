"""Scanned pages: recognised word by word, every number by several witnesses."""

from worktrial.errors import extra

with extra("ocr", "Reading scans"):
    from worktrial.archive.ocr.page import recognise_image, recognise_page

__all__ = ["recognise_image", "recognise_page"]
