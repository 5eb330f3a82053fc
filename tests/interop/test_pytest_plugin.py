"""Trials among tests, as pytest runs them."""

import subprocess
import sys
from collections.abc import Sequence
from importlib.metadata import entry_points
from pathlib import Path

import numpy as np  # noqa: F401 - see below
import pytest
import scipy.optimize
import scipy.stats  # noqa: F401 - see below
import yaml  # noqa: F401 - see below
from tests.support import behaviours
from tests.support.occubench import TinyRelease
from tests.support.script import Script
from tests.support.scripted_server import ScriptedServer

# Loaded here, because pytester forgets every module that a session inside this process loads, and some cannot be
# loaded a second time.
import worktrial.interop.python
import worktrial.outside.yaml_text
import worktrial.suites.documents.task
import worktrial.suites.executable.trial
import worktrial.suites.orchestration.run.ground
import worktrial.suites.orchestration.run.turns
import worktrial.suites.simulated.trial
import worktrial.suites.starter  # noqa: F401
from worktrial.engine.stored import open_run

KEY = "sk-planted-4b9e0d77"
PASSWORD = "p4ssw0rd-planted"

# An environment that was made before there was the plugin does not know its entry point yet.
_KNOWN = any(point.value == "worktrial.interop.pytest_plugin" for point in entry_points(group="pytest11"))
PLUGIN: Sequence[str] = () if _KNOWN else ("-p", "worktrial.interop.pytest_plugin")
# pytest says that it cannot rewrite what the process around it has loaded.
STRICT = ("--strict-markers", "-W", "error", "-W", "ignore::pytest.PytestAssertRewriteWarning")


def _runs(pytester: pytest.Pytester, place: str = ".worktrial") -> list[Path]:
    return sorted(folder for folder in (pytester.path / place).iterdir() if folder.is_dir())


def test_a_marked_trial_passes_and_is_kept(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("""
        import pytest

        @pytest.mark.worktrial("starter", agent="plan", tasks=["lab-01", "lab-02"], repeats=2)
        def test_agent(worktrial):
            assert worktrial.completion == 1.0
            assert worktrial.rate.passed == 4
            assert worktrial.figure("pass^k").value == 1.0
            assert worktrial.cost_per_task == 0.0
            assert 0 < worktrial.interval.low < 1
            worktrial.gate(min_completion=0.9, max_invalid=0)
    """)
    ran = pytester.runpytest(*PLUGIN, *STRICT)
    ran.assert_outcomes(passed=1)
    (folder,) = _runs(pytester)
    assert folder.name.endswith("test_agent")
    ran.stdout.fnmatch_lines(["*work trials*", f"starter · agent plan: 100.0% (4/4, *) · .worktrial/{folder.name}"])
    assert open_run(folder).missing == 0
    assert (folder.parent / ".gitignore").read_text() == "*\n"


def test_a_failure_says_how_far_and_which_tasks(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("""
        import pytest

        @pytest.mark.worktrial("starter", agent="idle", tasks="1-2")
        def test_rate(worktrial):
            assert worktrial.completion >= 0.8

        @pytest.mark.worktrial("starter", agent="plan", tasks="1-10", faults="all")
        def test_gate(worktrial):
            worktrial.gate(min_completion=0.8, min_robustness=0.99)

        @pytest.mark.worktrial("starter", agent="plan", limit=2)
        def test_no_faults(worktrial):
            worktrial.robustness
    """)
    ran = pytester.runpytest(*PLUGIN)
    ran.assert_outcomes(failed=3)
    ran.stdout.fnmatch_lines(
        [
            "E       assert 0.0 >= 0.8",
            "E        +  where 0.0 = <starter · agent idle: 0.0% (0/2, *.completion",
            "*Captured worktrial call*",
            "  fail lab-01: *",
            "E*AssertionError: worktrial gate failed: starter · agent plan: 100.0%*",
            "E*passed  min_completion=0.8: 100.0 % of 10 samples passed*",
            "E*FAILED  min_robustness=0.99: R = 0.* worst in E*wanted is at least 0.99",
            'worktrial: robustness: needs the conditions E0 to E3; run the trial with faults="all"',
        ]
    )
    ran.stdout.no_fnmatch_line("*judging.py*")


def test_functions_runs_and_baselines(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        team_agent="""
            async def solve(assignment):
                return "done"

            def not_async(assignment):
                return "done"
        """,
        test_it="""
            from team_agent import not_async, solve

            def test_mine(worktrial):
                own = worktrial.run("starter", agent=solve, limit=8)
                spec = worktrial.run("starter", agent="python:team_agent:solve", limit=8)
                file = worktrial.run("starter", agent="python:team_agent.py:solve", limit=8, max_turns=3)
                assert own.completion == spec.completion == file.completion == 0
                assert len({own.folder, spec.folder, file.folder}) == 3
                assert own.cost_per_task is None
                assert [record.sample for record in own.failures] == [record.sample for record in own.run.records]
                plan = worktrial.run("starter", agent="plan", limit=8)
                own.gate(max_regression=1.0, baseline=own)
                assert worktrial.open(plan.folder).completion == 1
                own.gate(max_regression=0.1, baseline=plan.folder)

            def test_sync(worktrial):
                assert worktrial.run("starter", agent=not_async, limit=2).completion == 0
        """,
    )
    ran = pytester.runpytest(*PLUGIN, "test_it.py", *STRICT)
    ran.assert_outcomes(passed=1, failed=1)
    ran.stdout.fnmatch_lines(
        [
            "E*worktrial gate failed: starter · agent python:team_agent:solve: 0.0%*",
            "E*FAILED  max_regression=0.1: 100.0 % -> 0.0 %*a drop by more than the margin of 10 points*",
        ]
    )


def test_one_marker_is_one_trial(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("""
        import pytest

        pytestmark = pytest.mark.worktrial("starter", agent="plan", limit=3)

        def test_a(worktrial):
            assert worktrial.completion == 1

        @pytest.mark.parametrize("most", [0.0, 0.1])
        def test_b(worktrial, most):
            worktrial.gate(max_invalid=most)

        @pytest.mark.worktrial(agent="idle")
        def test_nearer_wins(worktrial):
            assert (worktrial.completion, worktrial.rate.of_all.n) == (0, 3)
    """)
    ran = pytester.runpytest(*PLUGIN, "--worktrial-runs", "kept/here")
    ran.assert_outcomes(passed=4)
    assert len(_runs(pytester, "kept/here")) == 2
    assert sum(" · agent " in line for line in ran.outlines) == 2


@pytest.mark.parametrize(
    ("marker", "said"),
    [
        ("", "*the marker needs suite=*"),
        ("'starter'", "*the marker needs agent=*"),
        ("'starter', 'plan'", "*the marker takes the suite, and everything else by name*"),
        ("'starter', agent='plan', limt=3", "*limt: the suite starter has no such option. Did you mean limit?*"),
        ("'starter', agent='plan', limit=0", "*limit: *greater than or equal to 1*"),
        ("'starter', agent='plan', folder='x'", "*no option folder; say with --worktrial-runs*"),
        ("'starters', agent='plan'", "*no suite 'starters'; did you mean starter[?]*"),
        ("'starter', agent='python:nowhere:solve'", "*cannot import nowhere*"),
        ("'starter', agent='plan', tasks='lab-99'", "*no task lab-99*"),
        ("'occupations', agent='plan'", "*missing: data, simulator, judge. *"),
        ("'starter', agent='plan', faults='E9'", "*'E9' is none of E0, E1*"),
        ("'documents', agent='idle', archive='a'", "*archive: name the questions about it with questions*"),
    ],
)
def test_what_makes_no_sense_is_told_in_a_line(marker: str, said: str, pytester: pytest.Pytester) -> None:
    pytester.makepyfile(f"""
        import pytest

        @pytest.mark.worktrial({marker})
        def test_it(worktrial):
            worktrial.completion
    """)
    ran = pytester.runpytest(*PLUGIN)
    ran.assert_outcomes(failed=1)
    ran.stdout.fnmatch_lines([said])
    ran.stdout.no_fnmatch_line("*Traceback*")
    ran.stdout.no_fnmatch_line("*.py:[0-9]*: *Error*")
    assert not (pytester.path / ".worktrial").exists() or _runs(pytester) == []


def test_without_a_marker_or_inside_a_loop(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("""
        import asyncio

        def test_bare(worktrial):
            worktrial.completion

        def test_loop(worktrial):
            async def inside():
                assert worktrial.run("starter", agent="plan", limit=1).completion == 1
            asyncio.run(inside())
    """)
    ran = pytester.runpytest(*PLUGIN)
    ran.assert_outcomes(passed=1, failed=1)
    ran.stdout.fnmatch_lines(["*the test has no @pytest.mark.worktrial*"])


def test_the_other_suites(pytester: pytest.Pytester) -> None:
    TinyRelease().write(pytester.path / "data")
    with ScriptedServer(Script()) as server:
        pytester.makepyfile(f"""
            def test_documents(worktrial):
                run = worktrial.run("documents", agent="reference", tasks="1-3")
                assert (run.completion, run.rate.of_all.n) == (1, 3)

            def test_orchestration(worktrial):
                run = worktrial.run("orchestration", agent="gold", language="en", limit=2)
                assert (run.completion, run.rate.of_all.n) == (1, 2)

            def test_occupations(worktrial):
                models = dict(agent="agent-1", simulator="simulator-1", judge="judge-1", price=(1, 2))
                run = worktrial.run("occupations", data="data", base_url="{server.url}", votes=1, **models)
                assert run.completion == 1
                assert run.cost_per_task > 0
                assert run.run.manifest.settings["votes"] == 1
        """)
        pytester.runpytest(*PLUGIN, *STRICT).assert_outcomes(passed=3)


def test_secrets_stay_out_of_reports(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLANTED", KEY)
    script = Script(agent=behaviours.RefusesKey())
    with ScriptedServer(script) as server, ScriptedServer(Script(agent=behaviours.Status(500))) as broken:
        address = server.url.replace("://", f"://user:{PASSWORD}@")
        pytester.makepyfile(
            test_it=f"""
                from options import REFUSED, BROKEN

                def test_refused(worktrial):
                    worktrial.run("starter", agent="m", limit=1, **REFUSED)

                def test_refused_with_a_key(worktrial):
                    worktrial.run("starter", agent="m", limit=1, base_url="{server.url}", api_key_env="PLANTED")

                def test_broken(worktrial):
                    assert worktrial.run("starter", agent="m", tasks="lab-01", **BROKEN).completion == 1
            """,
            options=f"""
                REFUSED = dict(base_url="{address}")
                BROKEN = dict(base_url="{broken.url}", api_key_env="PLANTED", retries=1)
            """,
        )
        ran = pytester.runpytest(*PLUGIN, "test_it.py", "--tb=long", "--showlocals", "-rA")
        ran.assert_outcomes(failed=3)
    ran.stdout.fnmatch_lines(["*invalid lab-01: endpoint_unavailable*"])
    said = ran.stdout.str() + ran.stderr.str()
    assert KEY not in said
    assert PASSWORD not in said


def test_an_interruption_ends_the_session(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("""
        import os
        import signal

        async def interrupted(assignment):
            os.kill(os.getpid(), signal.SIGINT)
            await assignment.call("no_such_tool", {})
            return "done"

        def test_interrupted(worktrial):
            before = signal.getsignal(signal.SIGINT)
            try:
                worktrial.run("starter", agent=interrupted, limit=2)
            finally:
                assert signal.getsignal(signal.SIGINT) is before

        def test_never_reached():
            assert False
    """)
    ran = pytester.runpytest_subprocess(*PLUGIN)
    assert ran.ret == pytest.ExitCode.INTERRUPTED
    ran.stdout.fnmatch_lines(["*KeyboardInterrupt*"])
    ran.stdout.no_fnmatch_line("*test_never_reached*")
    (folder,) = _runs(pytester)
    assert open_run(folder).manifest.sessions[-1].end == "interrupted"


def test_processes_side_by_side_have_folders_of_their_own(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("""
        import pytest

        @pytest.mark.worktrial("starter", agent="plan", limit=1)
        def test_it(worktrial):
            assert worktrial.completion == 1
    """)
    command = [sys.executable, "-m", "pytest", "-q", *PLUGIN]
    children = [subprocess.Popen(command, cwd=pytester.path, stdout=subprocess.DEVNULL) for _ in range(2)]
    assert [child.wait(timeout=100) for child in children] == [0, 0]
    assert len(_runs(pytester)) == 2


def test_a_session_without_trials_pays_nothing(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("""
        import sys

        def test_nothing_of_ours_is_loaded():
            ours = {name for name in sys.modules if name.startswith("worktrial")}
            few = ("version", "interop", "interop.pytest_plugin")
            assert ours == {"worktrial", *(f"worktrial.{name}" for name in few)}
    """)
    ran = pytester.runpytest_subprocess(*PLUGIN, *STRICT)
    ran.assert_outcomes(passed=1)
    ran.stdout.no_fnmatch_line("*work trials*")
    assert not (pytester.path / ".worktrial").exists()


def test_loading_is_quick() -> None:
    code = (
        "import os, pytest; a = os.times(); import worktrial.interop.pytest_plugin; b = os.times(); "
        "print(b.user + b.system - a.user - a.system)"
    )
    seconds = [float(subprocess.check_output([sys.executable, "-c", code])) for _ in range(3)]
    assert min(seconds) < 0.05
