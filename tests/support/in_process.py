"""A workplace's folder run within this process, for tests of what is done with it."""

import importlib
import importlib.util
import sys
from dataclasses import dataclass
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import msgspec
import yaml

from worktrial.language import JsonObject, JsonValue
from worktrial.workplaces.executable import ExecutableWorkplace

TOOL_LIBRARY = Path(__file__).parents[2] / "examples" / "tool-library"
LOANS = TOOL_LIBRARY / "workplaces" / "loans"


@dataclass(frozen=True)
class InProcess(ExecutableWorkplace):
    folder: Path

    def module(self, name: str) -> ModuleType:
        return _module(self.folder, name)

    async def draw(self, seed: int) -> JsonObject:
        drawn: JsonObject = msgspec.json.decode(msgspec.json.encode(self.module("draw").draw(Random(seed))))
        return drawn

    async def call_function(self, module: str, name: str, *arguments: JsonValue) -> JsonValue:
        function: Any = getattr(self.module(module), name)
        found: JsonValue = function(*arguments)
        return found


def in_process(folder: Path, kind: type[InProcess] = InProcess, **more: Any) -> Any:
    described = yaml.safe_load((folder / "workplace.yaml").read_text("utf-8"))
    built = ExecutableWorkplace.build(
        described["name"],
        _module(folder, "tools"),
        system_prompt=described["system_prompt"],
        initial_state=yaml.safe_load((folder / "initial_state.yaml").read_text("utf-8")),
        state_description=described["state_description"],
    )
    return kind(built.artifact, built.functions, built.state_type, folder, **more)


def tool_library() -> InProcess:
    found: InProcess = in_process(LOANS)
    return found


def _module(folder: Path, name: str) -> ModuleType:
    # By content, so that a changed folder is another package.
    text = "".join(path.read_text("utf-8") for path in sorted(folder.glob("*.py")))
    package = f"own_{folder.name}_{abs(hash((str(folder), text)))}"
    if package not in sys.modules:
        spec = importlib.util.spec_from_loader(package, None, is_package=True)
        assert spec is not None
        sys.modules[package] = importlib.util.module_from_spec(spec)
        sys.modules[package].__path__ = [str(folder)]
        importlib.invalidate_caches()
    return importlib.import_module(f"{package}.{name}")
