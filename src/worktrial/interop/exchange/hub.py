"""Completion rates for a model's page on the hub: `.eval_results/*.yaml`, and the card's `model-index`.

The fields are those that `huggingface_hub` 2.4 writes and reads (`EvalResultEntry`, `EvalResult`). What a run does
not know (a dataset's revision, a token of verification, an address of the source) is left out.
"""

from collections.abc import Sequence
from pathlib import Path

import yaml

from worktrial.errors import SettingError, option
from worktrial.interop.exchange.standing import in_words, standing, who
from worktrial.language import JsonObject
from worktrial.results.completion import CompletionEstimate
from worktrial.results.exports.files import Exported, new_folder
from worktrial.results.tables.source import RunSource

FOLDER = ".eval_results"
CARD = "model-index.yaml"


def export_hub(
    sources: Sequence[RunSource], out: Path, *, force: bool = False, dataset: str | None = None
) -> Exported:
    """Write a file of results for each run, and one block for the model's card.

    Args:
        sources: Runs; those of one model, whose page they are for.
        out: The folder, such as a checkout of the model's repository.
        force: Whether files there may be replaced.
        dataset: Id of the benchmark's dataset on the hub, ORG/NAME.

    Raises:
        SettingError: no dataset is named, the runs are of several agents, or there is something at the place.
        DataError: a run's folder is damaged, or the place cannot be written to.
    """
    if dataset is None or dataset.count("/") != 1:
        raise SettingError(
            f"{option('dataset')}: results on the hub are those of a dataset there; name it as ORG/NAME"
        )
    agents = {who(source)[1] or who(source)[0] for source in sources}
    if len(agents) > 1:
        raise SettingError(
            f"-o {out}: a model's page is about one model, and these are {', '.join(sorted(agents))}"
        )
    results: list[JsonObject] = []
    count = 0
    with new_folder(out, force=force) as folder:
        (folder / FOLDER).mkdir()
        for source in sources:
            rates = {name: done for name, done in standing(source).items() if done.of_all is not None}
            entries = [_entry(source, dataset, condition, done) for condition, done in rates.items()]
            path = folder / FOLDER / f"{source.name.replace('/', '-')}.yaml"
            path.write_text(yaml.safe_dump(entries, sort_keys=False, allow_unicode=True), "utf-8")
            results += [_indexed(source, dataset, condition, done) for condition, done in rates.items()]
            count += sum(done.counts.of_all.n for done in rates.values())
        card = {"model-index": [{"name": agents.pop() if agents else "unknown", "results": results}]}
        (folder / CARD).write_text(yaml.safe_dump(card, sort_keys=False, allow_unicode=True), "utf-8")
    lost = (
        "The format has no field for an interval or for invalid samples: they are in the notes, and in the card's "
    )
    return Exported(count, [f"{lost}arguments of the metric."])


def _entry(source: RunSource, dataset: str, condition: str, done: CompletionEstimate) -> JsonObject:
    entry: JsonObject = {"dataset": {"id": dataset, "task_id": condition}, "value": _rate(done)}
    if (date := _date(source)) is not None:
        entry["date"] = date
    return {**entry, "notes": f"worktrial {source.manifest.suite}. {in_words(condition, done)}"}


def _indexed(source: RunSource, dataset: str, condition: str, done: CompletionEstimate) -> JsonObject:
    assert done.of_all is not None
    interval = done.of_all.interval
    args = {
        "interval_95": [round(interval.low, 4), round(interval.high, 4)],
        "samples": done.counts.of_all.n,
        "invalid": done.counts.invalid,
    }
    metric = {
        "type": "completion_rate",
        "value": _rate(done),
        "name": f"Completion rate, {condition}",
        "args": args,
    }
    return {
        "task": {"type": "agentic-work", "name": f"worktrial {source.manifest.suite}"},
        "dataset": {"name": source.manifest.suite, "type": dataset, "config": condition},
        "metrics": [metric],
    }


def _rate(done: CompletionEstimate) -> float:
    assert done.of_all is not None
    return round(done.of_all.value, 4)


def _date(source: RunSource) -> str | None:
    sessions = source.manifest.sessions
    return sessions[-1].ended if sessions else None
