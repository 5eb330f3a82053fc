"""Fuzzing of every reader, led by coverage where atheris can be had, which is in an environment of its own."""

import os
import subprocess
import sys

from scripts.environments import ROOT, environment


def main() -> int:
    """Run `tests.fuzz` with the arguments that were given; its exit code."""
    further = dict[str, str]()
    try:
        python = environment("fuzz", ROOT / "requirements" / "fuzz.txt", sys.executable)
    except (subprocess.CalledProcessError, OSError) as e:
        print(f"fuzz: no atheris here ({e}); seeds are changed at random instead", flush=True)
    else:
        version = f"python{sys.version_info.major}.{sys.version_info.minor}"
        further["PYTHONPATH"] = str(python.parents[1] / "lib" / version / "site-packages")
    words = [sys.executable, "-m", "tests.fuzz", *sys.argv[1:]]
    return subprocess.run(words, cwd=ROOT, env={**os.environ, **further}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
