"""PDF files: opening, their own characters and ruling lines, pictures of pages."""

from worktrial.errors import extra

with extra("documents", "Reading PDFs"):
    from worktrial.archive.pdf.document import Pdf, open_pdf, render
    from worktrial.archive.pdf.page import read_page

__all__ = ["Pdf", "open_pdf", "read_page", "render"]
