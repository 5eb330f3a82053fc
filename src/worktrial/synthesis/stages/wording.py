"""What no text of an artifact may hold."""

from worktrial.synthesis.left_over import left_over

_SHOWN = 60
# What a prompt shows in place of a text, handed back as it is.
_NOTHING = ("…", "...")


def unfilled(where: str, text: str, *, forms: bool = False) -> list[str]:
    """What in the text of a field stands for something that was to be filled in, each as a problem of `where`.

    Args:
        where: The field.
        text: Its text.
        forms: Whether it may show the form of something, as in `<order number>`.
    """
    found = [hit[:_SHOWN] for hit in left_over(text, forms=forms)]
    if text.strip() in _NOTHING:
        found.append(text.strip())
    return [f"{where}: {hit!r} stands for something that is not there; write it out" for hit in found]
