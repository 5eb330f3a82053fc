"""Layouts: made pages of many kinds through three typesetters, and how well their tables are read."""

from lab.panels.layouts.kinds import KINDS, TYPESETTERS, make_pages
from lab.panels.layouts.page import MadePage
from lab.panels.layouts.reading import PageResult, read_made, set_pages
from lab.panels.layouts.scoring import page_score

__all__ = ["KINDS", "TYPESETTERS", "MadePage", "PageResult", "make_pages", "page_score", "read_made", "set_pages"]
