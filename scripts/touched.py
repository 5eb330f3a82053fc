"""Run the tests of what differs from a commit: `python -m scripts.touched [COMMIT] [PYTEST OPTIONS]`.

A changed module's tests are those in the folder of the same name below `tests`, those that import it, and those
that import a module that imports it directly. Slow tests are left to `make test`.
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[1]
_SOURCE = _ROOT / "src"
# By their words: reading all files as syntax takes ten times as long.
_IMPORT = re.compile(r"^\s*(?:from|import) ([\w.]+)(?: import (\([^)]*\)|[^\n]*))?", re.MULTILINE)
_NAME = re.compile(r"\w+")


def main() -> int:
    """Choose and run; returns pytest's exit code, 0 where nothing is touched."""
    base, *options = sys.argv[1:] or ["HEAD"]
    tests = touched(changed(base))
    if not tests:
        print(f"nothing that has tests differs from {base}")
        return 0
    print(f"{len(tests)} test files touched since {base}")
    chosen = [str(test.relative_to(_ROOT)) for test in tests]
    # In one process where there is little to do: starting workers takes longer.
    workers = ["-n", "auto", "--dist", "loadfile"] if len(tests) > 8 else []
    return int(pytest.main([*chosen, "-m", "not slow", *workers, *options]))


def changed(base: str) -> list[Path]:
    """Python files that differ from `base`, or that git does not know yet."""
    listed = ""
    for words in (["diff", "--name-only", base], ["ls-files", "--others", "--exclude-standard"]):
        listed += subprocess.run(["git", *words], cwd=_ROOT, check=True, capture_output=True, text=True).stdout
    return [_ROOT / name for name in listed.split("\n") if name.endswith(".py")]


def touched(files: list[Path]) -> list[Path]:
    """Test files of these files, in alphabetical order."""
    tests = sorted((_ROOT / "tests").rglob("test_*.py"))
    imports = {path: imported(path) for path in [*_SOURCE.rglob("*.py"), *(_ROOT / "tests").rglob("*.py")]}
    names = {module_of(path) for path in files}
    users = {module_of(path) for path, used in imports.items() if _SOURCE in path.parents and used & names}
    mirrors = {_mirror(path) for path in files}
    return [test for test in tests if test in files or test.parent in mirrors or imports[test] & (names | users)]


def imported(path: Path) -> set[str]:
    """Dotted names of modules that a file imports, wherever in it, and of what may be modules."""
    found: set[str] = set()
    for module, names in _IMPORT.findall(path.read_text("utf-8")):
        found |= {module, *(f"{module}.{name}" for name in _NAME.findall(names))}
    return found


def module_of(path: Path) -> str:
    """Dotted name of the module in a file."""
    base = _SOURCE if _SOURCE in path.parents else _ROOT
    return ".".join(path.relative_to(base).with_suffix("").parts).removesuffix(".__init__")


def _mirror(path: Path) -> Path:
    if _SOURCE not in path.parents:
        return path.parent
    return _ROOT / "tests" / path.parent.relative_to(_SOURCE / "worktrial")


if __name__ == "__main__":
    sys.exit(main())
