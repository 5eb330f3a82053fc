"""PDF files: opening, their own characters and ruling lines, pictures of pages."""

from worktrial.errors import extra

with extra("documents", "Reading PDFs"):
    import pypdfium2  # noqa: F401
