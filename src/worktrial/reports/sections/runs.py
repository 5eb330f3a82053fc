"""Provenance of the figures: everything that a run depended on."""

import shlex
from collections.abc import Iterator

from markupsafe import Markup, escape

from worktrial.engine.manifest import SessionRecord
from worktrial.grading import Outcome
from worktrial.language import JsonObject, JsonValue
from worktrial.reports.links import samples_href
from worktrial.reports.report import Report, ReportRun, Section
from worktrial.results.spending import unseen
from worktrial.results.summary import simulator_health
from worktrial.results.writing import Content, ShownTable, Value, amount, dollars, link, percent, to_html

# What has its own place in the list.
_APART = frozenset({"roles", "carried_roles", "tasks", "faults"})
_LONG = 300
"""Characters; a longer value is folded away."""

_TASKS = 400
"""Largest number of tasks that are named; the page of samples has them all."""

Fact = tuple[str, Markup]


def runs(report: Report) -> Section:
    """The provenance of every run."""
    parts = [
        Markup(
            "<p>What each run was, as its folder tells: the data by its fingerprint, the models by their settings "
            "without any key, the faults that were planned, and every session that worked on it.</p>"
        ),
        *(_run(run) for run in report.runs),
    ]
    return Section("runs", "Runs", Markup("\n").join(parts))


def _run(run: ReportRun) -> Markup:
    manifest = run.run.manifest
    # What a role says of its model need not be said twice.
    apart = _APART | (manifest.settings.get("roles") or {}).keys()
    facts: list[Fact] = [
        ("Folder", escape(run.run.folder.resolve().name)),
        ("Suite", escape(manifest.title)),
        *((f"Data: {name}", escape(value)) for name, value in _flat(manifest.data)),
        ("Samples", _samples(run)),
        *_simulation(run),
        *_tasks(manifest.settings.get("tasks")),
        *_roles(manifest.settings),
        *((f"Faults: {name}", _shown(value)) for name, value in _flat(manifest.settings.get("faults") or {})),
        *(
            (name.replace("_", " ").replace(".", ": ").capitalize(), _shown(value))
            for name, value in _flat({k: v for k, v in manifest.settings.items() if k not in apart})
        ),
    ]
    listed = Markup("\n").join(Markup("<dt>{}</dt><dd>{}</dd>").format(name, value) for name, value in facts)
    return Markup(
        '<details class="run" id="run-{}"><summary>{} <span class="quiet-text">{}, {}</span></summary>\n{}'
        '<dl class="facts">\n{}\n</dl>\n{}\n</details>'
    ).format(
        run.slug,
        run.name,
        manifest.title,
        run.run.folder.resolve().name,
        _unfinished(run),
        listed,
        _sessions(run, manifest.sessions),
    )


def _unfinished(run: ReportRun) -> Markup:
    if not run.run.missing:
        return Markup("")
    return Markup('<p class="warning">Unfinished: {} of {} samples are still to come.</p>\n').format(
        run.run.missing, run.run.manifest.samples
    )


def _samples(run: ReportRun) -> Markup:
    records = run.run.records
    invalid = sum(r.outcome is Outcome.INVALID for r in records)
    shown = link(f"{amount(len(records))} finished", samples_href(run.slug))
    if not invalid:
        return shown + ", all with a verdict"
    without = link(f"{amount(invalid)} without a verdict", samples_href(run.slug, {"outcome": "invalid"}))
    return Markup("{}, {} ({})").format(shown, without, percent(invalid / len(records)))


def _simulation(run: ReportRun) -> list[Fact]:
    health = simulator_health(run.run.records)
    if health is None:
        return []
    said = "{} checked: {} not of their tool's shape, {} in contradiction to the state or an earlier one"
    counts = health.observations, health.misshapen, health.contradictions
    shown = Markup(said).format(*map(amount, counts))
    if health.warning is not None:
        shown += Markup('<br><strong class="warning">{}.</strong>').format(health.warning)
    return [("Simulator's answers", shown)]


def _tasks(tasks: JsonValue) -> list[Fact]:
    if not isinstance(tasks, list):
        return []
    more = f", and {amount(len(tasks) - _TASKS)} more" if len(tasks) > _TASKS else ""
    return [("Tasks", _folded(amount(len(tasks)), ", ".join(map(str, tasks[:_TASKS])) + more))]


def _roles(settings: JsonObject) -> Iterator[Fact]:
    for kind, name in (("roles", "{}"), ("carried_roles", "{} of the work judged again")):
        for role, given in (settings.get(kind) or {}).items():
            parts = [f"{key} {value}" for key, value in _flat(given) if key != "model"]
            model = given.get("model", "") if isinstance(given, dict) else ""
            more = Markup("<br><small>{}</small>").format(", ".join(parts).replace("_", " ")) if parts else ""
            yield (
                name.format(role).replace("_", " ").capitalize(),
                Markup("<strong>{}</strong>{}").format(model, more),
            )


def _sessions(run: ReportRun, sessions: list[SessionRecord]) -> Markup:
    if not sessions:
        return Markup("")
    hidden = "cost" in unseen(run.run)
    rows: list[list[Content]] = [
        [
            _time(session.started),
            _time(session.ended) if session.ended else "never",
            session.end or "still going on, or killed",
            Value(dollars(None if hidden else session.cost), float("nan") if hidden else session.cost),
            Value(amount(session.tokens), session.tokens),
            "; ".join(f"{name} {value}" for name, value in session.versions.items()),
            "; ".join(f"{role} {address}" for role, address in session.endpoints.items()) or "none",
            _added(session),
        ]
        for session in sessions
    ]
    headers = ("Started", "Ended", "How it ended", "Spent", "Tokens", "Versions", "Endpoints", "Samples added")
    commands = Markup("\n").join(
        Markup('<pre class="command">{}</pre>').format(shlex.join(session.command)) for session in sessions
    )
    return Markup("{}\n<p>Started by</p>\n{}").format(
        to_html(ShownTable(f"Sessions of {run.name}, {run.slug}", headers, rows), sortable=False), commands
    )


def _added(session: SessionRecord) -> str:
    """Samples that a session brought into the run; "-" where it went on with those there."""
    asked = session.asked
    if asked is None:
        return "-"
    repeats = f" × {asked.repeats}" if asked.repeats > 1 else ""
    return f"{amount(asked.added)} ({amount(len(asked.tasks))} tasks{repeats}, {', '.join(asked.conditions)})"


def _time(stored: str) -> str:
    """ISO 8601 as people read it; anything else as it is."""
    return f"{stored[:19].replace('T', ' ')} UTC" if stored.endswith("+00:00") else stored


def _flat(value: JsonValue, where: str = "") -> Iterator[tuple[str, str]]:
    """Dotted names and values; what is null was left to its default and is left out."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _flat(inner, f"{where}.{key}" if where else str(key))
    elif isinstance(value, list):
        if value:
            yield where, ", ".join(_one(item) for item in value)
    elif value is not None:
        yield where, _one(value)


def _one(value: JsonValue) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return " ".join(f"{name} {inner}" for name, inner in _flat(value))
    return str(value)


def _shown(value: str) -> Markup:
    return escape(value) if len(value) <= _LONG else _folded(f"{amount(len(value))} characters", value)


def _folded(label: str, content: str) -> Markup:
    return Markup("<details><summary>{}</summary>{}</details>").format(label, content)
