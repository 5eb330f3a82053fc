"""PDF files: opening, their own characters and ruling lines, pictures of pages."""

from worktrial.archive.pdf.document import Pdf, open_pdf
from worktrial.archive.pdf.page import read_page
from worktrial.archive.pdf.picture import render

__all__ = ["Pdf", "open_pdf", "read_page", "render"]
