"""Opening a run to go on with it. A process of its own: `python -m benchmarks.scale_open FOLDER`.

What `worktrial run -o FOLDER` does between reading its options and asking a model: compares the settings, opens the
folder, and looks up which samples are left. Prints how many.
"""

import sys
from itertools import product
from pathlib import Path

import msgspec

from worktrial.engine.manifest import MANIFEST, read_manifest
from worktrial.engine.store import RunStore
from worktrial.secrets import Redactor


def left(folder: Path) -> int:
    """Number of samples that are still to be done."""
    manifest = read_manifest(folder / MANIFEST)
    asked = manifest.sessions[0].asked
    assert asked is not None
    again = msgspec.structs.replace(manifest, sessions=[msgspec.structs.replace(manifest.sessions[0])])
    with RunStore(folder, again, Redactor()) as store:
        keys = product(asked.tasks, range(asked.repeats), asked.conditions)
        return sum(not store.is_settled(key) for key in keys)


if __name__ == "__main__":
    print(left(Path(sys.argv[1])))
