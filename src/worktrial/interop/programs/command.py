"""Agents that are programs on this machine: one process for each sample; `command:PROGRAM ARGS`."""

import asyncio
import contextlib
import json
import os
import re
import shlex
import shutil
import signal
import tempfile
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from worktrial.agents.assignment import Assignment, Unstorable
from worktrial.agents.far import FarAgent, given_files, given_variables, in_time, seconds_of, variable
from worktrial.agents.printed import MOST_PRINTED
from worktrial.engine.spend import given_price, listed_price
from worktrial.errors import InvalidReason, InvalidSample, SettingError, option
from worktrial.interop.programs.answers import AnswerPlace
from worktrial.interop.programs.door import OwnDoor, door
from worktrial.interop.programs.reports import ProgramReport, Rule
from worktrial.language import Usage
from worktrial.language.untrusted import printable
from worktrial.sandbox.child import NETWORK_VARIABLES
from worktrial.sandbox.inside.worker import HeadTail
from worktrial.secrets import Redactor
from worktrial.workplaces import StopReason

MOST_OUTPUT = 1_000_000
"""Bytes of an answer on standard output; a program that says more is ended. Events of a report do not count."""
_HOME_PATHS = {
    "HOME": "",
    "XDG_CONFIG_HOME": ".config",
    "XDG_DATA_HOME": ".local/share",
    "XDG_STATE_HOME": ".local/state",
    "XDG_CACHE_HOME": ".cache",
}
_OF_THE_HOME = [*_HOME_PATHS, "TMPDIR"]
# What a program needs to run at all, to find its own settings, and to reach a network.
_USUAL = ["PATH", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "TZ", "TERM"]
USUAL_ENVIRONMENT = [*_USUAL, *_OF_THE_HOME, *NETWORK_VARIABLES]
"""Names of variables that every program is given; those of the home only where it has none of its own."""
_PLACE = re.compile(r"\{(prompt|mcp_config|mcp_url|episode_url|workdir|home|config|seconds|milliseconds)\}")
# Words by which programs say that it was they who kept their model from the tools.
_REFUSAL = re.compile(
    r"approv|permission|denied|trusted|log(?:ged)? ?in|sign in|api[ _-]?key|unauthori[sz]ed|authenticat|credential"
    r"|mcp (?:server|client|startup)",
    re.IGNORECASE,
)
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_LOOK_SECONDS = 0.05
_LAST_WORDS_SECONDS = 2.0
_SAID = 300


@dataclass(frozen=True, slots=True)
class Start:
    """Start of a program for one sample. Places such as `{prompt}` and `{mcp_url}` are filled in everywhere."""

    words: Sequence[str]
    """Command line. Without `{prompt}` in it the prompt comes on standard input."""
    files: Mapping[str, Any] = field(default_factory=dict)
    """Files of JSON, by path: in the folder `{config}`, or in the one that it runs in, `{workdir}`."""
    variables: Mapping[str, str] = field(default_factory=dict)
    """Variables of its environment beside those that it is given by name."""


@dataclass(frozen=True, slots=True)
class CommandAgent(FarAgent):
    """A program that is started once for each sample, with the address of the sample's tools.

    What it prints to standard output is the answer, or the report in which that stands, unless it has handed one in
    by the tool for it. It runs in an empty folder of its own, or in the sample's files, with an environment of
    named variables alone. When the sample ends, it is killed with all that it has started and that stayed in its
    process group.
    """

    name: str
    start: Callable[[Assignment], Start]
    """Function that tells how it is started for an assignment."""
    answer: AnswerPlace = field(default_factory=AnswerPlace)
    report: Sequence[Rule] = ()
    """Rules of the events that it reports; () for a program that prints its answer alone."""
    environment: Sequence[str] = ()
    """Names of variables that it is given, beside `USUAL_ENVIRONMENT`."""
    own_home: bool = False
    """Whether each sample's program has a fresh home of its own."""
    home_files: Mapping[str, Path] = field(default_factory=dict)
    """Files that are copied into that home, by their path in it."""
    model: str = ""
    """Model that its command line names; "" where it names none."""
    price: Sequence[float] | None = None
    """Figures of the user's for its model; see `given_price`."""

    def with_options(self, options: Any) -> "CommandAgent":
        """The agent as the options of a run want it; see `FarAgent`."""
        place = self.answer if options.answer is None else AnswerPlace.read(options.answer)
        report = self.report if options.answer is None else ()
        environment = [*self.environment, *given_variables(options)]
        files = given_files(options)
        if files and (not self.own_home or "HOME" in environment):
            raise SettingError(f"{option('agent_file')}: is for programs with a home of their own, as cli:NAME")
        price = getattr(options, "agent_price", None) or getattr(options, "price", None)
        return replace(
            self, answer=place, report=report, environment=environment, home_files=files, price=price or None
        )

    async def __call__(self, assignment: Assignment) -> None:
        """Start the program and wait for its end; see `Agent`.

        Raises:
            InvalidSample: it ended badly, said too much, nothing that an answer can be read from, or no call of its
                reached the workplace for a reason that is none of its model's.
        """
        work = _Work(self, assignment)
        try:
            async with in_time(assignment), door(assignment) as here:
                try:
                    await here.close(await work.answer(here))
                except Unstorable as e:
                    raise work.crash(str(e)) from None
            if assignment.trajectory.stop_reason is StopReason.TIME_LIMIT and work.why_unreached(here):
                seconds = seconds_of(assignment)
                raise work.crash(f"was ended at its time limit of {seconds:g} s, before its first call")
        except InvalidSample:
            work.book(only_told=True)
            raise
        else:
            work.book()
        finally:
            assignment.close()
            work.put_on_record()


class _Work:
    """One program's work on one sample."""

    def __init__(self, agent: CommandAgent, assignment: Assignment) -> None:
        self._agent = agent
        self._assignment = assignment
        self._said = HeadTail(MOST_PRINTED)
        self._output = bytearray()
        self._report = ProgramReport(agent.report) if agent.report else None
        self._here: OwnDoor | None = None
        self._hidden = Redactor()

    async def answer(self, here: OwnDoor) -> str:
        """Start the program and wait for its answer; "" where the work was ended otherwise.

        Raises:
            InvalidSample: see `CommandAgent`.
        """
        self._here = here
        async with self._started(here) as process:
            ended = asyncio.create_task(_ended(process))
            try:
                await asyncio.wait([ended, here.work], return_when=asyncio.FIRST_COMPLETED)
                if here.guest.handed_in and not ended.done():
                    # It may have something to put in order; nobody waits for it long.
                    await asyncio.wait([ended], timeout=_LAST_WORDS_SECONDS)
            finally:
                ended.cancel()
        # A limit, or trouble of the workplace, ended the work; or the agent handed in its answer.
        if here.guest.episode.is_over:
            return ""
        if len(self._output) > MOST_OUTPUT:
            raise self.crash(f"printed more than {MOST_OUTPUT:,} bytes")
        if code := process.returncode:
            raise self.crash(f"ended with exit code {code}" if code > 0 else f"ended with signal {-code}")
        if self._report is not None and self._report.broke_off:
            raise self.crash("broke off its work")
        if why := self.why_unreached(here):
            raise self.crash(why)
        if self._report is not None:
            return self._report.answer or ""
        try:
            return self._agent.answer.found_in(bytes(self._output))
        except ValueError as e:
            raise self.crash(str(e)) from None

    def why_unreached(self, here: OwnDoor) -> str:
        """Reason of the program, not of its model, why no call has reached the workplace; else ""."""
        if here.guest.has_worked or not self._assignment.tools:
            return ""
        if here.guest.why_unreached:
            return f"ended, and {here.guest.why_unreached}"
        if not here.guest.has_listed:
            return "ended, and had never asked for the workplace's tools"
        return "ended, and kept its model from every call" if _REFUSAL.search(self._last_words()) else ""

    def crash(self, what: str) -> InvalidSample:
        """Trouble of the program's, with its own words for it."""
        here = self._here
        reached = here is None or here.guest.has_worked or not self._assignment.tools
        reason = InvalidReason.AGENT_CRASH if reached else InvalidReason.AGENT_NEVER_REACHED
        words = self._last_words()[:_SAID]
        return InvalidSample(reason, f"{self._agent.name} {what}{f': {words}' if words else ''}")

    def _last_words(self) -> str:
        """Line of the program's own that tells most of the reason: its last refusal, else its last one."""
        report = self._report
        said = [self._said.text(), *([] if report is None else [report.other.text(), *report.troubles])]
        lines = [line for one in said for text in one.splitlines() if (line := self._plain(text))]
        refusal = next((line for line in reversed(lines) if _REFUSAL.search(line)), None)
        return refusal or (lines[-1] if lines else "")

    def _plain(self, line: str) -> str:
        """A line without keys, and without what steers terminals."""
        return " ".join(printable(_ESCAPES.sub("", self._hidden.text(line))).split())

    def put_on_record(self) -> None:
        """Put what the program printed and reported on record, without keys."""
        trajectory, report = self._assignment.trajectory, self._report
        printed = self._said.text() + ("" if report is None else report.other.text())
        trajectory.printed = self._hidden.text(_ESCAPES.sub("", printed))
        if report is not None:
            trajectory.own = msgspec.json.decode(self._hidden.bytes(msgspec.json.encode(report.messages)))
            trajectory.turns = report.turns

    def book(self, *, only_told: bool = False) -> None:
        """Put on record what the program says that it has spent; that it says nothing, too, unless `only_told`."""
        report = self._report
        if report is not None and report.usage is not None:
            usage = replace(report.usage, requests=report.turns)
            self._assignment.book(usage, self._cost(usage, report))
        elif not only_told:
            self._assignment.book(Usage(), None if report is None else report.cost)

    def _cost(self, usage: Usage, report: ProgramReport) -> float | None:
        """US dollars by the user's figures, as the program reckons, or by the price list; None where unknown."""
        agent = self._agent
        if agent.price is not None:
            return given_price(agent.price)(usage)
        own_address = any(name.endswith("BASE_URL") and variable(name) for name in agent.environment)
        model = (report.model or agent.model).rpartition("/")[2]
        if report.cost is not None or own_address or not model:
            return report.cost
        price = listed_price(model)
        return None if price is None else price(usage)

    @contextlib.asynccontextmanager
    async def _started(self, here: OwnDoor) -> AsyncIterator[asyncio.subprocess.Process]:
        assignment, agent = self._assignment, self._agent
        with tempfile.TemporaryDirectory(prefix="worktrial-agent-", ignore_cleanup_errors=True) as made:
            folders = {name: Path(made, name) for name in ("work", "home", "config", "tmp")}
            for folder in folders.values():
                folder.mkdir()
            workdir = assignment.workspace or folders["work"]
            config = folders["config"] / "mcp.json"
            config.write_text(json.dumps({"mcpServers": {"worktrial": {"type": "http", "url": here.mcp}}}))
            seconds = int(seconds_of(assignment)) + 1
            places: dict[str, str | int] = {
                "prompt": prompt_of(here, assignment),
                "mcp_config": str(config),
                "mcp_url": here.mcp,
                "episode_url": here.url,
                "workdir": str(workdir),
                "home": str(folders["home"]),
                "config": str(folders["config"]),
                "seconds": seconds,
                "milliseconds": seconds * 1000,
            }
            start = agent.start(assignment)
            for name, content in start.files.items():
                path = Path(str(_filled(name, places)))
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(json.dumps(_filled(content, places)))
            self._fill_home(folders["home"])
            environment = self._variables(start, places, folders)
            words = [str(_filled(word, places)) for word in start.words]
            in_words = any("{prompt}" in word for word in start.words)
            try:
                process = await asyncio.create_subprocess_exec(
                    *words,
                    stdin=asyncio.subprocess.DEVNULL if in_words else asyncio.subprocess.PIPE,
                    stdout=asyncio.subprocess.PIPE,
                    stderr=asyncio.subprocess.PIPE,
                    env=environment,
                    cwd=workdir,
                    start_new_session=True,
                )
            except (OSError, ValueError) as e:
                raise self.crash(f"cannot be started: {e}") from None
            streams = [
                asyncio.create_task(_read(process.stdout, partial(self._hear, process))),
                asyncio.create_task(_read(process.stderr, self._said.write)),
                asyncio.create_task(_tell(process.stdin, str(places["prompt"]))),
            ]
            try:
                yield process
                # What it has left behind may hold the pipes open.
                await asyncio.wait(streams[:2], timeout=_LAST_WORDS_SECONDS)
            finally:
                _kill(process.pid)
                await asyncio.wait(streams, timeout=_LAST_WORDS_SECONDS)
                for stream in streams:
                    stream.cancel()
                if self._report is not None:
                    self._report.end()

    def _fill_home(self, home: Path) -> None:
        for name, source in self._agent.home_files.items():
            path = home / name
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                content = source.read_bytes()
                path.write_bytes(content)
            except OSError as e:
                raise self.crash(f"cannot be given {source}: {e.strerror}") from None
            path.chmod(0o600)
            # Whoever hands over a login does not want to read it in a report.
            for found in re.findall(rb"[\w.~+/-]{24,}", content):
                self._hidden.add(found.decode())

    def _variables(
        self, start: Start, places: Mapping[str, str | int], folders: Mapping[str, Path]
    ) -> dict[str, str]:
        """Its whole environment."""
        agent = self._agent
        own = agent.own_home and "HOME" not in agent.environment
        usual = [*_USUAL, *([] if own else _OF_THE_HOME), *NETWORK_VARIABLES, *agent.environment]
        given = {name: value for name in usual if (value := variable(name)) is not None}
        for name in agent.environment:
            # They are mostly keys.
            self._hidden.add(given.get(name, ""))
        if own:
            given |= {name: str(folders["home"] / path) for name, path in _HOME_PATHS.items()}
            given["TMPDIR"] = str(folders["tmp"])
        if any(name.lower().endswith("_proxy") for name in given):
            # The way to the tools leads over this machine alone.
            for name in ("NO_PROXY", "no_proxy"):
                given[name] = ",".join(filter(None, (given.get(name), "127.0.0.1,localhost")))
        return given | {name: str(_filled(text, places)) for name, text in start.variables.items()}

    def _hear(self, process: asyncio.subprocess.Process, part: bytes) -> None:
        if self._report is not None:
            self._report.hear(part)
        elif len(self._output) <= MOST_OUTPUT:
            self._output += part
            if len(self._output) > MOST_OUTPUT:
                _kill(process.pid)


def command(rest: str, base: Path) -> CommandAgent:
    """Agent that `command:PROGRAM ARGS` names.

    Args:
        rest: Command line, quoted as in a shell.
        base: Folder that files in it are relative to.

    Raises:
        SettingError: it cannot be read, or there is no such program.
    """
    try:
        words = shlex.split(rest)
    except ValueError as e:
        raise SettingError(f"the command line cannot be read: {e}") from None
    if not words:
        raise SettingError("write command:PROGRAM ARGS")
    # It runs in a folder of its own, where none of these would be found.
    program, *arguments = words
    found = shutil.which(str(base.resolve() / program) if "/" in program else program)
    if found is None:
        raise SettingError(f"there is no program {program}")
    there = [(base / word).is_file() for word in arguments]
    start = Start(
        [found, *(str((base / w).resolve()) if is_file else w for w, is_file in zip(arguments, there, strict=True))]
    )
    return CommandAgent(Path(found).name, lambda assignment: start)


def prompt_of(here: OwnDoor, assignment: Assignment) -> str:
    """Everything that the agent is told: the task, the time at the workplace, and how to hand in its answer."""
    # Without a workplace's tools it is not shown the one that ends the work either.
    task = here.guest.instruction if assignment.tools else assignment.instruction
    told = [assignment.system_prompt, assignment.clock and f"It is {assignment.clock}.", task]
    return "\n\n".join(text for text in told if text)


def _filled(value: Any, places: Mapping[str, str | int]) -> Any:
    """`value` with the places in its texts filled in, each once: a prompt that holds such a word stays as it is.

    A text that is nothing but a place becomes what stands there, be it a number.
    """
    if isinstance(value, str):
        whole = _PLACE.fullmatch(value)
        return places[whole[1]] if whole else _PLACE.sub(lambda place: str(places[place[1]]), value)
    if isinstance(value, Mapping):
        return {name: _filled(one, places) for name, one in value.items()}
    return [_filled(one, places) for one in value] if isinstance(value, list) else value


async def _ended(process: asyncio.subprocess.Process) -> None:
    """Wait for the process itself: its pipes may be held open by what it has left behind."""
    while process.returncode is None:
        await asyncio.sleep(_LOOK_SECONDS)


async def _read(stream: asyncio.StreamReader | None, take: Callable[[bytes], object]) -> None:
    assert stream is not None
    while part := await stream.read(1 << 16):
        take(part)


async def _tell(stream: asyncio.StreamWriter | None, prompt: str) -> None:
    if stream is None:
        return
    with contextlib.suppress(ConnectionError):
        stream.write(prompt.encode())
        await stream.drain()
    stream.close()


def _kill(leader: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(leader, signal.SIGKILL)
