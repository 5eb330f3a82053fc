"""The page that lists runs, finished or going on: a table that reads without any script."""

from collections.abc import Mapping
from datetime import datetime
from urllib.parse import urlencode

from markupsafe import Markup

from worktrial.engine.record import CLEAN
from worktrial.grading import Outcome
from worktrial.reports.links import samples_href
from worktrial.results.following import FollowedRun
from worktrial.results.spending import unseen
from worktrial.results.writing import NONE, ShownTable, Value, amount, cell_of, dollars, to_html

_NOTHING = float("nan")


def shelf_page(
    runs: Mapping[str, FollowedRun], names: Mapping[str, str], compare: str, live: str, now: datetime
) -> Markup:
    """Body of the page.

    Args:
        runs: By the name that addresses give them.
        names: Names that people read.
        compare: Address of the page that compares runs; it takes `run=NAME`, repeated.
        live: Address of the page that follows a run; it takes `run=NAME`.
        now: The time, to tell runs that go on from those that were killed.
    """
    readable = {slug: run for slug, run in runs.items() if run.manifest.suite}
    heading = Markup('<h1 id="heading" tabindex="-1">Runs</h1>\n<p id="status" class="status" role="status">{}</p>')
    parts = [heading.format(_said(runs))]
    if readable:
        newest = sorted(readable.items(), key=lambda pair: _begun(pair[1]), reverse=True)
        rows = [_row(slug, run, names[slug], live, now) for slug, run in newest]
        headers = ("Agent", "Suite", "State", "Done", "Completed", "Invalid", "Cost", "Begun", "Compare")
        chosen = Markup(
            '<p><button type="submit">Compare the chosen runs</button> <a href="{}">Compare all</a></p>'
        )
        parts.append(
            Markup('<form action="{}" method="get" id="runs">\n{}\n{}\n</form>').format(
                compare, to_html(ShownTable("Runs", headers, rows)), chosen.format(compare)
            )
        )
    else:
        parts.append(Markup('<p class="empty">There is no run here yet.</p>'))
    warning = Markup('<p class="warning">{}</p>')
    parts += [warning.format(run.problem) for run in runs.values() if run.problem is not None]
    return Markup("\n").join(parts)


def _said(runs: Mapping[str, FollowedRun]) -> str:
    finished = sum(run.samples for run in runs.values())
    return f"{amount(len(runs))} {'run' if len(runs) == 1 else 'runs'}, {amount(finished)} finished samples"


def _begun(run: FollowedRun) -> str:
    return run.manifest.sessions[0].started if run.manifest.sessions else ""


def _row(slug: str, run: FollowedRun, name: str, live: str, now: datetime) -> list[Value]:
    done, counts = run.samples, run.counts()
    figures = run.figures()
    found = figures.get("completion")
    completed = cell_of(None)
    if found.value is not None:
        # Conditions are never mixed into one rate: the headline condition speaks for the run.
        completed = cell_of(found, notes=[f"under {figures.headline}"] if figures.headline != CLEAN else [])
    invalid = counts.get(Outcome.INVALID, 0)
    # What an agent of one's own spends nobody sees: it is not free.
    cost = None if "cost" in unseen(run) else run.cost
    return [
        Value(name, href=samples_href(slug)),
        Value(run.manifest.title),
        Value(run.state(now), href=f"{live}?{urlencode({'run': slug})}"),
        Value(f"{amount(done)} of {amount(run.manifest.samples)}", done),
        completed,
        Value(amount(invalid), invalid, samples_href(slug, {"outcome": "invalid"})),
        Value(dollars(cost), _NOTHING if cost is None else cost),
        Value(_begun(run)[:16].replace("T", " ") or NONE, _begun(run)),
        Value(Markup('<input type="checkbox" name="run" value="{}" aria-label="Compare {}">').format(slug, name)),
    ]
