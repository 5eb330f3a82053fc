"""Tools that the agents of a stored run were offered, as far as the installed suite still knows them."""

from collections.abc import Callable
from typing import Any

from worktrial.engine.stored import StoredRun
from worktrial.errors import WorktrialError
from worktrial.language import JsonObject
from worktrial.results.tables.source import RunSource
from worktrial.suite import Suite, find_suite_of
from worktrial.suites.regrade import judging_as_stored

ToolsOf = Callable[[str], list[JsonObject] | None]


def tools_of(source: RunSource) -> ToolsOf:
    """Function from a task's id to its tools in the chat-completions form; None where they are not known.

    Tools are known where the suite is installed, needs no data to be named, and is that of the run to the byte.
    """

    def unknown(sample: str) -> list[JsonObject] | None:
        return None

    suite = suite_on_record(source)
    if suite is None:
        return unknown
    try:
        found = suite.workplaces(_data(suite))
    except WorktrialError:
        return unknown

    def known(sample: str) -> list[JsonObject] | None:
        try:
            return found(sample)[0].tool_specs
        except WorktrialError:
            return None

    return known


def suite_on_record(source: RunSource) -> Suite | None:
    """Suite of a stored run; None where it is not installed, needs data to be named, or has changed since."""
    manifest = source.manifest
    try:
        suite = find_suite_of(manifest)
        data = _data(suite)
        # Of a suite that brings its data, only what would judge the run knows the fingerprint.
        here = suite.fingerprint(data) or _fingerprint(suite, source, data)
    except WorktrialError:
        return None
    return suite if here == manifest.data.get("fingerprint") else None


def _data(suite: Suite) -> Any:
    return suite.data.read({}, suite=f"the suite {suite.name}", needs=suite.needs)


def _fingerprint(suite: Suite, source: RunSource, data: Any) -> Any:
    judging = judging_as_stored(source.manifest, {})
    grader = suite.grader(StoredRun(source.folder, source.manifest, []), data, vars(judging), [])
    return grader.data.get("fingerprint")
