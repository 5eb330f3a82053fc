"""The workplace that a suite's tasks are composed for: brought by its owner, or written by the author."""

import shutil
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from worktrial.errors import DataError, option
from worktrial.outside.files import refuse_links_out
from worktrial.suites.executable.tasks import TASKS_FILE
from worktrial.synthesis.artifacts import JobSpec
from worktrial.synthesis.clauses.clause import Clause, read_clauses
from worktrial.synthesis.clauses.typed import typed_values
from worktrial.synthesis.compose.atoms import ATOMS_FILE, read_atoms
from worktrial.synthesis.compose.telegraph import telegraphed
from worktrial.synthesis.composed_suite import STATES, Labels
from worktrial.synthesis.folder import SuiteFolder
from worktrial.synthesis.gates.door import Door
from worktrial.synthesis.gates.expectations import read_expectations
from worktrial.synthesis.gates.names import EXPECTATIONS_FILE
from worktrial.synthesis.gates.run import Gated, GateReport, task_gates, workplace_gates
from worktrial.synthesis.gates.texts import OutcomeText
from worktrial.synthesis.gates.work import carry_out
from worktrial.synthesis.proving.way import ComposedBench
from worktrial.synthesis.standing import StandingFinding, standing, unsuitable_findings
from worktrial.workplaces.executable.code import CodeWorkplace
from worktrial.workplaces.executable.folder import TOOLS_FILE
from worktrial.workplaces.handbook import Handbook

CLAUSES = "clauses.yaml"
HANDBOOK = "handbook"


def adopt(given: Path, folder: SuiteFolder) -> Path:
    """Copy a workplace that its owner has written into the suite's folder, which may be the same.

    Args:
        given: A suite's folder with one workplace, or that workplace's own folder.
        folder: Where the suite is made. Tasks and states of the given folder are left where they are.

    Returns:
        The workplace's folder within the suite's.

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
        if (root / CLAUSES).is_file():
            shutil.copy(root / CLAUSES, folder.root / CLAUSES)
    except OSError as e:
        raise DataError(folder.root, f"cannot be written ({e.strerror})", "Name another with -o") from None
    return target


def place_of(folder: SuiteFolder) -> Path | None:
    """Folder of the suite's one workplace; None where there is none yet.

    Raises:
        DataError: there are several.
    """
    if not any(folder.workplaces.glob(f"*/{TOOLS_FILE}")):
        return None
    return _place_in(folder.root)[0]


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
    papers = folder.root / HANDBOOK
    handbook = Handbook(papers, templates=False) if papers.is_dir() else None
    if not (place / ATOMS_FILE).is_file():
        what = "there is none, so no task can be composed"
        raise DataError(place / ATOMS_FILE, what, "Write what each clause asks as an atom; see the docs")
    return CodeWorkplace.read(place, handbook=handbook, trust=trust)


def rules_of(folder: SuiteFolder) -> dict[str, str]:
    """Text of each clause that the agent can read by its id; without clauses, of each section of the handbook.

    Raises:
        DataError: a file cannot be used.
    """
    if clauses := read_all_clauses(folder):
        return {clause.id: clause.quote for clause in clauses if not clause.private}
    papers = folder.root / HANDBOOK
    if not papers.is_dir():
        return {}
    return {paper.section: paper.text for paper in Handbook(papers, templates=False).on({})}


def headings_of(folder: SuiteFolder) -> dict[str, str]:
    """Number and title of the section in which each rule of `rules_of` stands, by the rule's id.

    Raises:
        DataError: a file cannot be used.
    """
    papers = folder.root / HANDBOOK
    if not papers.is_dir():
        return {}
    shown = Handbook(papers, templates=False).on({})
    titles = {paper.section: f"Section {paper.section}: {paper.title}" for paper in shown}
    clauses = read_all_clauses(folder)
    return {one.id: titles[one.section] for one in clauses if one.section in titles} if clauses else titles


def labels_of(spec: JobSpec, place: Path) -> Labels:
    """Names by which the tasks are grouped."""
    return Labels(workplace=place.name, scenario=spec.role, category=spec.industry, domain=spec.domain or spec.role)


def task_findings(
    door: Door,
    clauses: Sequence[Clause],
    known: Sequence[StandingFinding] = (),
    texts: Sequence[OutcomeText] = (),
) -> Callable[[ComposedBench], Awaitable[list[str]]]:
    """Function from a task to what speaks against it, a sentence each: findings of gates, and those that stand.

    Args:
        door: The workplace.
        clauses: All clauses that hold.
        known: Findings in the workplace, some of which keep back the tasks of their clauses.
        texts: Texts of the workplace's cases.
    """
    against = [one for one in known if one.clauses and not one.waived]

    async def found(bench: ComposedBench) -> list[str]:
        task = bench.task
        works = await carry_out(door, [(task.plan_alone, task.initial_state)])
        report = GateReport()
        await task_gates(Gated(door=door, tasks=[task], clauses=clauses, texts=texts), works, report)
        kept_back = [one.told for one in against if set(one.clauses) & set(task.clauses)]
        return [*kept_back, *(f"{finding.check}: {finding.what}" for finding in report.findings)]

    return found


async def workplace_findings(
    door: Door, place: Path, clauses: Sequence[Clause], languages: Sequence[str], waived: Sequence[str]
) -> list[StandingFinding]:
    """Findings in a workplace and its atoms, which keep it from being published until they are mended or waived."""
    expected = read_expectations(place / EXPECTATIONS_FILE)
    report = GateReport()
    subject = Gated(door=door, clauses=clauses, expectations=expected)
    await workplace_gates(subject, [], report, mutate=0)
    atoms = {atom.name: atom for atom in read_atoms(place)}
    findings = [*unsuitable_findings(door.home.sources["tools"]), *report.findings]
    typed = typed_values(door.home.sources["atoms"], clauses, place.name, ATOMS_FILE) if clauses else []
    return standing([*findings, *typed, *await telegraphed(atoms, door, languages)], expected, waived)


def read_all_clauses(folder: SuiteFolder) -> list[Clause]:
    """The folder's clauses, private ones included; [] where it has none.

    Raises:
        DataError: the file cannot be used.
    """
    path = folder.root / CLAUSES
    return read_clauses(path) if path.is_file() else []
