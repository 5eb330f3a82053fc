"""One model of options: read from users, shown by commands, part of comparisons."""

from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from pydantic import Field

from worktrial.cli.options import command_of, merged, takes, together
from worktrial.errors import SettingError
from worktrial.options import (
    Count,
    EndpointOptions,
    Flag,
    LimitOptions,
    Names,
    Options,
    RunOptions,
    TaskOptions,
    with_roles,
)


class Own(TaskOptions, RunOptions, EndpointOptions):
    """Options of a suite that there is not."""

    data: Annotated[Path, Flag("Which tasks", common=True, metavar="DIR")]
    """Folder of the data."""
    depth: Annotated[Annotated[int, Field(ge=2, le=9)] | None, Flag("Search", default="as deep as it goes")] = None
    """Levels that are searched."""
    mode: Annotated[Literal["fast", "full"], Flag("Search", common=True)] = "full"
    """How thorough."""
    colours: Annotated[Names, Flag("Search")] = Field([])
    """Colours, comma-separated."""
    plans: Annotated[bool, Flag("Search")] = True
    """Follow plans."""
    beside: Annotated[list[Path], Flag("Search", neutral=True)] = Field([])
    """Runs beside this one."""


EVERY = with_roles(Own, ["agent", "sub-agent"])


def ran(*words: str) -> dict[str, Any]:
    """What the command made of `EVERY` is given for `words`; None where nothing was."""
    given: dict[str, Any] = {}

    @takes(lambda: EVERY)
    def search(**values: Any) -> None:
        """Search."""
        given.update(values)

    command_of(search, "search", path="run")(args=list(words), standalone_mode=False)
    return {name: value for name, value in given.items() if value is not None}


def test_every_field_is_an_option() -> None:
    assert ran() == {}
    words = "--data d --depth 3 --mode fast --colours red,blue --colours green --no-plans --beside a --beside b"
    given = ran(*words.split(), "-o", "out", "--sub-agent-rpm", "0.5", "--limit", "2")
    assert given == {
        "data": Path("d"),
        "depth": 3,
        "mode": "fast",
        "colours": ["red,blue", "green"],
        "plans": False,
        "beside": [Path("a"), Path("b")],
        "output": Path("out"),
        "sub_agent_rpm": 0.5,
        "limit": 2,
    }
    read: Any = EVERY.read(given, suite="search")
    assert read.colours == ["red", "blue", "green"]
    assert read.repeats == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--depth", "1"], "--depth"),
        (["--depth", "10"], "--depth"),
        (["--sub-agent-rpm", "0"], "--sub-agent-rpm"),
        (["--limit", "none"], "--limit"),
        (["--dpeth", "3"], "--dpeth"),
    ],
)
def test_values_out_of_bounds_are_refused_by_the_command(words: list[str], said: str) -> None:
    with pytest.raises(Exception) as refused:
        ran(*words)
    assert said in str(getattr(refused.value, "format_message", lambda: "")())


def test_unknown_and_missing_options_are_named_with_what_was_meant() -> None:
    with pytest.raises(SettingError) as refused:
        EVERY.read({"detph": 3, "limit": 0}, suite="the suite own", needs="data DIR, from its publisher's page")
    said = refused.value.spelled(lambda field: f"<{field}>")
    assert "missing: <data>. Beside an agent, the suite own needs data DIR, from its publisher's page" in said
    assert "<detph>: the suite own has no such option. Did you mean <depth>?" in said
    assert "<limit>: Input should be greater than or equal to 1" in said
    with pytest.raises(SettingError, match="mode: Input should be 'fast' or 'full'"):
        EVERY.read({"data": "d", **ran("--mode", "slow")}, suite="own")


def test_relative_paths_start_at_the_base() -> None:
    given = {"data": "d", "beside": ["a", "/b"], "output": None}
    read: Any = EVERY.read(given, suite="own", base=Path("/base"))
    assert "colours" not in read.model_fields_set
    assert (read.data, read.beside, read.output) == (Path("/base/d"), [Path("/base/a"), Path("/b")], None)


def test_neutral_options_are_not_measured() -> None:
    read = EVERY.read({"data": "d", "depth": 4, "output": "o", "agent_rpm": 1.0}, suite="own")
    measured = read.measured()
    assert measured["depth"] == 4
    assert not {"output", "beside", "limit", "agent_rpm"} & measured.keys()


def help_of(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """Help page, without line breaks and frames."""
    ran(*words)
    return " ".join(capsys.readouterr().out.replace("│", " ").split())


def test_help_shows_common_options_and_says_how_to_see_the_rest(capsys: pytest.CaptureFixture[str]) -> None:
    short, full = help_of(capsys, "--help"), help_of(capsys, "--help-all")
    common = sum(row.flag.common for row in EVERY.rows())
    assert f"{len([*EVERY.rows()]) - common} more options: worktrial run search --help-all" in short
    assert "--depth" not in short
    assert "Folder of the data. (required)" in short
    assert "Levels that are searched. Default: as deep as it goes." in full
    assert "more options" not in full
    for row in EVERY.rows():
        assert f"--{row.name.replace('_', '-')}"[:18] in full


def test_panels_stand_in_one_order_whatever_the_bases() -> None:
    class Turned(EndpointOptions, LimitOptions, RunOptions, TaskOptions):
        who: Annotated[str | None, Flag("Who takes part")] = None
        own: Annotated[Count, Flag("Of its own")] = 1

    panels = list(dict.fromkeys(row.flag.panel for row in with_roles(Turned, ["agent"]).rows()))
    kept = ["Who takes part", "Which tasks", "Of its own", "Run"]
    assert panels[:4] == kept
    assert panels[-2:] == ["Every role", "Only the agent"]


def test_options_of_several_suites_become_one_model() -> None:
    class Other(Options):
        data: Annotated[Path | None, Flag(metavar="DIR")] = None
        """Another folder."""
        gold: Literal["released", "corrected"] = "released"
        """Which gold."""

    class Data(Options):
        data: Path
        """Folder."""

    both = merged({"one": Data, "two": Other})
    assert both.read({}, suite="list").model_dump() == {"data": None, "gold": None}
    assert both.model_fields["data"].description == "one two: Folder. (required)"
    joint = together(Data, both)
    assert joint.model_fields["data"].is_required()


def test_a_help_text_is_the_docstring_of_the_class_that_has_the_field_last() -> None:
    class Deeper(Own):
        depth: int | None = None
        """Levels, counted
        from the ground."""
        plain: int = 0

    told = {row.name: row.about for row in with_roles(Deeper, ["sub-agent"]).rows()}
    assert told["depth"] == "Levels, counted\nfrom the ground." and told["data"] == "Folder of the data."
    assert told["sub_agent_rpm"] == told["rpm"] == "Requests per minute."
    assert [name for name, said in told.items() if not said] == ["plain"]
    # Where there is no source to read, there is no help, and no trouble.
    made = type("Made", (Options,), {"__annotations__": {"x": int}, "x": 1})
    assert [(row.name, row.about) for row in made.rows()] == [("x", "")]
