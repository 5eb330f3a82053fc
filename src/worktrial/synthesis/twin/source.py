"""Source of a twin: asked of the author, and refused before it is run where it cannot be right."""

import ast
import warnings
from collections.abc import Iterator, Sequence

import msgspec

from worktrial.synthesis.artifacts import Slot, ToolDraft, WorkplaceDraft
from worktrial.synthesis.author import Author
from worktrial.synthesis.prompting import fenced, render
from worktrial.synthesis.stages.task import workplace_text

MOST_SOURCE = 30_000
"""Characters."""
MOST_NODES = 10_000
NOT_PYTHON = (SyntaxError, ValueError, RecursionError, MemoryError)
MODULES = frozenset(
    {
        *(
            "__future__",
            "bisect",
            "calendar",
            "collections",
            "copy",
            "datetime",
            "decimal",
            "fractions",
            "functools",
        ),
        *("itertools", "json", "math", "re", "statistics", "string", "textwrap", "typing", "unicodedata"),
    }
)
_NAMES = frozenset(
    {
        *("breakpoint", "compile", "delattr", "eval", "exec", "exit", "getattr", "globals", "hash", "help", "id"),
        *("input", "locals", "memoryview", "open", "quit", "setattr", "vars"),
    }
)
# How a module that may be imported leads to one that may not.
_ATTRIBUTES = frozenset(
    {"builtins", "ctypes", "importlib", "modules", "os", "random", "socket", "subprocess", "sys"}
)
_CLOCKS = frozenset({"now", "today", "utcnow"})
_AT_TOP = (ast.FunctionDef, ast.Import, ast.ImportFrom, ast.Assign, ast.AnnAssign)
_STRANGE = (ast.AsyncFunctionDef, ast.AsyncFor, ast.AsyncWith, ast.Await, ast.ClassDef, ast.Global)
_SHOWN = 8


def faults(source: str, tools: Sequence[ToolDraft]) -> list[str]:
    """Why `source` cannot be the twin of a workplace with `tools`; [] when nothing speaks against trying it.

    It consists of imports, constants and functions, one of them for each tool: the state first, then the arguments.
    """
    if len(source) > MOST_SOURCE:
        return [f"source: has {len(source):,} characters; {MOST_SOURCE:,} are the most"]
    try:
        tree = parsed(source)
    except NOT_PYTHON as e:
        return [f"source: is no Python ({type(e).__name__}: {e})"]
    nodes = sum(1 for _ in ast.walk(tree))
    if nodes > MOST_NODES:
        return [f"source: has {nodes:,} parts; {MOST_NODES:,} are the most"]
    found = dict.fromkeys([*_at_top(tree), *(what for node in ast.walk(tree) for what in _inside(node))])
    return [*list(found)[:_SHOWN], *_of_tools(tree, tools)]


def parsed(source: str) -> ast.Module:
    """The code as a tree.

    Raises:
        SyntaxError, ValueError, RecursionError, MemoryError: it is no Python, or nests too deeply; `NOT_PYTHON`.
    """
    with warnings.catch_warnings():
        # Such as an unknown escape in a text: of no concern here.
        warnings.simplefilter("ignore")
        return ast.parse(source)


def _at_top(tree: ast.Module) -> Iterator[str]:
    for number, node in enumerate(tree.body):
        is_doc = number == 0 and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if not is_doc and not isinstance(node, _AT_TOP):
            yield _at(node, "only imports, constants and functions may stand outside of functions")


def _inside(node: ast.AST) -> Iterator[str]:
    if isinstance(node, _STRANGE):
        yield _at(node, f"{type(node).__name__} is not needed for reads and writes on a state")
    elif isinstance(node, ast.Import):
        yield from (_at(node, f"imports {a.name}") for a in node.names if a.name not in MODULES)
    elif isinstance(node, ast.ImportFrom):
        if node.level or node.module not in MODULES:
            yield _at(node, f"imports from {'.' * node.level}{node.module or ''}")
        yield from (_at(node, f"imports {a.name}") for a in node.names if a.name == "*" or _refused(a.name))
    elif isinstance(node, ast.Name) and (node.id in _NAMES or node.id.startswith("__")):
        yield _at(node, f"uses {node.id}")
    elif isinstance(node, ast.Attribute):
        if node.attr in _CLOCKS:
            yield _at(node, f"asks the machine for the time (.{node.attr}); take it from the state")
        elif _refused(node.attr):
            yield _at(node, f"uses .{node.attr}")
        elif not isinstance(node.ctx, ast.Load):
            yield _at(node, f"changes an attribute (.{node.attr})")


def _refused(name: str) -> bool:
    return name.startswith("__") or name in _ATTRIBUTES


def _of_tools(tree: ast.Module, tools: Sequence[ToolDraft]) -> Iterator[str]:
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    for tool in tools:
        function = functions.get(tool.name)
        if function is None:
            yield f"there is no function {tool.name}"
        else:
            yield from (f"{tool.name}: {what}" for what in _of_signature(function, tool))


def _of_signature(function: ast.FunctionDef, tool: ToolDraft) -> Iterator[str]:
    given = function.args
    ordered = [*given.posonlyargs, *given.args]
    if function.decorator_list:
        yield "has a decorator"
    if not ordered:
        yield "does not take the state as its first parameter"
        return
    properties = tool.parameters.get("properties", {})
    required = tool.parameters.get("required", [])
    if ordered[0].arg in properties and not given.posonlyargs:
        yield f"its first parameter is called as the argument {ordered[0].arg}; write `/` after it"
    plain = ordered[1:]
    if len(given.posonlyargs) > 1:
        yield "only the state may stand before `/`"
    with_default = {a.arg for a in plain[len(plain) - len(given.defaults) :]} if given.defaults else set()
    with_default |= {
        a.arg for a, default in zip(given.kwonlyargs, given.kw_defaults, strict=True) if default is not None
    }
    taken = {a.arg for a in (*plain, *given.kwonlyargs)}
    if given.kwarg is None:
        yield from (f"does not take the argument {name}" for name in properties if name not in taken)
    unsure = sorted(taken - with_default - set(required))
    yield from (f"its parameter {name} needs a default: a call may leave it out" for name in unsure)


def _at(node: ast.AST, what: str) -> str:
    return f"line {getattr(node, 'lineno', '?')}: {what}"


class TwinDraft(msgspec.Struct, kw_only=True, frozen=True):
    """A twin as its author writes it; `work/drafts/<slot>/face.yaml`, which a person may change."""

    suitable: bool
    """Whether what the tools answer follows from state and arguments by fixed rules."""
    source: str = ""
    """Python, a function for each tool; "" where it is not suitable."""
    notes: list[str] = []
    """Decisions of the author where the rules leave it open, or why it is not suitable."""


async def twin_draft(
    slot: Slot, workplace: WorkplaceDraft, author: Author, *, failed: str = "", earlier: str = ""
) -> TwinDraft:
    """A twin for a workplace, or the author's word that it cannot have one.

    Args:
        slot: Whose.
        workplace: Its rules, tools and state.
        author: Writes it.
        failed: Why an earlier version is of no use; "" for the first.
        earlier: That version.

    Raises:
        Unusable: the author's replies cannot be used.
        InvalidSample: the model cannot be reached.
    """
    prompt = render(
        "twin",
        workplace=fenced(workplace_text(workplace)),
        tool=workplace.tools[0].name,
        modules=", ".join(sorted(MODULES - {"__future__"})),
        most=MOST_SOURCE,
        failed=failed,
        earlier=fenced(earlier) if earlier else "",
    )
    salt = f"face/{slot.id}/{1 if failed else 0}"
    text = await author.write(prompt, TwinDraft, salt=salt, check=lambda text: problems(text, workplace))
    return msgspec.structs.replace(text, source=tidy(text.source))


def tidy(source: str) -> str:
    """The same code without blanks around it and at the ends of lines, so that YAML can show it as a block."""
    tidied = "\n".join(line.rstrip() for line in source.strip("\n").splitlines()) + "\n"
    try:
        same = ast.dump(parsed(tidied)) == ast.dump(parsed(source))
    except NOT_PYTHON:
        return source
    return tidied if same and source.strip() else source


def problems(text: TwinDraft, workplace: WorkplaceDraft) -> list[str]:
    """Faults that show without running it."""
    if text.suitable:
        return faults(text.source, workplace.tools)
    return [] if any(note.strip() for note in text.notes) else ["notes: say why it is not suitable"]
