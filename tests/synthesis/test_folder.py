"""What is kept, what is made again, and what is a person's."""

import asyncio
import contextlib
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.synthesis.crashes import Killed, killed_before
from tests.synthesis.drafts import task, workplace

from worktrial.synthesis.artifacts import TaskDraft, WorkplaceDraft
from worktrial.synthesis.files import yaml_form
from worktrial.synthesis.folder import ProvenanceLedger, SuiteFolder


class Maker:
    """Makes an artifact that follows from what it is made of, as a model with cached answers does."""

    def __init__(self, folder: SuiteFolder, *, place: bool) -> None:
        self.folder = folder
        self.place = place
        self.path: Path = folder.work / ("workplace.yaml" if place else "drafts/parcels-02.yaml")
        self.form: Any = yaml_form(WorkplaceDraft if place else TaskDraft)
        self.made = 0
        self.warnings: list[str] = []

    def value(self, version: int) -> Any:
        return workplace(version) if self.place else task(version)

    def hold(self, version: int) -> Any:
        async def make() -> Any:
            self.made += 1
            return self.value(version)

        ledger = ProvenanceLedger(self.folder, warn=self.warnings.append)
        return asyncio.run(ledger.keep_or_make(self.path, self.form, {"from": str(version)}, "m", make))

    @property
    def last(self) -> Any:
        return ProvenanceLedger(self.folder, warn=self.warnings.append).last(self.path)


def test_what_holds_is_kept_and_what_changed_is_made_again(tmp_path: Path) -> None:
    maker = Maker(SuiteFolder(tmp_path), place=True)
    assert [maker.hold(1), maker.hold(1), maker.made] == [workplace(1), workplace(1), 1]
    assert [maker.hold(2), maker.made] == [workplace(2), 2]
    assert (maker.last.file, maker.last.made_from) == ("work/workplace.yaml", {"from": "2"})


def test_an_edit_is_kept_with_a_warning_where_its_origin_changed(tmp_path: Path) -> None:
    maker = Maker(SuiteFolder(tmp_path), place=False)
    maker.hold(1)
    maker.form.write(maker.path, task(77))
    assert [maker.hold(1), maker.made, maker.warnings] == [task(77), 1, []]
    assert maker.last.edited
    assert [maker.hold(2), maker.made] == [task(77), 1]
    assert len(maker.warnings) == 1
    assert "by hand" in maker.warnings[0]
    # Told once, not with every session.
    assert [maker.hold(2), len(maker.warnings)] == [task(77), 1]
    maker.path.unlink()
    assert [maker.hold(2), maker.made, maker.last.edited] == [task(2), 2, False]


def test_a_person_may_write_what_was_never_there(tmp_path: Path) -> None:
    maker = Maker(SuiteFolder(tmp_path), place=False)
    maker.form.write(maker.path, task(5))
    assert [maker.hold(1), maker.made, maker.last.edited] == [task(5), 0, True]


STEPS = st.lists(st.one_of(st.integers(1, 3), st.just("edit"), st.just("remove")), min_size=1, max_size=6)


@settings(max_examples=120, deadline=None)
@given(steps=STEPS, kills=st.lists(st.integers(0, 40), min_size=6, max_size=6), place=st.booleans())
def test_kills_lose_nothing_finished_and_make_no_edit_of_ours(
    steps: list[Any], kills: list[int], place: bool
) -> None:
    """Sessions, edits and removals in any order; each session is killed before some file operation."""
    with tempfile.TemporaryDirectory() as root:
        maker = Maker(SuiteFolder(Path(root)), place=place)
        edited = None
        for number, (step, kill) in enumerate(zip(steps, kills, strict=False)):
            if step == "edit":
                edited = maker.value(100 + number)
                maker.form.write(maker.path, edited)
                continue
            if step == "remove":
                edited = None
                with contextlib.suppress(FileNotFoundError):
                    maker.path.rename(maker.path.with_name("removed-" + str(number)))
                continue
            with contextlib.suppress(Killed), killed_before(kill):
                maker.hold(step)
            expected = edited or maker.value(step)
            assert maker.hold(step) == expected
            assert maker.last.edited == (edited is not None)
            made = maker.made
            assert maker.hold(step) == expected
            assert maker.made == made
