"""Environments of programs that run beside us, in `.interop`, of locked requirements."""

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
UV = Path(sys.executable).with_name("uv")


def environment(name: str, wanted: Path, base: str) -> Path:
    """Python of a program's environment, made where it is not there or its requirements have changed.

    Args:
        name: Of its folder in `.interop`.
        wanted: File of its requirements, with hashes.
        base: Python that it is made with.

    Raises:
        subprocess.CalledProcessError: it cannot be made; what is wrong was printed.
    """
    folder = ROOT / ".interop" / name
    stamp = folder / ".requirements"
    python = folder / "bin" / "python"
    if not stamp.exists() or stamp.read_bytes() != wanted.read_bytes():
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([UV, "venv", "--quiet", "--python", base, folder], check=True)
        subprocess.run([UV, "pip", "sync", "--quiet", "--python", python, "--require-hashes", wanted], check=True)
        shutil.copyfile(wanted, stamp)
    return python
