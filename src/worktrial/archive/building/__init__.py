"""Building an archive from documents."""

from worktrial.errors import extra

with extra("documents", "Building an archive"):
    import pyarrow  # noqa: F401
    import pypdfium2  # noqa: F401
    import tantivy  # noqa: F401
