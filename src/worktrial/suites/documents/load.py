"""Reading questions, as published and ours, and choosing among them."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from worktrial.errors import DataError, SettingError, option
from worktrial.suites.documents.official_csv import read_official
from worktrial.suites.documents.own_jsonl import read_own
from worktrial.suites.documents.question import Question
from worktrial.suites.selection import select

_KNOWN_FILES = ("questions.jsonl", "officeqa_pro_v2.csv", "officeqa_pro.csv", "officeqa_full.csv")
_READERS = {".csv": read_official, ".jsonl": read_own}


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """The questions of one file."""

    path: Path
    questions: tuple[Question, ...]
    fingerprint: str
    """SHA-256 of the file: which revision of the data it is."""


def load_questions(path: Path) -> QuestionSet:
    """The questions in a file, or in the one question file of a folder.

    Args:
        path: A `.csv` as OfficeQA publishes them, or a `.jsonl` of ours; or the folder that holds one.

    Raises:
        DataError: there is none, or a row cannot be used; the message names file, row and field.
    """
    path = _file(path)
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise DataError(path, "is no file of questions", "Name a .csv of OfficeQA, or a .jsonl in Worktrial's form")
    try:
        content = path.read_bytes()
        text = content.decode("utf-8-sig")
    except OSError as e:
        raise DataError(path, f"cannot be read ({e.strerror})") from None
    except UnicodeDecodeError as e:
        raise DataError(path, f"is not UTF-8 (byte {e.start})", "Save it as UTF-8") from None
    questions = reader(text, path)
    if not questions:
        raise DataError(path, "holds no question")
    _refuse_doubles(questions)
    return QuestionSet(path, tuple(questions), sha256(content).hexdigest())


def choose(
    questions: QuestionSet,
    *,
    ids: Sequence[str] = (),
    difficulties: Sequence[str] = (),
    kinds: Sequence[str] = (),
    limit: int | None = None,
) -> list[Question]:
    """The questions to run, in their own order.

    Args:
        questions: Where to choose from.
        ids: Only these; empty is all.
        difficulties: Only these, as the data names them, whatever the case.
        kinds: Only these kinds, likewise.
        limit: At most so many.

    Raises:
        SettingError: something named is not in the data, or nothing is left.
    """
    chosen = select(questions.questions, ids, source=str(questions.path))
    chosen = _only(chosen, questions, "difficulty", difficulties)
    chosen = _only(chosen, questions, "kind", kinds)
    return chosen[:limit]


def without_documents(questions: Sequence[Question], documents: Collection[str]) -> dict[str, list[str]]:
    """Question ids to those of their documents that are not among `documents`."""
    missing = {q.id: [name for name in q.documents if name not in documents] for q in questions}
    return {id_: names for id_, names in missing.items() if names}


def _file(path: Path) -> Path:
    if not path.is_dir():
        if not path.exists():
            raise DataError(path, "no such file", f"Name a file of questions with {option('questions')}")
        return path
    found = [path / name for name in _KNOWN_FILES if (path / name).is_file()]
    if len(found) != 1:
        what = f"holds {', '.join(f.name for f in found)}" if found else f"holds none of {', '.join(_KNOWN_FILES)}"
        raise DataError(path, what, "Name one file of questions")
    return found[0]


def _refuse_doubles(questions: Sequence[Question]) -> None:
    first: dict[str, Question] = {}
    for question in questions:
        other = first.setdefault(question.id, question)
        if other is not question:
            raise DataError(question.where, f"the id {question.id} is taken twice; first by {other.where}")


def _only(chosen: list[Question], questions: QuestionSet, name: str, wanted: Sequence[str]) -> list[Question]:
    if not wanted:
        return chosen
    known = sorted({getattr(q, name) for q in questions.questions} - {""})
    if not known:
        raise SettingError(f"{option(name)}: {questions.path} says no {name} of its questions")
    low = {value.casefold() for value in wanted}
    if unknown := sorted(low - {value.casefold() for value in known}):
        raise SettingError(f"{option(name)} {', '.join(unknown)}: not one of {', '.join(known)}")
    kept = [q for q in chosen if getattr(q, name).casefold() in low]
    if not kept:
        raise SettingError(f"{option(name)} {', '.join(wanted)}: leaves no question to run")
    return kept
