"""A workplace's folder run within this process, for tests of what is done with it."""

import importlib.util
import sys
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import msgspec
import yaml

from worktrial.language import JsonObject, JsonValue
from worktrial.workplaces import Session
from worktrial.workplaces.executable import ExecutableWorkplace

TOOL_LIBRARY = Path(__file__).parent / "tool_library"


class InProcess:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._modules: dict[str, ModuleType] = {}
        described = yaml.safe_load((folder / "workplace.yaml").read_text("utf-8"))
        self.workplace = ExecutableWorkplace.build(
            described["name"],
            self.module("tools"),
            system_prompt=described["system_prompt"],
            initial_state=yaml.safe_load((folder / "initial_state.yaml").read_text("utf-8")),
            state_description=described["state_description"],
        )

    def module(self, name: str) -> ModuleType:
        if name not in self._modules:
            package = f"own_{self.folder.name}_{abs(hash(self.folder))}"
            if package not in sys.modules:
                spec = importlib.util.spec_from_loader(package, None, is_package=True)
                assert spec is not None
                sys.modules[package] = importlib.util.module_from_spec(spec)
                sys.modules[package].__path__ = [str(self.folder)]
            self._modules[name] = importlib.import_module(f"{package}.{name}")
        return self._modules[name]

    def open(self, initial_state: JsonObject | None = None) -> Session:
        return self.workplace.open(initial_state)

    async def draw(self, seed: str) -> JsonObject:
        drawn: JsonObject = msgspec.json.decode(msgspec.json.encode(self.module("draw").draw(Random(seed))))
        return drawn

    async def call_function(self, module: str, name: str, *arguments: JsonValue) -> JsonValue:
        function: Any = getattr(self.module(module), name)
        found: JsonValue = function(*arguments)
        return found


def tool_library() -> InProcess:
    return InProcess(TOOL_LIBRARY / "workplaces" / "loans")
