"""Questions that their owner gives out on the Hugging Face hub, fetched with the user's own access to it."""

import re
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from worktrial.errors import DataError, SettingError, option

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
