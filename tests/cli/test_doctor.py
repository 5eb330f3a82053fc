"""What `worktrial doctor` says of packages: what is there, what is missing, and what nobody has tried."""

import importlib.metadata

import pytest
from tests.support.cli import command

NEEDED = [
    "aiohttp>=3.13.3",
    "mcp<3,>=2.3; extra == 'serve'",
    "uvicorn>=0.35; extra == 'serve'",
    "openenv<0.11,>=0.10; extra == 'openenv'",
    "worktrial[serve]; extra == 'all'",
]


@pytest.mark.parametrize(
    ("there", "said"),
    [
        (
            {"aiohttp": "3.14.5", "mcp": "2.3.0", "uvicorn": "0.54.0"},
            ["aiohttp 3.14.5", "extra serve: installed", "extra openenv: lacks openenv: pip install"],
        ),
        (
            {"aiohttp": "3.14.5", "mcp": "1.30.0", "uvicorn": "0.54.0", "openenv": "0.10.0"},
            ["extra serve: mcp 1.30.0 is outside the tested <3,>=2.3. Give it", "extra openenv: installed"],
        ),
        (
            {"aiohttp": "3.0", "mcp": "3.0.0rc1", "uvicorn": "0.1", "openenv": "0.2.1"},
            [
                "aiohttp 3.0 is outside the tested >=3.13.3: pip install --upgrade worktrial",
                "mcp 3.0.0rc1 is outside the tested <3,>=2.3; uvicorn 0.1 is outside the tested >=0.35. Give",
                "extra openenv: openenv 0.2.1 is outside the tested <0.11,>=0.10",
            ],
        ),
        ({}, ["aiohttp MISSING", "extra serve: lacks mcp, uvicorn"]),
    ],
)
def test_versions_that_nobody_has_tried_are_named(
    monkeypatch: pytest.MonkeyPatch, there: dict[str, str], said: list[str]
) -> None:
    def version(name: str) -> str:
        if name not in there:
            raise importlib.metadata.PackageNotFoundError(name)
        return there[name]

    monkeypatch.setattr(importlib.metadata, "requires", lambda name: NEEDED)
    monkeypatch.setattr(importlib.metadata, "version", version)
    ran = command("doctor")
    assert ran.code == 0, ran.err
    for words in said:
        assert words in ran.out, ran.out


def test_here_everything_that_is_installed_was_tried() -> None:
    ran = command("doctor")
    assert ran.code == 0
    assert "outside the tested" not in ran.out
