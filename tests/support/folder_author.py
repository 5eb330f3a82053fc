"""An author that knows one finished workplace: it answers each step of the authoring with the folder's own code."""

import ast
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from tests.support.in_process import TOOL_LIBRARY
from tests.support.request import ScriptedRequest, text_of
from tests.support.script import Answer, Behaviour
from tests.support.wire import completion, json_text

from worktrial.source_trees import parsed
from worktrial.workplaces.executable.code import CodeWorkplace
from worktrial.workplaces.executable.report_form import REPORT_TOOL

STEPS = {
    "You read an organisation's procedure": "clauses",
    "You copied out the clauses": "clauses again",
    "You decide which tools": "operations",
    "You write the data model": "types",
    "You write the generator of initial states": "draw",
    "You write the rules of a workplace": "rules",
    "You write tools of a workplace": "tools",
    "You write the kit": "kit",
    "You write cases": "atoms",
    "You write the acceptance test": "expectations",
    "You keep the rules": "rules again",
    "You keep the acceptance test": "expectations again",
}
_SECTION = re.compile(r"^\[section (\S+)\]", re.MULTILINE)
_LISTED = re.compile(r"^- (\w+) \((?:reads|changes)", re.MULTILINE)
_WANTED = re.compile(r"^Write cases for these clauses now: (.*)$", re.MULTILINE)
_TESTED = re.compile(r"^For each tool of these: (.*)$", re.MULTILINE)
_OTHERS = re.compile(r"^- (?:new|changed): (.*)$", re.MULTILINE)
_LACKING = re.compile(r"no call of (\w+) has to")


def step_of(prompt: str) -> str | None:
    """Step of the authoring that a prompt is of; None where it is none of them."""
    return next((step for beginning, step in STEPS.items() if prompt.startswith(beginning)), None)


@dataclass(frozen=True)
class WrittenFolder:
    """A suite folder taken apart into what an author would write, step by step."""

    folder: Path

    @property
    def workplace(self) -> Path:
        (found,) = [path.parent for path in self.folder.glob("workplaces/*/tools.py")]
        return found

    def clauses(self, prompt: str) -> dict[str, Any]:
        """The clauses of the sections that a prompt shows."""
        shown = set(_SECTION.findall(prompt))
        rows = [
            row
            for row in self._rows
            if any(number in (row["section"], f"{row['document']}-{row['section']}") for number in shown)
        ]
        number = {row["id"]: at for at, row in enumerate(rows, 1)}
        return {
            "clauses": [
                {
                    "section": row["section"],
                    "quote": row["quote"].replace("**", ""),
                    "kind": row["kind"],
                    "applies_when": row.get("applies_when", ""),
                    "exception_to": [number[id] for id in row.get("overrides", []) if id in number],
                }
                for row in rows
            ]
        }

    @property
    def _rows(self) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = yaml.safe_load((self.folder / "clauses.yaml").read_text("utf-8"))
        return rows

    def operations(self) -> dict[str, Any]:
        """The desk's tools, as an author names them where the owner has no interface."""
        tools = CodeWorkplace.read(self.workplace, trust=True).artifact.tools
        return {
            "operations": [
                {"name": t.name, "description": t.description, "parameters": t.parameters, "writes": bool(t.writes)}
                for t in tools
                if t.name != REPORT_TOOL
            ]
        }

    def types(self) -> str:
        return self._tools(lambda node: isinstance(node, ast.ClassDef) or _is_alias(node))

    def draw(self) -> str:
        """The generator of states, with what it takes from the rules, which nobody has written yet."""
        source = (self.workplace / "draw.py").read_text("utf-8")
        found = re.search(r"^from \.rules import (.+)$", source, re.MULTILINE)
        taken = set(found[1].split(", ")) if found else set()
        return f"{self._rules_beside(lambda node: not taken.isdisjoint(_assigned(node)))}\n\n{source}"

    def rules(self) -> str:
        """Everything of the tools' module but records and tools, and the rules that stand beside it."""
        own = self._tools(
            lambda node: (
                not isinstance(node, ast.ClassDef) and not _is_alias(node) and not _marks(node, "reads", "writes")
            )
        )
        return f"{own}\n\n{self._rules_beside(lambda node: True)}"

    def _rules_beside(self, keep: Any) -> str:
        beside = self.workplace / "rules.py"
        return _kept(beside.read_text("utf-8"), keep) if beside.is_file() else ""

    def tools(self, prompt: str) -> str:
        names = set(_LISTED.findall(prompt[prompt.index("The tools that you write now") :]))
        return self._tools(lambda node: bool(_marks(node, "reads", "writes")) and node.name in names)

    def kit(self) -> str:
        """Everything of the cases' module but the cases."""
        return _kept(self._cases, lambda node: not _marks(node, "atom"))

    def atoms(self, prompt: str) -> str:
        """The cases whose first clause is wanted, and all helpers where no kit is shown."""
        found = _WANTED.search(prompt)
        wanted = set(found[1].split(", ")) if found else set()
        brings_helpers = "Helpers that are there already" not in prompt

        def is_wanted(node: Any) -> bool:
            cited = _marks(node, "atom")
            return cited[0] in wanted if cited else brings_helpers

        if not any(_marks(node, "atom") and is_wanted(node) for node in parsed(self._cases).body):
            return f"# NO CASE {', '.join(sorted(wanted))}: others ask for it\n"
        return _kept(self._cases, is_wanted)

    @property
    def _cases(self) -> str:
        return (self.workplace / "atoms.py").read_text("utf-8")

    def expectations(self, prompt: str) -> dict[str, Any]:
        found = _TESTED.search(prompt)
        names = set(found[1].split(", ")) if found else set()
        rows = yaml.safe_load((self.workplace / "expectations.yaml").read_text("utf-8"))
        return {"expectations": [row for row in rows if row["call"] in names]}

    def expectations_again(self, prompt: str) -> dict[str, Any]:
        """Those of the clauses that are other ones, and of the tools that have none any more."""
        rows = yaml.safe_load((self.workplace / "expectations.yaml").read_text("utf-8"))
        ids = {id for listed in _OTHERS.findall(prompt) for id in listed.split(", ")}
        names = set(_LACKING.findall(prompt))
        return {
            "expectations": [
                row for row in rows if row["call"] in names or not ids.isdisjoint(row.get("clauses", []))
            ]
        }

    def _tools(self, keep: Any) -> str:
        return _kept((self.workplace / "tools.py").read_text("utf-8"), keep)


LIBRARY = WrittenFolder(TOOL_LIBRARY)
PARCEL_CLAIMS = WrittenFolder(TOOL_LIBRARY.parent / "parcel-claims-trial")
"""The claims desk as an author may write it from `examples/parcel-claims`."""


def procedure_in(folder: Path) -> Path:
    """The tool library's papers as documents of an owner."""
    folder.mkdir(exist_ok=True)
    for name in ("lending", "losses"):
        _, front, text = (TOOL_LIBRARY / "handbook" / f"{name}.md").read_text().split("---\n", 2)
        number, title = (line.partition(": ")[2].strip('"') for line in front.splitlines()[:2])
        (folder / f"{name}.md").write_text(f"# {number}. {title}\n{text}")
    return folder


@dataclass(frozen=True)
class FolderAuthor(Behaviour):
    """Answers every step of the authoring from a suite folder, and leaves other requests to the next behaviour.

    Without a folder it is the claims desk of `examples/parcel-claims`.
    """

    folder: str = ""

    def answer(self, request: ScriptedRequest) -> Answer:
        written = WrittenFolder(Path(self.folder)) if self.folder else PARCEL_CLAIMS
        said = answer_of(written, text_of(request.messages[0]))
        return None if said is None else completion(said)


def answer_of(written: WrittenFolder, prompt: str) -> str | None:
    """Reply to a prompt of the authoring; None where it is none."""
    match step_of(prompt):
        case "clauses":
            return json_text(written.clauses(prompt))
        case "clauses again":
            return json_text({"clauses": []})
        case "operations":
            return json_text(written.operations())
        case "types":
            return _fenced(written.types())
        case "draw":
            return _fenced(written.draw())
        case "rules":
            return _fenced(written.rules())
        case "tools":
            return _fenced(written.tools(prompt))
        case "kit":
            return _fenced(written.kit())
        case "atoms":
            return _fenced(written.atoms(prompt))
        case "expectations":
            return json_text(written.expectations(prompt))
        case "rules again":
            return "# NOTHING CHANGES"
        case "expectations again":
            return json_text(written.expectations_again(prompt))
    return None


def _fenced(source: str) -> str:
    return f"Here it is.\n\n```python\n{source}```\n"


@cache
def _kept_parts(source: str) -> list[tuple[Any, str]]:
    lines = source.splitlines()
    parts = []
    body = parsed(source).body
    for at, node in enumerate(body):
        decorators = getattr(node, "decorator_list", [])
        first = min([node.lineno, *(decorator.lineno for decorator in decorators)])
        last = node.end_lineno or node.lineno
        # A text under a constant says what it is.
        following = body[at + 1] if at + 1 < len(body) else None
        if isinstance(node, ast.Assign | ast.AnnAssign) and _is_text(following):
            last = following.end_lineno or last  # type: ignore[union-attr]
        parts.append((node, "\n".join(lines[first - 1 : last])))
    return parts


def _kept(source: str, keep: Any) -> str:
    """The top of a module without its docstring, modules beside it and what is not to be kept."""
    kept = [
        text
        for node, text in _kept_parts(source)
        if isinstance(node, ast.Import)
        or (isinstance(node, ast.ImportFrom) and not node.level)
        or (not isinstance(node, ast.Expr | ast.ImportFrom) and keep(node))
    ]
    return "\n\n\n".join(kept) + "\n"


def _assigned(node: ast.AST) -> list[str]:
    """Names of the constants that a statement gives a value."""
    return [getattr(target, "id", "") for target in node.targets] if isinstance(node, ast.Assign) else []


def _is_text(node: ast.AST | None) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _is_alias(node: ast.AST) -> bool:
    """Whether an assignment names a type: `Money = Annotated[…]`, `Kind = Literal[…]`."""
    return isinstance(node, ast.Assign) and isinstance(node.value, ast.Subscript)


def _marks(node: Any, *names: str) -> list[str]:
    """What a function is marked with: the texts in its decorators of these names, [""] where they hold none."""
    found = []
    for decorator in getattr(node, "decorator_list", []):
        if isinstance(decorator, ast.Call) and getattr(decorator.func, "id", "") in names:
            found += [str(a.value) for a in decorator.args if isinstance(a, ast.Constant)] or [""]
    return found
