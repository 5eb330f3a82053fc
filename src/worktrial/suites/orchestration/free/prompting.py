"""What only a free-running team is told."""

from functools import cache
from pathlib import Path

from worktrial.language import JsonObject
from worktrial.suites.fingerprint import files_fingerprint
from worktrial.suites.orchestration.planning.scenario import Language

_PROMPTS = Path(__file__).parent / "prompts"


@cache
def after_a_call(language: Language) -> str:
    """How a domain agent goes on when it has the results of its calls."""
    return (_PROMPTS / language / "agent.md").read_text(encoding="utf-8").strip()


@cache
def world_rules() -> JsonObject:
    """What the model that plays the tools is told: `rules`, and the meaning of its `state`."""
    import yaml

    rules: JsonObject = yaml.safe_load((_PROMPTS / "world.yaml").read_text(encoding="utf-8"))
    return rules


def free_prompts_fingerprint() -> str:
    """SHA-256 over the texts."""
    return files_fingerprint(_PROMPTS, (p for p in _PROMPTS.rglob("*") if p.is_file()))
