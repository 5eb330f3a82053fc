"""Providers of models: ours, and one that somebody installed."""

import dataclasses
from importlib.metadata import EntryPoint

import pytest

from worktrial import registry
from worktrial.engine.providers import OPENAI_URL
from worktrial.engine.roles import Role, RoleSettings, providers
from worktrial.errors import SettingError


def acme(settings: RoleSettings) -> RoleSettings:
    """A provider as a package of its own would bring it."""
    name = settings.model.removeprefix("acme/")
    return dataclasses.replace(settings, model=name, base_url=f"https://{name}.example/v1", api_key_env="ACME_KEY")


@pytest.fixture
def with_acme(monkeypatch: pytest.MonkeyPatch) -> None:
    ours = registry._points("worktrial.providers")
    added = EntryPoint("acme", f"{__name__}:acme", "worktrial.providers")
    monkeypatch.setattr(EntryPoint, "load", lambda point: acme if point is added else real_load(point))
    monkeypatch.setattr(registry, "_points", lambda group: (*ours, added))


real_load = EntryPoint.load


def resolved(model: str, **settings: str) -> RoleSettings:
    return RoleSettings(role=Role.JUDGE, model=model, **settings).resolved()  # type: ignore[arg-type]


def test_ours() -> None:
    assert providers.names == ["anthropic", "gemini", "inspect", "local", "openai", "responses"]
    there = resolved("openai/gpt")
    assert (there.model, there.base_url, there.api_key_env) == ("gpt", OPENAI_URL, "OPENAI_API_KEY")
    for model in ("local", "local:small"):
        assert resolved(model) == RoleSettings(role=Role.JUDGE, model=model)


@pytest.mark.usefixtures("with_acme")
def test_one_that_is_installed() -> None:
    there = resolved("acme/big-1")
    assert (there.model, there.base_url, there.api_key_env) == ("big-1", "https://big-1.example/v1", "ACME_KEY")
    # An address of one's own wins, and then the name is the endpoint's.
    own = resolved("acme/big-1", base_url="http://localhost:8000/v1")
    assert (own.model, own.base_url) == ("acme/big-1", "http://localhost:8000/v1")
    # What a provider fills in is looked at as closely as what a user does.
    with pytest.raises(SettingError, match="not an address"):
        resolved("acme/[")


@pytest.mark.usefixtures("with_acme")
@pytest.mark.parametrize("model", ["gpt", "acme", "acme/", "other/gpt"])
def test_a_model_without_an_endpoint(model: str) -> None:
    with pytest.raises(SettingError) as refused:
        resolved(model)
    assert str(refused.value) == (
        f"judge {model}: no endpoint for this model. Name one with base_url (or judge_base_url), "
        "or use anthropic/NAME, gemini/NAME, inspect/NAME, openai/NAME, responses/NAME, acme/NAME or local"
    )
    assert "--judge-base-url" in refused.value.spelled(lambda field: f"--{field.replace('_', '-')}")
