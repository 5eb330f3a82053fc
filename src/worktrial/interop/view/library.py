"""Runs behind the viewer: their names in addresses, and the data files that its pages ask for."""

import threading
from collections import OrderedDict
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from urllib.parse import urlencode

from worktrial.engine.record import Key, SampleLine, SampleRecord
from worktrial.engine.records import Records
from worktrial.engine.stored import name_of, open_run
from worktrial.errors import DataError
from worktrial.reports.links import slug_of
from worktrial.reports.report import Report, ReportRun
from worktrial.reports.viewer.run_data import RunData
from worktrial.reports.viewer.script_data import data_file, encoded
from worktrial.results.following import FollowedRun, RunShelf
from worktrial.suite import PagePicture

_KEPT = 60_000
"""Samples of runs that are kept in memory beside the run that is looked at, by their figures."""


class RunLibrary:
    """Runs that the viewer shows. Every method may be called from several threads.

    Args:
        places: Folders of runs, or folders that hold some.
        title: Heading of the pages.
    """

    def __init__(self, places: Iterable[Path], title: str) -> None:
        self.title = title
        self._shelf = RunShelf(places)
        self._slugs: dict[Path, str] = {}
        self._open: OrderedDict[str, tuple[tuple[object, ...], RunData, int]] = OrderedDict()
        self._lock = threading.RLock()

    def runs(self, *, search: bool = True) -> dict[str, FollowedRun]:
        """The runs as they are now, by the name that addresses give them.

        Args:
            search: Whether to look for new runs, too.
        """
        with self._lock:
            found = self._shelf.look(search=search)
            for run in found:
                if run.folder not in self._slugs:
                    self._slugs[run.folder] = slug_of(run.folder.name, set(self._slugs.values()))
            return {self._slugs[run.folder]: run for run in found}

    def run(self, slug: str) -> FollowedRun:
        """The run of that name, as it is now.

        Raises:
            KeyError: there is none.
        """
        with self._lock:
            runs = self.runs(search=False)
            # A page may be left open over a restart, and ask before anybody has looked for runs.
            return runs[slug] if slug in runs else self.runs()[slug]

    def names(self, runs: Iterable[tuple[str, FollowedRun]]) -> dict[str, str]:
        """Names that people read: the agent, with the folder where several runs have the same."""
        agents = {slug: name_of(run.folder, run.manifest) for slug, run in runs}
        often = list(agents.values())
        folders = {self._slugs[run.folder]: run.folder.name for run in self._shelf.look(search=False)}
        return {
            slug: f"{agent} ({folders.get(slug, slug)})" if often.count(agent) > 1 else agent
            for slug, agent in agents.items()
        }

    def data(self, name: str) -> bytes:
        """A data file.

        Raises:
            KeyError: there is no such file.
            DataError: the run is damaged or gone.
        """
        with self._lock:
            runs = self.runs(search=name == "runs")
            if name == "runs":
                names = self.names(runs.items())
                listed = [
                    {"slug": slug, "name": names[slug], "suite": run.manifest.suite}
                    for slug, run in runs.items()
                    if run.manifest.suite
                ]
                return data_file(name, {"runs": encoded(listed)})
            slug = name.partition("/")[0]
            # A page may be left open over a restart, and ask before anybody has looked for runs.
            run = runs[slug] if slug in runs else self.runs()[slug]
            found = self._run_data(slug, run)
            if not found.is_slow(name):
                return found.file(name)
        # Calls that are carried out again may take seconds, for which nobody else waits.
        return found.file(name)

    def pictures(self, slug: str, key: Key) -> Mapping[int, Sequence[PagePicture]]:
        """Pictures of what a sample's calls were about, by call.

        Raises:
            KeyError: there is no such run.
            DataError: the run is damaged or gone.
        """
        with self._lock:
            data = self._run_data(slug, self.run(slug))
        return data.pictures(key)

    def picture(self, slug: str, name: str) -> bytes:
        """One of these as a PNG.

        Raises:
            KeyError: there is no such run, or picture.
            DataError: the run is damaged or gone, or the page's file is.
        """
        with self._lock:
            data = self._run_data(slug, self.run(slug))
        return data.picture(name)

    def _run_data(self, slug: str, run: FollowedRun) -> RunData:
        kept = self._open.pop(slug, None)
        if kept is None or kept[0] != run.stamp:
            kept = run.stamp, *self._opened(slug, run)
        self._open[slug] = kept
        while sum(samples for _, _, samples in self._open.values()) - kept[2] > _KEPT:
            self._open.popitem(last=False)
        return kept[1]

    def _opened(self, slug: str, run: FollowedRun) -> tuple[RunData, int]:
        # The figures of its samples; votes and checks are read when somebody looks at them.
        stored = open_run(run.folder, grounds=False)
        whole = Records(run.folder, SampleRecord)
        places = {line.key: place for line, place, _ in Records(run.folder, SampleLine).spans()}

        def read_whole(few: Sequence[SampleRecord]) -> list[SampleRecord]:
            return [next(whole.spans(places[record.key]))[0] for record in few]

        name = self.names(self.runs(search=False).items())[slug]
        made = RunData(ReportRun(slug, name, stored), read_whole, is_served=True)
        return made, len(stored.records)

    def report(self, slugs: Collection[str] = ()) -> Report:
        """The report about some runs; about all where none is named.

        Raises:
            KeyError: there is no such run.
            DataError: there is none that can be read.
        """
        runs = self.runs()
        for slug in slugs:
            runs[slug]
        chosen = {slug: run for slug, run in runs.items() if not slugs or slug in slugs}
        names = self.names(chosen.items())
        opened, left_out = [], []
        for slug, run in chosen.items():
            try:
                opened.append(ReportRun(slug, names[slug], open_run(run.folder)))
            except DataError as e:
                left_out.append(f"left out: {e}")
        if not opened:
            raise DataError(self.title, left_out[0] if left_out else "holds no run", "Run one with `worktrial run`")
        return Report(self.title, opened, left_out, query=urlencode([("run", slug) for slug in slugs]))
