"""A run as eight shards on Modal, and a function that merges them: `modal run examples/scale/modal_app.py`.

Shards that break off are tried again and go on where they were. `modal volume get worktrial-runs big` fetches
the run.
"""

import subprocess
from pathlib import Path

import modal

SHARDS = 8
TRIAL = ("starter", "--agent", "plan")
RUN = Path("/runs/big")

app = modal.App("worktrial")
image = modal.Image.debian_slim(python_version="3.12").pip_install("worktrial")
runs = modal.Volume.from_name("worktrial-runs", create_if_missing=True)


def part(number: int) -> str:
    return f"{RUN}.shards/shard-{number}"


@app.function(image=image, volumes={"/runs": runs}, timeout=24 * 3600, retries=5)
def shard(number: int) -> None:
    try:
        subprocess.run(
            ["worktrial", "run", *TRIAL, "--shard", f"{number}/{SHARDS}", "-o", part(number)], check=True
        )
    finally:
        runs.commit()


@app.function(image=image, volumes={"/runs": runs}, timeout=3600)
def merge() -> None:
    runs.reload()
    subprocess.run(["worktrial", "merge", *map(part, range(1, SHARDS + 1)), "-o", str(RUN)], check=True)
    runs.commit()


@app.local_entrypoint()
def main() -> None:
    for _ in shard.map(range(1, SHARDS + 1)):
        pass
    merge.remote()
