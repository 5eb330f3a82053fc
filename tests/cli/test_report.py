import os
import signal
import time
from pathlib import Path

from tests.support.cli import command, start
from tests.support.made_runs import make_run


def test_a_report_of_two_runs(tmp_path: Path) -> None:
    runs = [make_run(tmp_path / name, agent=name, tasks=5) for name in ("first", "second")]
    made = command("report", *runs, "-o", tmp_path / "site", "--title", "Spring <trial>")
    assert (made.code, made.err) == (0, "")
    assert made.out == f"The report is written. Open {tmp_path / 'site' / 'index.html'}\n"
    page = (tmp_path / "site" / "index.html").read_text("utf-8")
    assert "<h1>Spring &lt;trial&gt;</h1>" in page
    assert "first" in page and "second" in page


def test_what_cannot_be_reported_is_told(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", tasks=3)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "a.txt").write_text("a")
    refused = command("report", run, "-o", tmp_path / "mine")
    assert refused.code == 2 and "a.txt" in refused.err and "--force" in refused.err
    assert command("report", run, run, "-o", tmp_path / "site").code == 2
    nowhere = command("report", tmp_path / "nowhere", "-o", tmp_path / "site")
    assert nowhere.code == 2 and "no such folder" in nowhere.err
    assert not (tmp_path / "site").exists()
    forced = command("report", run, "-o", tmp_path / "mine", "--force")
    assert forced.code == 0 and (tmp_path / "mine.1" / "a.txt").exists()
    assert f"held is kept in {tmp_path / 'mine.1'}" in forced.err


def test_an_interrupted_report_leaves_nothing(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", tasks=1500, calls=12)
    with start("report", run, "-o", tmp_path / "site") as child:
        deadline = time.monotonic() + 60
        while not list(tmp_path.glob(".site.*.part/data/run/*")) and child.poll() is None:
            assert time.monotonic() < deadline, "the report is not begun"
            time.sleep(0.005)
        os.kill(child.pid, signal.SIGINT)
        _, err = child.communicate(timeout=60)
    assert child.returncode == 130 and "no report was written" in err
    assert [entry.name for entry in tmp_path.iterdir()] == ["run"]
