"""Scanned pages: recognised word by word, every number by several witnesses, and settled by arithmetic."""

from worktrial.errors import extra

with extra("ocr", "Reading scans"):
    from worktrial.archive.ocr.page import recognise_image, recognise_page
    from worktrial.archive.ocr.second_look import second_look

__all__ = ["recognise_image", "recognise_page", "second_look"]
