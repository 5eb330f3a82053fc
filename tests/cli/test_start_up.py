"""What a start costs: help imports no wing, and `import worktrial` next to nothing."""

import gc
import json
import subprocess
import sys

import pytest

from worktrial.engine.collecting import collecting_seldom

_LIST = "import json, sys; print(json.dumps(sorted(sys.modules)))"


def modules_after(code: str) -> set[str]:
    """Names of the modules that a new interpreter has imported once it has run `code`."""
    words = [sys.executable, "-c", f"{code}\n{_LIST}"]
    ran = subprocess.run(words, capture_output=True, text=True, timeout=100, check=True)
    return set(json.loads(ran.stdout.splitlines()[-1]))


@pytest.mark.parametrize("words", [["--help"], ["--version"]])
def test_help_imports_no_wing(words: list[str]) -> None:
    found = modules_after(
        f"import sys\nsys.argv = ['worktrial', *{words!r}]\n"
        "from worktrial.cli.main import main\ntry:\n    main()\nexcept SystemExit:\n    pass"
    )
    assert "worktrial.cli.main" in found
    assert not [name for name in found if name.startswith(("worktrial.suites", "worktrial.archive"))]
    assert not found & {"pydantic", "numpy", "scipy", "aiohttp", "duckdb", "jinja2", "worktrial.suite"}


def test_the_package_imports_next_to_nothing() -> None:
    found = modules_after("import worktrial")
    assert [name for name in sorted(found) if name.startswith("worktrial")] == ["worktrial", "worktrial.version"]
    assert not found & {"pydantic", "numpy", "msgspec", "rich", "typer", "asyncio"}


def test_a_name_brings_only_what_it_needs() -> None:
    found = modules_after("import worktrial\nworktrial.run")
    assert "worktrial.interop.python" in found
    assert not [
        name for name in found if name.startswith(("worktrial.suites.", "worktrial.cli", "worktrial.archive"))
    ]


def test_a_first_sample_loads_nothing_that_it_does_not_need() -> None:
    found = modules_after(
        "import gc, tempfile, worktrial as wt\n"
        "with tempfile.TemporaryDirectory() as place:\n"
        "    wt.run('starter', 'plan', tasks=['lab-01'], out=place)\n"
        # Importing pauses the collection of garbage.
        "assert gc.isenabled()\n"
    )
    workplaces = "worktrial.suites.starter.workplaces."
    assert {name.removeprefix(workplaces).split(".")[0] for name in found if name.startswith(workplaces)} == {
        "assay_lab"
    }
    unneeded = ("worktrial.engine.local", "worktrial.results", "worktrial.statistics", "worktrial.reports", "rich")
    assert not [name for name in found if name.startswith(unneeded)]


def test_what_waits_for_an_answer_is_not_taken_for_garbage() -> None:
    collections: list[str] = []
    before = gc.get_threshold()
    gc.callbacks.append(lambda phase, info: collections.append(phase))
    try:
        with collecting_seldom(1000):
            held = [[number] for number in range(400_000)]
            assert not collections
            assert gc.isenabled()
        assert gc.get_threshold() == before
        assert len(held) == 400_000
        with collecting_seldom(1):
            # A few in flight do not make it look oftener than it did.
            assert gc.get_threshold() >= before
    finally:
        gc.callbacks.pop()
