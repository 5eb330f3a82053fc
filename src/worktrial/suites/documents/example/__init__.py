"""The bundled archive: thirty pages of an invented bulletin, six of them scans, and twenty questions.

Made by `scripts/bundle_archive.py`. `pdfs` are the originals, `truth` is what is printed on them, `questions.jsonl`
the questions; `archive` is what `worktrial archive build` made of the PDFs, without index and database, so that the
scans can be read where no recogniser is installed.
"""

import hashlib
import os
import shutil
from pathlib import Path

from worktrial.errors import DataError

ARCHIVE = "archive"
_CACHE_VARIABLE = "WORKTRIAL_CACHE"


def example_folder() -> Path:
    """The folder with `pdfs`, `truth`, `questions.jsonl` and `archive`."""
    return Path(__file__).parent


def example_archive() -> Path:
    """The built archive, ready to be opened: on first use it is put into the user's cache with index and database.

    Raises:
        DataError: the cache cannot be written.
    """
    bundled = example_folder() / ARCHIVE
    digest = hashlib.sha256()
    for path in sorted(p for p in bundled.rglob("*") if p.is_file()):
        digest.update(path.relative_to(bundled).as_posix().encode() + b"\0" + path.read_bytes())
    # Page pictures come from the originals, whose place the archive names.
    digest.update(str(example_folder()).encode())
    target = _cache() / f"example-{digest.hexdigest()[:12]}"
    if not target.is_dir():
        try:
            _put(bundled, target)
        except OSError as e:
            fix = f"Make room, or put the cache elsewhere with the environment variable {_CACHE_VARIABLE}"
            raise DataError(target, f"cannot be written ({e.strerror})", fix) from e
    return target


def _put(bundled: Path, target: Path) -> None:
    from worktrial.archive import open_archive

    target.parent.mkdir(parents=True, exist_ok=True)
    making = target.with_name(f"{target.name}.{os.getpid()}.tmp")
    shutil.rmtree(making, ignore_errors=True)
    shutil.copytree(bundled, making)
    open_archive(making).settle(example_folder() / "pdfs")
    try:
        making.rename(target)
    except OSError:
        # Another process was quicker.
        shutil.rmtree(making, ignore_errors=True)
        if not target.is_dir():
            raise


def _cache() -> Path:
    told = os.environ.get(_CACHE_VARIABLE)
    if told:
        return Path(told).expanduser() / "archives"
    from platformdirs import user_cache_path

    return user_cache_path("worktrial", appauthor=False) / "archives"
