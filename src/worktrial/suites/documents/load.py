"""Questions of a file, on this machine or on the Hugging Face hub, and the choice among them."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from worktrial.errors import DataError, SettingError, option
from worktrial.outside.files import read_bytes
from worktrial.suites.documents.question import DocumentQuestion
from worktrial.suites.documents.question_files import read_own, read_published
from worktrial.suites.selection import select

_KNOWN_FILES = ("questions.jsonl", "officeqa_pro_v2.csv", "officeqa_pro.csv", "officeqa_full.csv")
_IN_PARENTHESES = re.compile(r"\s*\([^()\w]*\d[^()]*\)\s*")
_READERS = {".csv": read_published, ".jsonl": read_own}


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """The questions of one file."""

    path: Path
    questions: tuple[DocumentQuestion, ...]
    fingerprint: str
    """SHA-256 of the file: which revision of the data it is."""


def load_questions(path: Path) -> QuestionSet:
    """The questions in a file, or in the one question file of a folder.

    Args:
        path: A `.csv` as OfficeQA publishes them, or a `.jsonl` of ours; or the folder that holds one.

    Raises:
        DataError: there is none, or a row cannot be used; the message names file, row and field.
    """
    within = path if path.is_dir() else None
    path = _file(path)
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise DataError(path, "is no file of questions", "Name a .csv of OfficeQA, or a .jsonl in Worktrial's form")
    try:
        content = read_bytes(path, within=within)
        text = content.decode("utf-8-sig")
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
) -> list[DocumentQuestion]:
    """The questions that were named, in their own order.

    Args:
        questions: Where to choose from.
        ids: Only these, each an id or a range; empty is all.
        difficulties: Only these, as the data names them, whatever the case.
        kinds: Only these kinds, likewise.

    Raises:
        SettingError: something named is not in the data, or nothing is left.
    """
    chosen = select(questions.questions, ids, source=str(questions.path))
    chosen = _only(chosen, questions, "difficulty", difficulties)
    return _only(chosen, questions, "kind", kinds)


def without_documents(questions: Sequence[DocumentQuestion], documents: Collection[str]) -> dict[str, list[str]]:
    """Question ids to those of their documents that are not among `documents`."""
    missing = {q.id: [name for name in q.documents if name not in documents] for q in questions}
    return {id_: names for id_, names in missing.items() if names}


def doubtful_gold(questions: Sequence[DocumentQuestion], pages: Mapping[str, int]) -> Iterator[str]:
    """Warn of gold answers and gold pages that are hardly meant as they stand, each with file, row and field.

    Args:
        questions: Those to run.
        pages: Names of documents to how many pages they have.
    """
    for question in questions:
        if _IN_PARENTHESES.fullmatch(question.answer):
            plain = question.answer.strip().strip("()")
            yield (
                f'{question.where}: answer: "{question.answer}" counts as negative; write -{plain} if it is, '
                f"{plain} if it is not"
            )
        for page in question.pages:
            if page.page > (last := pages.get(page.document, page.page)):
                yield (
                    f"{question.where}: pages: {page} is beyond the document's end, page {last}; it can never be "
                    "read. Count PDF pages from 1"
                )


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


def _refuse_doubles(questions: Sequence[DocumentQuestion]) -> None:
    first: dict[str, DocumentQuestion] = {}
    for question in questions:
        other = first.setdefault(question.id, question)
        if other is not question:
            raise DataError(question.where, f"the id {question.id} is taken twice; first by {other.where}")


def _only(
    chosen: list[DocumentQuestion], questions: QuestionSet, name: str, wanted: Sequence[str]
) -> list[DocumentQuestion]:
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


SCHEME = "hf://"
_ADDRESS = re.compile(
    r"hf://datasets/(?P<repository>[\w.-]+/[\w.-]+)(?:@(?P<revision>[\w.-]+))?/(?P<file>[^@]+\.(?:csv|jsonl))",
    re.ASCII,
)
_FORM = "hf://datasets/OWNER/NAME/FILE.csv, or with a revision: hf://datasets/OWNER/NAME@REVISION/FILE.csv"


class HubFile(NamedTuple):
    """A file of a dataset."""

    repository: str
    revision: str
    file: str


def parse_address(text: str) -> HubFile:
    """Take `hf://datasets/OWNER/NAME[@REVISION]/FILE` apart.

    Raises:
        SettingError: it has another form.
    """
    match = _ADDRESS.fullmatch(text)
    if match is None:
        raise SettingError(f"{option('questions')} {text}: write {_FORM}")
    return HubFile(match["repository"], match["revision"] or "main", match["file"])


def fetch_questions(text: str) -> Path:
    """The file behind an address, in the hub client's own cache.

    The token is the client's: `HF_TOKEN`, or the one that `hf auth login` stored. It is read by nothing else here.

    Raises:
        SettingError: the address cannot be used, or the client is not installed.
        DataError: the hub does not give the file, with what to do about it.
    """
    wanted = parse_address(text)
    if find_spec("huggingface_hub") is None:
        raise SettingError(f"{option('questions')} {text}: needs the hub's client (pip install huggingface_hub)")
    from huggingface_hub import errors, hf_hub_download

    try:
        path = hf_hub_download(wanted.repository, wanted.file, repo_type="dataset", revision=wanted.revision)
    except errors.GatedRepoError:
        raise DataError(
            text,
            "is given only to those who accept its terms",
            f"Accept them on the page of the dataset {wanted.repository} with your account, and set HF_TOKEN to a "
            "token of that account",
        ) from None
    except errors.RevisionNotFoundError:
        raise DataError(text, f"has no revision {wanted.revision}") from None
    except errors.RepositoryNotFoundError:
        what = "is no dataset, or a private one"
        raise DataError(text, what, "Check the name; for a private one set HF_TOKEN") from None
    except errors.LocalEntryNotFoundError:
        what = "cannot be fetched: the hub is out of reach, and the file was not fetched before"
        raise DataError(text, what, "Name a file on this machine") from None
    except errors.EntryNotFoundError:
        raise DataError(text, f"has no file {wanted.file}") from None
    except (errors.HfHubHTTPError, OSError) as error:
        # Only the kind: what a server sends back is no text of ours.
        raise DataError(
            text, f"cannot be fetched ({type(error).__name__})", "Name a file on this machine"
        ) from None
    return Path(path)
