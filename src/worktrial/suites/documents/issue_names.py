"""Names of documents as an archive has them."""

import re

_SUFFIX = re.compile(r"\.(?:pdf|txt|json|md|html?)$", re.IGNORECASE)
_MONTHS = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
# Not within a word: "may" is in "dismay". An underscore or a hyphen ends a word here.
_MONTH_YEAR = re.compile(
    rf"(?<![a-z])(?P<month>{'|'.join(_MONTHS)})[\s_,.-]+(?P<year>(?:19|20)\d\d)(?!\d)", re.IGNORECASE
)


def document_name(text: str) -> str:
    """A file's name without folders and ending."""
    return _SUFFIX.sub("", re.split(r"[/\\]", text.strip())[-1])


def issue_name(text: str) -> str | None:
    """The document of the Treasury Bulletin whose month and year `text` names; None when it names none.

    `…/january-1941-6529` is `treasury_bulletin_1941_01`.
    """
    found = _MONTH_YEAR.search(text)
    if found is None:
        return None
    return f"treasury_bulletin_{found['year']}_{_MONTHS.index(found['month'].lower()) + 1:02}"
