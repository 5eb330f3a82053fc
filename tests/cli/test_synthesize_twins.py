"""`worktrial synthesize --twins`, and the audit of a simulator by the twins that were kept."""

import copy
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import jsonpatch
import msgspec
import pytest
from tests.support.cli import Ran, command, lines_of
from tests.support.happy import HappySimulator, asks_for_patch
from tests.support.request import ScriptedRequest
from tests.support.script import Answer, Behaviour, Script
from tests.support.scripted_server import ScriptedServer
from tests.support.wire import completion, json_text
from tests.synthesis.small_author import models, small
from tests.synthesis.twin.twins import SMALL, needs_sandbox

from worktrial.audits.simulator_report import simulator_report
from worktrial.engine.roles import Role
from worktrial.suites.simulated.folder import load_own
from worktrial.synthesis.twin import session
from worktrial.synthesis.twin.agreement import TwinRecord

pytestmark = needs_sandbox

SLOT = "handing-out-parcels-1"


@dataclass(frozen=True)
class Counter(Behaviour):
    """The parcel counter of `tests.synthesis.small_author`; it forgets writes where it is told to."""

    forgets: bool = False

    def answer(self, request: ScriptedRequest) -> Answer:
        if not asks_for_patch(request):
            return HappySimulator().answer(request)
        lines = request.last_user_text.splitlines()
        before = json.loads(lines[lines.index("State:") + 1])
        call = json.loads(lines[lines.index("Call to answer:") + 1])
        after, key = copy.deepcopy(before), call["arguments"]["parcel_id"]
        said: dict[str, Any] = {"error": {"type": "unknown_parcel", "message": f"{key} is not here."}}
        for parcel in after["parcels"]:
            if parcel["parcel_id"] == key:
                parcel["status"] = "handed_out" if call["name"] == "hand_out" else parcel["status"]
                said = dict(parcel)
        patch = [] if self.forgets else jsonpatch.make_patch(before, after).patch
        return completion(json_text({"observation": said, "patch": patch}))


def writes(*sources: str | None) -> Callable[[ScriptedRequest], Any]:
    """An author whose twins are these, one for each time it is asked; None finds the workplace not suitable."""
    left = list(sources)

    def answer(request: ScriptedRequest) -> Any:
        if "suitable" not in (request.schema or {}).get("properties", {}):
            return None
        source = left.pop(0) if len(left) > 1 else left[0]
        notes = ["Who came first cannot be known."] if source is None else []
        return completion(json_text({"suitable": source is not None, "source": source or "", "notes": notes}))

    return answer


def office(*sources: str | None, forgets: bool = False) -> Script:
    return small(writes(*sources), simulator=Counter(forgets))


def synthesize(server: ScriptedServer, suite: Path, *words: str) -> Ran:
    size = ("--subtopics", 1, "--levels", "1", "--twins", "-o", suite)
    ran = command("synthesize", "--job", "parcel clerk", *models(server.url), *size, *words)
    assert ran.code == 0, ran.said
    return ran


def record(suite: Path) -> TwinRecord:
    return msgspec.json.decode((suite / "workplaces" / SLOT / "face.json").read_bytes(), type=TwinRecord)


def test_a_twin_that_agrees_is_kept_and_audits_simulators(tmp_path: Path) -> None:
    suite = tmp_path / "suite"
    with ScriptedServer(office(SMALL)) as server:
        ran = synthesize(server, suite)
        assert "Executable twins: 1 of 1 kept." in ran.said
        assert "agrees with the simulator on 7 of 7 calls" in ran.said
        assert "twins" in ran.err, "the estimate names them"
        asked, made = server.count(), (suite / "workplaces" / SLOT / "face.json").stat().st_mtime_ns
        again = command("synthesize", "-o", suite)
        assert (again.code, server.count()) == (0, asked), again.said
        assert "Nothing is left to ask for." in again.err
        assert "Executable twins: 1 of 1 kept." in again.said
        assert (suite / "workplaces" / SLOT / "face.json").stat().st_mtime_ns == made
        audited = command(
            *("audit", "simulator", "--suite-folder", suite, "--memory", "ledger", "-o", tmp_path / "audit"),
            *("--simulator", "simulator-1", "--base-url", server.url),
        )
    found = record(suite)
    assert (found.kept, found.model, found.simulator) == (True, "synthesizer-1", "simulator-1")
    assert (suite / "workplaces" / SLOT / "face.py").read_text() == SMALL.lstrip()
    assert f"work/drafts/{SLOT}/face.yaml" in {row["file"] for row in lines_of(suite / "provenance.jsonl")}
    assert audited.code == 0, audited.said
    report = simulator_report(tmp_path / "audit")
    assert (report.sequences, report.overall.calls, report.overall.exact) == (2, 7, 7)
    assert report.kinds["write"].share == 1.0
    assert report.drift[-1].true == report.drift[-1].sequences
    with ScriptedServer(office(SMALL, forgets=True)) as server:
        audited = command(
            *("audit", "simulator", "--suite-folder", suite, "--memory", "ledger", "-o", tmp_path / "second"),
            *("--simulator", "simulator-1", "--base-url", server.url),
        )
    assert audited.code == 0, audited.said
    assert simulator_report(tmp_path / "second").drift[-1].true < 2
    # The twins change no result of a run.
    before = load_own(suite).fingerprint
    (suite / "workplaces" / SLOT / "face.json").unlink()
    (suite / "workplaces" / SLOT / "face.py").unlink()
    assert load_own(suite).fingerprint == before
    gone = command(
        *("audit", "simulator", "--suite-folder", suite, "--simulator", "m", "--base-url", "http://x/v1")
    )
    assert (gone.code, "--twins" in gone.said) == (2, True)


def test_a_twin_that_does_not_agree_is_not_kept(tmp_path: Path) -> None:
    with ScriptedServer(office(SMALL, forgets=True)) as server:
        ran = synthesize(server, tmp_path)
    assert "fewer than 90%" in ran.said
    found = record(tmp_path)
    assert found.agreement is not None
    assert not found.kept
    assert not (tmp_path / "workplaces" / SLOT / "face.py").exists()
    apart = [call for call in found.agreement.calls if not call.agrees]
    assert [call.tool for call in apart] == ["hand_out", "hand_out", "get_parcel"]
    assert [d.in_state for d in apart[0].differences] == [True]


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (None, "not suitable: Who came first cannot be known."),
        (SMALL.replace('return {"error"', 'open("/etc/passwd")\n    return {"error"'), "uses open"),
        (SMALL.replace("dict(parcel)", "9 ** 9 ** 9 ** 9", 1), "TimeLimit"),
        (SMALL.replace("dict(parcel)", "'x' * 10 ** 11", 1), "MemoryError"),
        (SMALL.replace("dict(parcel)", "parcel['colour']", 1), "KeyError: 'colour'"),
    ],
)
def test_what_is_refused_says_why(
    source: str | None, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "LIMITS", replace(session.LIMITS, seconds=1.0))
    with ScriptedServer(office(source)) as server:
        ran = synthesize(server, tmp_path)
        asked = server.count(Role.SYNTHESIZER)
        assert "Executable twins: 0 of 1 kept." in ran.said
        assert said in record(tmp_path).why
        assert command("synthesize", "-o", tmp_path).code == 0
        # A refusal is remembered, too.
        assert server.count(Role.SYNTHESIZER) == asked
    assert not (tmp_path / "workplaces" / SLOT / "face.py").exists()


def test_a_twin_that_fails_on_the_plan_is_mended_once(tmp_path: Path) -> None:
    with ScriptedServer(office(SMALL.replace('parcel["parcel_id"]', 'parcel["id"]'), SMALL)) as server:
        ran = synthesize(server, tmp_path)
        prompts = [
            json.dumps(r.messages) for r in server.of(Role.SYNTHESIZER) if "suitable" in json.dumps(r.schema)
        ]
    assert "Executable twins: 1 of 1 kept." in ran.said
    assert len(prompts) == 2
    assert "KeyError: 'id'" in prompts[1]


def test_a_twin_changed_by_hand_is_compared_anew(tmp_path: Path) -> None:
    path = tmp_path / "work" / "drafts" / SLOT / "face.yaml"
    with ScriptedServer(office(SMALL)) as server:
        synthesize(server, tmp_path)
        path.write_text(path.read_text().replace("there is no parcel", "nobody knows the parcel"))
        ran = command("synthesize", "-o", tmp_path)
        assert "1 of 1 kept" in ran.said
        assert "nobody knows" in (tmp_path / "workplaces" / SLOT / "face.py").read_text()
        assert record(tmp_path).model == ""
        path.write_text(path.read_text().replace('"handed_out"', '"gone"'))
        assert "0 of 1 kept" in command("synthesize", "-o", tmp_path).said
        assert "gone" in path.read_text()
        assert not (tmp_path / "workplaces" / SLOT / "face.py").exists()


def test_another_twin_than_was_compared_is_the_truth_of_nothing(tmp_path: Path) -> None:
    with ScriptedServer(office(SMALL)) as server:
        synthesize(server, tmp_path)
        place = tmp_path / "workplaces" / SLOT
        audit = ("audit", "simulator", "--suite-folder", tmp_path, "--simulator", "m", "--base-url", server.url)
        (place / "face.py").write_text(SMALL.replace("handed_out", "gone"))
        assert "another one than was compared" in command(*audit).said
        (place / "face.py").write_text(SMALL.lstrip())
        state = place / "initial_state.yaml"
        state.write_text(state.read_text().replace("P-2", "P-7"))
        assert "was changed since its twin was compared" in command(*audit).said


def test_without_a_sandbox_there_are_no_faces_and_nothing_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with ScriptedServer(office(SMALL)) as server:
        ran = synthesize(server, tmp_path / "suite")
        assert "note: no executable twins: bubblewrap is not installed" in ran.said
        assert "--unsafe-python" not in ran.said
        assert not [r for r in server.of(Role.SYNTHESIZER) if "suitable" in json.dumps(r.schema)]
    assert (tmp_path / "suite" / "suite.yaml").exists()
