"""The workplace that a suite's tasks are composed for: brought by its owner, or written by the author."""

import shutil
from collections.abc import Sequence
from pathlib import Path

from worktrial.errors import DataError, option
from worktrial.outside.files import refuse_links_out
from worktrial.suites.executable.tasks import TASKS_FILE
from worktrial.synthesis.clauses.clause import stored_clauses
from worktrial.synthesis.compose.atoms import ATOMS_FILE
from worktrial.synthesis.composed_suite import STATES
from worktrial.synthesis.folder import SuiteFolder
from worktrial.workplaces.executable.code import CodeWorkplace
from worktrial.workplaces.executable.folder import TOOLS_FILE
from worktrial.workplaces.handbook import Handbook, Paper

HANDBOOK = "handbook"


def adopt(given: Path, folder: SuiteFolder) -> Path:
    """Copy a workplace that its owner has written into the suite's folder, which may be the same.

    Given is a suite's folder with one workplace, or that workplace's own; tasks and states there are left behind.

    Raises:
        DataError: there is no workplace, or more than one, or a link leads out of the folder.
    """
    place, root = _place_in(given)
    refuse_links_out(root)
    target = folder.workplaces / place.name
    if target.resolve() == place.resolve():
        return target
    left = shutil.ignore_patterns("__pycache__", TASKS_FILE, STATES, ".*")
    try:
        shutil.copytree(place, target, ignore=left, dirs_exist_ok=True)
        if (root / HANDBOOK).is_dir():
            shutil.copytree(root / HANDBOOK, folder.root / HANDBOOK, ignore=left, dirs_exist_ok=True)
        if (root / folder.clauses.name).is_file():
            shutil.copy(root / folder.clauses.name, folder.clauses)
    except OSError as e:
        raise DataError(folder.root, f"cannot be written ({e.strerror})", "Name another with -o") from None
    return target


def place_of(folder: SuiteFolder) -> Path | None:
    """Folder of the suite's one workplace; None where there is none yet.

    Raises:
        DataError: there are several.
    """
    return _place_in(folder.root)[0] if any(folder.workplaces.glob(f"*/{TOOLS_FILE}")) else None


def is_authored(folder: SuiteFolder) -> bool:
    """Whether the workplace is one that an author has written, or begun to write."""
    return (folder.work / "authoring").is_dir() or (folder.work / "authoring.jsonl").is_file()


def lacks_workplace(folder: SuiteFolder) -> str:
    """Message of a session that has no workplace, and nothing that one could be made from."""
    own, simulated = f"{option('workplace')} FOLDER", f"{option('workplace')} simulated"
    return (
        f"{folder.root} holds no workplace, and there is no procedure that one could be written from. Give the "
        f"procedure with {option('document')} FILE, a workplace of your own with {own}, or have a model play "
        f"workplaces that it makes up with {simulated}"
    )


def _place_in(given: Path) -> tuple[Path, Path]:
    """Folder of the workplace, and of the suite that it is in."""
    flag = option("workplace")
    if (given / TOOLS_FILE).is_file():
        return given, given.parent.parent
    places = sorted(path.parent for path in (given / "workplaces").glob(f"*/{TOOLS_FILE}"))
    if len(places) == 1:
        return places[0], given
    if places:
        names = ", ".join(place.name for place in places)
        raise DataError(given, f"holds several workplaces ({names})", f"Name one of their folders with {flag}")
    raise DataError(given, f"holds no workplace: no {TOOLS_FILE}, no workplaces/*/{TOOLS_FILE}", "See the docs")


def read_home(folder: SuiteFolder, place: Path, *, trust: bool) -> CodeWorkplace:
    """The workplace, its handbook in it, its code run in the sandbox unless it is trusted.

    Raises:
        DataError: a file is missing or cannot be used, atoms among them.
        SettingError: code cannot be locked in here.
    """
    refuse_links_out(folder.root)
    if not (place / ATOMS_FILE).is_file():
        what = "there is none, so no task can be composed"
        raise DataError(place / ATOMS_FILE, what, "Write what each clause asks as an atom; see the docs")
    papers = folder.root / HANDBOOK
    handbook = Handbook(papers, templates=False) if papers.is_dir() else None
    return CodeWorkplace.read(place, handbook=handbook, trust=trust)


def rules_of(folder: SuiteFolder) -> dict[str, str]:
    """Text of each clause that the agent can read by its id; without clauses, of each section of the handbook.

    Raises:
        DataError: a file cannot be used.
    """
    if clauses := stored_clauses(folder.clauses):
        return {clause.id: clause.quote for clause in clauses if not clause.private}
    return {paper.section: paper.text for paper in _papers(folder)}


def headings_of(folder: SuiteFolder) -> dict[str, str]:
    """Number and title of the section in which each rule of `rules_of` stands, by the rule's id."""
    titles = {paper.section: f"Section {paper.section}: {paper.title}" for paper in _papers(folder)}
    clauses = stored_clauses(folder.clauses)
    return {one.id: titles[one.section] for one in clauses if one.section in titles} if clauses else titles


def _papers(folder: SuiteFolder) -> Sequence[Paper]:
    papers = folder.root / HANDBOOK
    return Handbook(papers, templates=False).on({}) if papers.is_dir() else ()
