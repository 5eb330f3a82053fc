"""The run store as a machine: added to, killed, reopened, refused, in any order, its files say the same."""

import shutil
import tempfile
from pathlib import Path

import msgspec
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from tests.support.run_files import work_of

from worktrial.engine.lines import read_lines
from worktrial.engine.manifest import Manifest, SessionRecord
from worktrial.engine.record import Key, SampleRecord
from worktrial.engine.records import Records
from worktrial.engine.store import RunStore
from worktrial.engine.stored import open_run
from worktrial.errors import SettingError
from worktrial.grading import Outcome
from worktrial.secrets import Redactor

OUTCOMES = st.sampled_from([Outcome.PASS, Outcome.FAIL, Outcome.INVALID])


def store(folder: Path, level: int = 1) -> RunStore:
    session = SessionRecord(started="now", command=["worktrial"], endpoints={})
    fields = {"suite": "tiny", "data": {"fingerprint": "f"}, "settings": {"level": level}, "samples": 9}
    return RunStore(folder, Manifest(**fields, sessions=[session]), Redactor())


class Runs(RuleBasedStateMachine):
    """A run folder beside the list of records that it ought to hold."""

    @initialize()
    def begin(self) -> None:
        self.folder = Path(tempfile.mkdtemp()) / "run"
        self.added: list[SampleRecord] = []
        self.open()

    def open(self) -> None:
        self.store = store(self.folder)
        self.store.__enter__()

    @rule(sample=st.integers(0, 3), outcome=OUTCOMES, text=st.text(max_size=5))
    def add(self, sample: int, outcome: Outcome, text: str) -> None:
        record = SampleRecord(suite="tiny", sample=str(sample), repeat=0, outcome=outcome, reason=repr(text))
        self.store.add(record, {"sample": str(sample), "repeat": 0, "condition": "E0"})
        # The last sample is the one that was added.
        [*_, stored] = Records(self.folder, SampleRecord)
        assert msgspec.structs.replace(stored, work=None) == record
        self.added.append(stored)

    @rule()
    def end_and_resume(self) -> None:
        self.store.__exit__(None)
        self.open()

    @precondition(lambda self: self.added)
    @rule(data=st.data())
    def be_killed_while_writing(self, data: st.DataObject) -> None:
        """A kill leaves at most the last line torn."""
        self.store.__exit__(KeyboardInterrupt)
        path = self.folder / "samples.jsonl"
        whole = path.read_bytes()
        last = len(whole[: whole[:-1].rfind(b"\n") + 1])
        path.write_bytes(whole[: data.draw(st.integers(last, len(whole) - 1))])
        self.added.pop()
        self.open()

    @precondition(lambda self: self.added)
    @rule()
    def be_refused_with_other_settings(self) -> None:
        self.store.__exit__(None)
        before = (self.folder / "samples.jsonl").read_bytes()
        with pytest.raises(SettingError), store(self.folder, level=2):
            pass
        assert (self.folder / "samples.jsonl").read_bytes() == before
        self.open()

    @rule()
    def refuse_a_second(self) -> None:
        with pytest.raises(SettingError, match="another process"), store(self.folder):
            pass

    @invariant()
    def nothing_is_lost_or_counted_twice(self) -> None:
        if not hasattr(self, "folder"):
            return
        last: dict[Key, SampleRecord] = {}
        for record in self.added:
            last.pop(record.key, None)
            last[record.key] = record
        assert self.store.finished == last
        assert list(self.store.finished) == list(last)
        assert list(read_lines(self.folder / "samples.jsonl", SampleRecord)) == self.added
        assert {record.key: record for record in open_run(self.folder).records} == last
        assert [line["sample"] for line in work_of(self.folder)] == [record.sample for record in self.added]
        settled = {key for key, record in last.items() if record.outcome is not Outcome.INVALID}
        assert {key for key in last if self.store.is_settled(key)} == settled

    def teardown(self) -> None:
        if hasattr(self, "store"):
            self.store.__exit__(None)
            shutil.rmtree(self.folder.parent)


Runs.TestCase.settings = settings(max_examples=25, stateful_step_count=15, deadline=None)
TestRuns = Runs.TestCase
