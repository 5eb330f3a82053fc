"""Rules of the house that no linter knows: wings keep their names to themselves, docstrings can be read once."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import grimp
import networkx as nx

from worktrial.source_trees import parsed
from worktrial.suite import suites

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "worktrial"
# Words with which a clause begins that is no sentence of its own: "Of its width", "That decides".
CLAUSE = re.compile(
    r"(Of|That|Those|Whose|Who|Whom|What|Where|Which|When|How|So|As|In|On|By|For|From|To|With|Without|If|It|They|There|"
    r"Because|Since|Not|At|Beside|Below|Above|After|Before|Over|Under|Only|Also|Like|Is|Are|Was|Were|Has|Have|Does)\b"
)
# The same word for two things, each known to everybody by that name in its own field.
SHARED_NAMES = frozenset({"Settings", "Options", "Workplace"})


@cache
def files() -> list[tuple[Path, ast.Module]]:
    return [(path, parsed(path.read_text("utf-8"))) for path in sorted(SOURCE.rglob("*.py"))]


def test_nothing_outside_a_wing_names_a_suite() -> None:
    names = "|".join(suites.names)
    word = re.compile(rf"\bsuites\.({names})\b")
    found = []
    for path, tree in files():
        # Documents are also what archives and syntheses are made of, and an extra of the package is called so.
        says = {*suites.names} - {"documents"}
        if any(path.is_relative_to(SOURCE / "suites" / name) for name in suites.names):
            continue
        texts = {id(text) for text in docstrings(tree)}
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and word.search(node.module or ""):
                found.append(f"{path.relative_to(ROOT)}:{node.lineno} imports {node.module}")
            elif isinstance(node, ast.Constant) and node.value in says and id(node) not in texts:
                found.append(f"{path.relative_to(ROOT)}:{node.lineno} says {node.value!r}")
    assert found == []


def docstrings(tree: ast.Module) -> Iterator[ast.Constant]:
    """Docstrings, those under attributes as well."""
    for node in ast.walk(tree):
        for statement in getattr(node, "body", None) or () if not isinstance(node, ast.Lambda | ast.IfExp) else ():
            value = getattr(statement, "value", None)
            if isinstance(statement, ast.Expr) and isinstance(value, ast.Constant) and isinstance(value.value, str):
                yield value


def is_suite_data(path: Path) -> bool:
    """Whether a module is of a suite's workplace or desk: its docstrings are prompts, held by a fingerprint."""
    parts = {*path.relative_to(SOURCE).parts}
    return "suites" in parts and not parts.isdisjoint({"workplaces", "desks"})


def test_docstrings_open_with_a_noun_phrase_or_an_imperative() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{text.lineno}: {text.value.split(chr(10))[0]}"
        for path, tree in files()
        if not is_suite_data(path)
        for text in docstrings(tree)
        if CLAUSE.match(text.value)
    ]
    assert found == []


def test_no_two_public_classes_share_a_name() -> None:
    places = defaultdict(list)
    for path, tree in files():
        if is_suite_data(path):
            continue  # each workplace has records of its own trade
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_") and node.name not in SHARED_NAMES:
                places[node.name].append(str(path.relative_to(SOURCE)))
    assert {name: where for name, where in places.items() if len(where) > 1} == {}


def test_no_test_asserts_a_time() -> None:
    clock = re.compile(r"\b(perf_counter|process_time|monotonic|time\.time)\(\)")
    # At least so long is a pause; at most so long is a bet on the machine.
    compared = re.compile(rf"^\s*assert .*({clock.pattern}[^<>]*<|>[^<>]*{clock.pattern})")
    found = []
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            # A deadline keeps a test that waits from waiting for ever; it asserts nothing about speed.
            if compared.search(line) and "deadline" not in line:
                found.append(f"{path.relative_to(ROOT)}:{number}: {line.strip()}")
    assert found == []


def test_what_is_started_is_given_an_environment() -> None:
    starts = {"subprocess.Popen", "subprocess.run", "asyncio.create_subprocess_exec", "WaitingChild", "Child.start"}
    # Of a whole environment, which may hold keys; these start what inherits it.
    never = {"os.system", "os.popen", "os.execv", "os.execvp", "os.posix_spawn", "asyncio.create_subprocess_shell"}
    never |= {"subprocess.call", "subprocess.check_call", "subprocess.check_output", "subprocess.getoutput"}
    found = []
    for path, tree in files():
        for node in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
            called = ast.unparse(node.func)
            given = next((word.value for word in node.keywords if word.arg == "env"), None)
            whole = given is not None and re.search(r"\bos\.environ\b(?!\[)", ast.unparse(given))
            if called in never or (called in starts and (given is None or whole)):
                found.append(f"{path.relative_to(ROOT)}:{node.lineno}: {called}")
    assert found == []


def test_what_is_printed_goes_through_one_door() -> None:
    doors = {SOURCE / "engine" / "notices.py", SOURCE / "terminal.py"}
    # Programs of their own, which run where there is no Worktrial.
    apart = SOURCE / "interop" / "exchange" / "harbor_task"
    raw = {"print", "Console", "typer.echo", "typer.secho", "click.echo", "click.secho"}
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}: {ast.unparse(node.func)}"
        for path, tree in files()
        if path not in doors and not path.is_relative_to(apart)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func) in raw
    ]
    assert found == []


def test_no_module_reaches_itself_over_others() -> None:
    """Imports within functions and for type checkers count, too: two that need each other are wrongly cut."""
    graph = grimp.build_graph("worktrial", cache_dir=None)
    reached = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    circles = map(sorted, nx.strongly_connected_components(nx.DiGraph(reached)))
    assert [circle for circle in circles if len(circle) > 1] == []
