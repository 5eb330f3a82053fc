"""The page of one run as it goes: how far it is, rates so far, what failed last."""

import shlex
from datetime import UTC, datetime
from urllib.parse import urlencode

from markupsafe import Markup

from worktrial.engine.heartbeat import STOP, Heartbeat
from worktrial.engine.progress import duration
from worktrial.grading import Outcome
from worktrial.reports.links import samples_href, trajectory_href
from worktrial.results.figure import RunFigures
from worktrial.results.following import ENDING, FollowedRun
from worktrial.results.spending import unseen
from worktrial.results.writing import Content, ShownTable, Value, amount, dollars, to_html


def live_page(slug: str, name: str, run: FollowedRun, now: datetime) -> Markup:
    """Body of the page.

    Args:
        slug: The run's name in addresses.
        name: Name that people read.
        run: Its figures at the last look.
        now: The time, for how long it still takes.
    """
    parts = [
        Markup('<h1 id="heading" tabindex="-1">{}</h1>').format(name),
        Markup('<p id="status" class="status" role="status">{}</p>').format(_said(run)),
        _facts(run, now),
    ]
    beat = run.heartbeat()
    if beat is not None and beat.is_alive(now):
        parts += _work(slug, beat, is_ending=run.state(now) == ENDING)
    figures = run.figures()
    if figures.conditions:
        rows = [_condition(slug, figures, name) for name in figures.conditions]
        heads = ("Condition", "Samples", "Passed", "Completed", "Cost per task", "Latency")
        parts.append(to_html(ShownTable("Completed so far", heads, rows)))
    if reasons := run.invalid_reasons():
        kinds = [[Value(kind), Value(amount(count), count)] for kind, count in reasons.items()]
        parts.append(to_html(ShownTable("Invalid so far, by reason", ("Reason", "Samples"), kinds)))
    if troubles := run.last_troubles():
        last = [
            [
                Value(one.sample, href=trajectory_href(slug, one.key)),
                Value(one.condition),
                Value(one.outcome.value),
                Value(_short(one.reason)),
            ]
            for one in troubles
        ]
        parts.append(
            to_html(
                ShownTable("What failed last", ("Sample", "Condition", "Outcome", "Reason"), last), sortable=False
            )
        )
    if run.problem is not None:
        parts.append(Markup('<p class="warning">{}</p>').format(run.problem))
    return Markup("\n").join(parts)


_REASON = 240  # characters
_IN_FLIGHT = 20  # samples that are named


def _work(slug: str, beat: Heartbeat, *, is_ending: bool) -> list[Markup]:
    """The work in flight, trouble with endpoints, and the button that ends the run."""
    parts = [
        Markup("<p>Ending: what is in flight is dropped, and what has finished stays.</p>")
        if is_ending
        else Markup(
            '<p class="no-print"><button type="button" data-stop="{}?{}">Stop this run</button> '
            '<span class="quiet-text">as Ctrl-C does: what has finished stays, and the same command goes on.</span>'
            "</p>"
        ).format(STOP, urlencode({"run": slug}))
    ]
    if beat.samples:
        rows = [
            [
                Value(one.sample),
                Value(one.condition),
                Value(str(one.repeat), one.repeat),
                Value(duration(one.seconds), one.seconds),
                Value(amount(one.requests), one.requests),
                Value(amount(one.tokens), one.tokens),
            ]
            for one in beat.samples[:_IN_FLIGHT]
        ]
        more = beat.in_flight - len(rows)
        headers = ("Sample", "Condition", "Repeat", "For", "Requests", "Tokens")
        parts.append(to_html(ShownTable(f"In flight: {amount(beat.in_flight)}", headers, rows), sortable=False))
        parts += [Markup('<p class="note">and {} more</p>').format(amount(more))] if more else []
    if beat.troubles:
        said = [[Value(one.at[:19].replace("T", " ")), Value(_short(one.said))] for one in reversed(beat.troubles)]
        caption = f"Requests sent again in this session: {amount(beat.retries)}"
        parts.append(to_html(ShownTable(caption, ("When", "The endpoint’s last words"), said), sortable=False))
    return parts


def _short(text: str) -> str:
    return text if len(text) <= _REASON else f"{text[:_REASON]}…"


def _condition(slug: str, figures: RunFigures, name: str) -> list[Content]:
    done, cost, took = (figures.get(figure, name) for figure in ("completion", "cost_per_task", "seconds"))
    return [
        Value(name, href=samples_href(slug, {"condition": name})),
        done.n,
        done.hits,
        done,
        *(found if found.value is not None else None for found in (cost, took)),
    ]


def _said(run: FollowedRun) -> str:
    return f"{amount(run.samples)} of {amount(run.manifest.samples)} samples are done."


def _facts(run: FollowedRun, now: datetime) -> Markup:
    counts = run.counts()
    facts = {
        "State": run.state(now),
        "Passed": amount(counts.get(Outcome.PASS, 0)),
        "Failed": amount(counts.get(Outcome.FAIL, 0)),
        "Invalid": amount(counts.get(Outcome.INVALID, 0)),
        "Cost": dollars(None if "cost" in unseen(run) else run.cost),
        "Tokens": amount(run.tokens),
        **_pace(run, now),
    }
    if run.manifest.sessions:
        facts["The same command goes on"] = shlex.join(run.manifest.sessions[-1].command)
    rows = [Markup("<dt>{}</dt><dd>{}</dd>").format(name, value) for name, value in facts.items()]
    return Markup('<dl class="facts">{}</dl>').format(Markup().join(rows))


def _pace(run: FollowedRun, now: datetime) -> dict[str, str]:
    """Samples a minute in the session that is going on, and how long it still takes at that."""
    session = run.manifest.sessions[-1] if run.manifest.sessions else None
    if session is None or session.ended is not None:
        return {}
    began = datetime.fromisoformat(session.started)
    elapsed = (now - (began if began.tzinfo else began.replace(tzinfo=UTC))).total_seconds()
    done = run.in_session
    missing = run.manifest.samples - run.samples
    if not done or elapsed <= 0:
        return {}
    left = {"Time left": duration(missing * elapsed / done)} if missing > 0 else {}
    return {"Pace": f"{60 * done / elapsed:.1f} samples a minute", **left}
