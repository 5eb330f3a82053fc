"""Several simulators on the same agents."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.support.cli import command

from worktrial.engine.manifest import Manifest
from worktrial.engine.record import SampleRecord
from worktrial.errors import SettingError
from worktrial.grading import Outcome
from worktrial.results.agreement import agreement_report

OUTCOMES = {"p": Outcome.PASS, "f": Outcome.FAIL, "i": Outcome.INVALID}


def write(folder: Path, agent: str, simulator: str, outcomes: str, **changed: Any) -> Path:
    """A stored run whose samples came out as the letters of `outcomes` say."""
    folder.mkdir()
    roles = {"agent": {"model": agent}, "simulator": {"model": simulator}, "judge": {"model": "j"}}
    settings = {"agent": agent, "memory": "history", "roles": roles, "votes": 3}
    manifest = Manifest(
        suite=changed.get("suite", "occupations"),
        data={"fingerprint": changed.get("data", "d")},
        settings=settings | changed.get("settings", {}),
        samples=len(outcomes),
    )
    (folder / "manifest.json").write_bytes(msgspec.json.encode(manifest))
    records = [
        SampleRecord(suite="occupations", sample=str(n), repeat=0, outcome=OUTCOMES[letter], reason="")
        for n, letter in enumerate(outcomes)
    ]
    (folder / "samples.jsonl").write_bytes(b"".join(msgspec.json.encode(r) + b"\n" for r in records))
    return folder


def runs(tmp_path: Path) -> list[Path]:
    return [
        write(tmp_path / "ax", "a", "x", "pppf"),
        write(tmp_path / "bx", "b", "x", "ppff"),
        write(tmp_path / "cx", "c", "x", "pfff"),
        write(tmp_path / "ay", "a", "y", "ppfi"),
        write(tmp_path / "by", "b", "y", "ppff"),
        write(tmp_path / "cy", "c", "y", "ffff"),
    ]


def test_order_ties_and_flips(tmp_path: Path) -> None:
    report = agreement_report(runs(tmp_path))
    assert report.agents == ("a", "b", "c") and report.simulators == ("x, history", "y, history")
    assert report.rates["x, history", "a"] == 0.75 and report.rates["y, history", "a"] == 0.5
    (pair,) = report.pairs
    # a and b are tied under y only: a disagreement.
    assert (pair.order.agreed, pair.order.pairs) == (2, 3) and pair.order.disagreements == (("a", "b"),)
    assert pair.order.tau_b == pytest.approx(2 / (3 * 2) ** 0.5)
    # The invalid sample is no flip.
    assert (pair.compared, pair.flipped) == (11, 2)
    assert [(f.sample, f.passed_first, f.passed_second) for f in pair.flips] == [("0", 1, 0), ("2", 1, 0)]


def test_the_table(tmp_path: Path) -> None:
    ran = command("audit", "agreement", *runs(tmp_path))
    assert ran.code == 0, ran.err
    assert "66.7%" in ran.said and "0.82" in ran.said and "2/11" in ran.said


def test_shared_samples_only(tmp_path: Path) -> None:
    folders = [*runs(tmp_path)[:5], write(tmp_path / "cy2", "c", "y", "ff")]
    report = agreement_report(folders)
    assert report.samples == 2 and report.left_out == 2


def test_what_cannot_be_compared_is_refused(tmp_path: Path) -> None:
    folders = runs(tmp_path)
    cases: list[tuple[list[Path], str]] = [
        (folders[:3], "one of the simulators only"),
        ([folders[0], folders[3]], "one of the agents only"),
        (folders[:5], "no run of c under y"),
        ([*folders, write(tmp_path / "twice", "a", "x", "pppp")], "name one of them"),
        ([*folders, write(tmp_path / "data", "d", "x", "p", data="other")], "differ in their data"),
        ([*folders, write(tmp_path / "votes", "d", "x", "p", settings={"votes": 5})], "differ in their judge"),
    ]
    for given, said in cases:
        with pytest.raises(SettingError, match=said):
            agreement_report(given)
    with pytest.raises(SettingError, match="condition E2"):
        agreement_report(folders, "E2")


def test_what_is_not_comparable_can_be_forced_and_is_labelled(tmp_path: Path) -> None:
    folders = [*runs(tmp_path)[:5], write(tmp_path / "cy2", "c", "y", "ffff", settings={"votes": 5})]
    refused = command("audit", "agreement", *folders)
    assert refused.code == 2 and "differ in their judge" in refused.said and "--force" in refused.said
    forced = command("audit", "agreement", *folders, "--force")
    assert forced.code == 0 and "not comparable: " in forced.out and "differ in their judge" in forced.out


def test_other_faults_are_named(tmp_path: Path) -> None:
    faults = {"faults": {"settings": [{"mode": "E2"}], "prompted": False}}
    folders = [*runs(tmp_path)[:5], write(tmp_path / "cy3", "c", "y", "ffff", settings=faults)]
    with pytest.raises(SettingError, match="differ in their faults"):
        agreement_report(folders)
