"""A model's file from the official hub, with the hub's own client."""

import sys
from importlib.util import find_spec
from pathlib import Path

from worktrial.engine.local.catalogue import CatalogueEntry
from worktrial.engine.local.fetch import FetchFailed, Progress, download_environment, run_watched

_PROBE_SECONDS = 5.0
_REVISION = "main"


def fetch(entry: CatalogueEntry, partial: Path, tell: Progress) -> None:
    """Put the file into `partial` under its catalogue name; its bytes are not checked here.

    Raises:
        FetchFailed: the client is not installed, or the hub cannot be reached.
    """
    if find_spec("huggingface_hub") is None:
        raise FetchFailed("huggingface_hub is not installed (pip install 'worktrial[local]')")
    tell(0, entry.size, "asking the official hub")
    folder = partial / "hub"
    folder.mkdir(parents=True, exist_ok=True)
    arguments = [entry.hub_repository, entry.hub_file, str(folder)]
    run_watched(
        [sys.executable, "-m", "worktrial.engine.local.hub", *arguments],
        folder,
        # The transfer goes into our folder and nowhere else, so that the bytes can be counted and resumed.
        {**download_environment("HF_"), "HF_HUB_DISABLE_PROGRESS_BARS": "1", "HF_HUB_DISABLE_XET": "1"},
        lambda done: tell(min(done, entry.size), entry.size, "from the official hub"),
    )
    (folder / entry.hub_file).replace(partial / entry.path.name)


def _download(repository: str, file: str, folder: str) -> None:
    import huggingface_hub

    # Asked once without the client's own retries: they would keep a machine without internet waiting for 20 s.
    address = huggingface_hub.hf_hub_url(repository, file, revision=_REVISION)
    huggingface_hub.get_hf_file_metadata(address, timeout=_PROBE_SECONDS)
    huggingface_hub.hf_hub_download(repository, file, revision=_REVISION, local_dir=folder)


if __name__ == "__main__":
    try:
        _download(*sys.argv[1:])
    except Exception as e:  # noqa: BLE001 - whatever it is, the parent reads this one line
        sys.exit(f"{type(e).__name__}: {' '.join(str(e).split())}")
