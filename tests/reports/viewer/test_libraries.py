"""The script of libraries is what its sources make, and their licences go with it."""

from pathlib import Path

from scripts.front_end import BUILT, VENDOR, libraries

from worktrial import reports


def test_the_built_script_is_that_of_its_sources() -> None:
    assert BUILT.read_text("utf-8") == libraries(), "make it anew: python -m scripts.front_end"


def test_every_library_has_its_licence() -> None:
    notice = (Path(reports.__file__).parent / "NOTICE").read_text("utf-8")
    folders = [folder for folder in VENDOR.iterdir() if folder.is_dir()]
    assert folders
    for folder in folders:
        assert (folder / "LICENSE").read_text("utf-8").strip() in notice
