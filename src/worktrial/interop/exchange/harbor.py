"""Tasks of a run as Harbor's task folders: the workplace as an MCP server beside the agent's container.

The format: Harbor 0.24 (`harbor.models.task`: `TaskPaths`, `TaskConfig`). A folder has what is in `harbor_task`.
"""

import json
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec

from worktrial.engine.record import SampleRecord
from worktrial.errors import SettingError, option
from worktrial.grading import Outcome
from worktrial.interop.exchange.tools import suite_on_record
from worktrial.interop.python import run
from worktrial.interop.serve.reception import asks_for
from worktrial.interop.serve.settings import FINISH_TOOL
from worktrial.language import JsonObject, JsonValue
from worktrial.language.templates import templates
from worktrial.options import FaultOptions, JudgingOptions
from worktrial.results.exports.files import Exported, new_folder
from worktrial.results.tables.source import RunSource
from worktrial.results.turns import WorkedSample, worked_samples
from worktrial.suite import Suite, suites
from worktrial.version import __version__
from worktrial.workplaces.faults import Conditions, FaultMode, FaultSettings

_TEMPLATES = Path(__file__).with_name("harbor_task")
_PORT = 8765
_NAME = "workplace"
_URL = f"http://{_NAME}:{_PORT}/episodes/work"
# Harbor ends the work; until then nobody has left.
_IDLE_SECONDS = 86_400
_USUAL_SECONDS = 3600.0


def export_harbor(sources: Sequence[RunSource], out: Path, *, force: bool = False) -> Exported:
    """Write a folder for each task of the runs under each condition; of several runs, each into one of its own.

    The suite's reference agent that has to pass does every task anew; its calls are the folder's solution.

    Args:
        sources: Runs of installed suites whose workplaces are code.
        out: The folder.
        force: Whether files there may be replaced.

    Raises:
        SettingError: a run's tasks cannot be done from such a folder, or there is something at the place, and not
            `force`.
        DataError: a run's folder is damaged, or the place cannot be written to.
    """
    written = judged = unsolved = 0
    with new_folder(out, force=force) as folder:
        for source in sources:
            suite = _servable(source)
            own = folder / source.name if len(sources) > 1 else folder
            keys = {(record.sample, record.condition): None for record in source.records()}
            judged += sum(1 for _ in source.records())
            for sample in _solved(source, suite):
                key = sample.record.sample, sample.record.condition
                if key not in keys:
                    continue
                solved = sample.record.outcome == Outcome.PASS
                unsolved += not solved
                _write(own / _name(*key), source, suite, sample, solved=solved)
                written += 1
    lost = [f"{judged:,} samples' work and verdicts are left out: these folders hold tasks"]
    if unsolved:
        lost.append(f"{unsolved:,} tasks are without a solution: under their faults the reference agent fails")
    return Exported(written, lost)


def _servable(source: RunSource) -> Suite:
    """Suite of a run whose tasks anybody can serve who installs this package.

    Raises:
        SettingError: it takes more than that.
    """
    where = f"{source.folder}: its tasks cannot be done from a folder of Harbor's"
    suite = suite_on_record(source)
    if suite is None or suite.name not in suites.names:
        raise SettingError(
            f"{where}: the suite {source.manifest.title} is not installed here, or has changed since"
        )
    if _solver(suite) is None:
        raise SettingError(f"{where}: the suite {suite.name} has no reference agent that solves its tasks in code")
    if others := sorted(set(source.manifest.settings.get("roles", {})) - {"agent"}):
        raise SettingError(f"{where}: models take part in it ({', '.join(others)}); make a run without them")
    if changed := [option(name) for name in _further(source, suite)]:
        raise SettingError(f"{where}: they hold no {', '.join(changed)}; make a run without")
    return suite


def _solver(suite: Suite) -> str | None:
    """Name of the suite's agent that has to pass."""
    agents = suite.reference_agents.items() if suite.assignments else ()
    return next((name for name, agent in agents if agent.must is Outcome.PASS and agent.make is not None), None)


def _further(source: RunSource, suite: Suite) -> Iterator[str]:
    """Names of the run's options that change its work and that a folder does not have."""
    if "policy" in source.manifest.settings:
        yield "policy"
    usual = suite.every_option().measured()
    apart = {*FaultOptions.model_fields, *JudgingOptions.model_fields}
    for name, value in source.manifest.settings.get("options", {}).items():
        if name not in apart and value != usual.get(name):
            yield name


def _solved(source: RunSource, suite: Suite) -> list[WorkedSample]:
    """Tasks of a run, each under each condition, done by the suite's agent that has to pass."""
    given = source.manifest.settings.get("options", {})
    faults: dict[str, Any] = {
        name: given[name] for name in FaultOptions.model_fields if given.get(name) is not None
    }
    tasks = sorted({record.sample for record in source.records()})
    with tempfile.TemporaryDirectory(prefix="worktrial-harbor-") as place:
        done = Path(place, "run")
        human = _asks_a_human(source)
        run(suite, str(_solver(suite)), out=done, tasks=tasks, max_invalid=1.0, request_human=human, **faults)
        return [*worked_samples(done)]


def _asks_a_human(source: RunSource) -> bool:
    return bool(source.manifest.settings.get("request_human"))


def _write(folder: Path, source: RunSource, suite: Suite, sample: WorkedSample, *, solved: bool) -> None:
    record = sample.record
    calls = [{"tool": call.tool, "arguments": call.arguments} for call in sample.calls]
    limit = source.manifest.settings["limits"]["seconds"]
    filled: JsonObject = {
        "name": f"worktrial/{folder.name}",
        "description": f"{suite.about}: {record.sample} under {record.condition}",
        "keywords": [str(value) for name, value in record.tags.items() if name in ("category", "domain")],
        "metadata": _metadata(source, suite, record),
        "seconds": float(limit or _USUAL_SECONDS),
        "url": _URL,
        "port": _PORT,
        "command": _command(source, suite, record, limit),
        "package": f"worktrial[serve]=={__version__}",
        "clock": sample.text("clock"),
        "instruction": sample.text("instruction").strip(),
        "asks": asks_for(FINISH_TOOL),
    }
    pages = templates(_TEMPLATES, keep_trailing_newline=True)
    pages.filters["toml"] = _toml
    for path in sorted(path for path in _TEMPLATES.rglob("*") if path.is_file()):
        place = folder / path.relative_to(_TEMPLATES)
        if place.parent.name == "solution" and not solved:
            continue
        place.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".j2":
            place = place.with_suffix("")
            place.write_text(pages.get_template(path.relative_to(_TEMPLATES).as_posix()).render(filled), "utf-8")
        else:
            shutil.copyfile(path, place)
        if place.suffix == ".sh":
            place.chmod(0o755)
    if solved:
        work = {"calls": calls, "answer": sample.text("answer"), "finish": FINISH_TOOL}
        (folder / "solution" / "work.json").write_bytes(msgspec.json.encode(work))


def _metadata(source: RunSource, suite: Suite, record: SampleRecord) -> JsonObject:
    return {
        "suite": suite.name,
        "sample": record.sample,
        "condition": record.condition,
        "fingerprint": str(source.manifest.data["fingerprint"]),
        **{f"tag_{name}": value for name, value in record.tags.items() if value not in (None, [])},
    }


def _command(source: RunSource, suite: Suite, record: SampleRecord, limit: float | None) -> list[str]:
    """Words that serve one task to whoever reaches the container."""
    faults = _conditions(source.manifest.settings.get("faults"))[record.condition]
    words = ["worktrial", "serve", suite.name, "--at", "work", "--sample", record.sample, "--tasks", record.sample]
    words += ["--wordings"] if faults.mode is FaultMode.W else ["--faults", faults.mode.value]
    if faults.mode.is_faulty:
        words += ["--fault-count", str(faults.count), "--fault-duration", str(faults.duration)]
        words += ["--fault-seed", str(faults.seed), "--fault-unit", faults.unit.value]
    if _asks_a_human(source):
        words.append("--request-human")
    if limit is not None:
        words += ["--sample-seconds", f"{limit:g}"]
    words += ["--host", "0.0.0.0", "--port", str(_PORT), "--host-name", _NAME]
    return [*words, "--idle-seconds", str(_IDLE_SECONDS), "-o", "/var/lib/worktrial/run"]


def _conditions(faults: Mapping[str, Any] | None) -> Mapping[str, FaultSettings]:
    if faults is None:
        return Conditions().by_name
    settings = msgspec.convert(faults["settings"], tuple[FaultSettings, ...])
    return Conditions(settings, faults["prompted"]).by_name


def _name(sample: str, condition: str) -> str:
    """Name of a folder that is one of Harbor's, too: letters, digits, and single points and dashes."""
    name = f"{sample}.{condition.replace('/', '-')}"
    plain = re.sub(r"\.{2,}", ".", re.sub(r"[^A-Za-z0-9_.-]+", "-", name)).lstrip(".-_")[:100]
    return plain if plain == name else f"{plain}-{sha256(name.encode()).hexdigest()[:8]}"


def _toml(value: JsonValue) -> str:
    """`value` in TOML: a text, a number, true, false, or a list of these."""
    # What JSON writes of these is TOML, but for DEL.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
