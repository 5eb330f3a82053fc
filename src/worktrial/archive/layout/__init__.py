"""Tables and text of a page from the places of its words."""

from worktrial.archive.layout.finder import find_tables, page_content

__all__ = ["find_tables", "page_content"]
