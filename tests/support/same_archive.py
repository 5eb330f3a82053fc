"""Two archives that hold the same."""

import json
from pathlib import Path
from typing import Any

from worktrial.archive.store import Archive


def stored(archive: Path) -> dict[str, Any]:
    """Files of all parts, the manifest, and what a query finds, without times."""
    found: dict[str, Any] = {}
    for path in sorted(archive.glob("parts/*/*")):
        found[str(path.relative_to(archive))] = path.read_bytes() if path.suffix == ".parquet" else _timeless(path)
    with Archive.open(archive).connection() as connection:
        found["cells"] = connection.execute("SELECT * FROM cells ORDER BY ALL").fetchall()
    return {**found, "manifest": _timeless(archive / "manifest.json")}


def _timeless(path: Path) -> Any:
    return json.loads(path.read_bytes(), object_hook=lambda o: {k: v for k, v in o.items() if k != "seconds"})
